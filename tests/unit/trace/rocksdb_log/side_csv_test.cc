#include "trace/rocksdb_log/side_csv.h"

#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"

using namespace rocktune;
using namespace rocktune::trace::rocksdb_log;

namespace {

constexpr Micros kLogStart{1'700'000'000'000'000};
constexpr Micros kSecond{1'000'000};

Sample filled(SideReader& side, double seconds) {
  const Micros at = kLogStart + Micros(static_cast<std::int64_t>(seconds * 1e6));
  Sample sample;
  sample.database.emplace();
  side.advance(at);
  side.fill(at, kSecond, sample);
  return sample;
}

SideSpec spec_of(const std::string& path, const std::string& mapping) {
  auto spec = parse_side_spec(path + ":" + mapping);
  INFO((spec ? "" : spec.error().message));
  REQUIRE(spec);
  return *spec;
}

}  // namespace

TEST_CASE("A mapping of side columns is understood") {
  const auto spec = parse_side_spec(
      "a:b.csv:time=epoch(when), keys_written=rate(qps), process_cpu_us=user*1e6+sys*1e6");
  REQUIRE(spec);
  CHECK(spec->path == "a:b.csv");
  CHECK(spec->time_column == "when");
  CHECK(spec->epoch);
  REQUIRE(spec->columns.size() == 2);
  CHECK(spec->columns[0] == SideColumn{"keys_written", true, {{"qps", 1}}});
  CHECK(spec->columns[1] == SideColumn{"process_cpu_us", false, {{"user", 1e6}, {"sys", 1e6}}});
}

TEST_CASE("A mapping that says nothing or too much is refused with a sentence") {
  const auto [text, why] = GENERATE(table<std::string, std::string>({
      {"x.csv", "which column is the time"},
      {"x.csv:time=t", "maps no field"},
      {"x.csv:time=,keys_read=k", "\"time\" names no column"},
      {"x.csv:time=t,keys_raed=k", "no field \"keys_raed\""},
      {"x.csv:time=t,keys_read", "has no \"=\""},
      {"x.csv:time=t,keys_read=", "is no column"},
      {"x.csv:time=t,keys_read=a*b", "is no column"},
  }));
  const auto spec = parse_side_spec(text);
  REQUIRE_FALSE(spec);
  CHECK(spec.error().code == ErrorCode::kInvalidArgument);
  CHECK(spec.error().message.find(why) != std::string::npos);
}

TEST_CASE("Counters are taken as they are, rates are added up") {
  const tests::TempDirectory directory;
  const auto path = directory.write("io.csv",
                                    "secs, qps ,written\n1,100,10\n2,200,30\n4,50,30\n"
                                    "bad,row\n3,9,9\n5,10,\n");
  auto side = SideReader::open(
      spec_of(path, "time=secs,keys_written=rate(qps),process_write_bytes=written*2"), kLogStart);
  REQUIRE(side);
  CHECK_FALSE(filled(*side, 0.5).database->keys_written);
  CHECK(filled(*side, 1).database->keys_written == 100);
  CHECK(filled(*side, 1.9).host->process_write_bytes == 20);
  CHECK(filled(*side, 2).database->keys_written == 300);
  CHECK(filled(*side, 4.5).database->keys_written == 400);
  const Sample last = filled(*side, 5);
  CHECK(last.database->keys_written == 410);
  CHECK_FALSE(last.host);  // an empty cell is no zero
  CHECK(side->bad_rows() == 2);
  CHECK_FALSE(filled(*side, 60).database->keys_written);  // its file has ended
}

TEST_CASE("Columns without names go by number, times may be since 1970") {
  const tests::TempDirectory directory;
  const auto path = directory.write("io.csv", "1700000001,5\n1700000002,7\n");
  auto side = SideReader::open(spec_of(path, "time=epoch(#1),device_read_sectors=#2"), kLogStart);
  REQUIRE(side);
  CHECK_FALSE(filled(*side, 0.9).device);
  CHECK(filled(*side, 1).device->read_sectors == 5);
  CHECK(filled(*side, 2).device->read_sectors == 7);

  const auto relative = SideReader::open(spec_of(path, "time=#1,keys_read=#2"), kLogStart);
  REQUIRE_FALSE(relative);
  CHECK(relative.error().message.find("time=epoch(#1)") != std::string::npos);
}

TEST_CASE("A value that is no number is absent") {
  const tests::TempDirectory directory;
  const auto path = directory.write("io.csv", "secs,a,b\n1,1e308,1e308\n2,5,6\n");
  auto side = SideReader::open(
      spec_of(path, "time=secs,keys_written=a*1e10+b*-1e10,keys_read=rate(a*1e10)"), kLogStart);
  REQUIRE(side);
  const Sample first = filled(*side, 1);
  CHECK_FALSE(first.database->keys_written);  // inf - inf
  CHECK_FALSE(first.database->keys_read);
  CHECK(filled(*side, 2).database->keys_read == 50'000'000'000);
}

TEST_CASE("A row that is cut is counted, not taken") {
  const tests::TempDirectory directory;
  const auto path =
      directory.write("io.csv", "secs,a\n1,1\n2,2," + std::string(kMaxLineBytes, ' ') + "\n3,3\n");
  auto side = SideReader::open(spec_of(path, "time=secs,keys_read=a"), kLogStart);
  REQUIRE(side);
  CHECK(filled(*side, 2).database->keys_read == 1);
  CHECK(filled(*side, 3).database->keys_read == 3);
  CHECK(side->bad_rows() == 1);
}

TEST_CASE("A column that is not there is named, with those that are") {
  const tests::TempDirectory directory;
  const auto path = directory.write("io.csv", "secs,qps\n1,2\n");
  const auto side = SideReader::open(spec_of(path, "time=secs,keys_read=ops"), kLogStart);
  REQUIRE_FALSE(side);
  CHECK(side.error().code == ErrorCode::kInvalidArgument);
  CHECK(side.error().message.find("no column \"ops\"; there are: secs, qps") != std::string::npos);
  CHECK(SideReader::open(spec_of(directory.file("no.csv"), "time=a,keys_read=b"), kLogStart)
            .error()
            .code == ErrorCode::kNotFound);
}
