// Seeing a real, small RocksDB.

#include <rocksdb/rate_limiter.h>
#include <rocksdb/statistics.h>

#include <algorithm>

#include "agent/statistics.h"
#include "tests/unit/agent/database_fixture.h"
#include "tests/unit/agent/knob_named.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;
using testing::DatabaseFixture;
using testing::knob_named;
using testing::TestDatabase;

TEST_CASE("prepare adds what is missing and keeps what is there") {
  rocksdb::DBOptions options;
  prepare(options);
  auto* const added = WindowedStatistics::from(options.statistics.get());
  REQUIRE(added != nullptr);
  CHECK_FALSE(added->brought_by_host());
  REQUIRE(options.rate_limiter);
  CHECK(options.rate_limiter->GetBytesPerSecond() == wire::kUnlimitedBytesPerSecond);
  CHECK(is_ours(options.rate_limiter));
  CHECK(options.delayed_write_rate == 16 << 20);  // not the limiter's rate

  const auto statistics = options.statistics;
  const auto limiter = options.rate_limiter;
  prepare(options);  // twice is the same as once
  CHECK(options.statistics == statistics);
  CHECK(options.rate_limiter == limiter);

  rocksdb::DBOptions own;
  own.statistics = rocksdb::CreateDBStatistics();
  own.rate_limiter.reset(rocksdb::NewGenericRateLimiter(5 << 20));
  const auto inner = own.statistics;
  const auto hosts = own.rate_limiter;
  prepare(own);
  CHECK(WindowedStatistics::from(own.statistics.get())->brought_by_host());
  CHECK(own.rate_limiter == hosts);
  CHECK_FALSE(is_ours(hosts));
  CHECK(own.delayed_write_rate == 0);
}

TEST_CASE("the description tells what the database is") {
  DatabaseFixture f;
  const auto& description = f.database.description();
  CHECK(description.id == "7");
  CHECK(description.path == f.host.directory.file("db"));
  CHECK(description.tunable);
  CHECK(description.limiter == "agent");
  CHECK(description.statistics == "agent");
  CHECK(description.data_paths.empty());
  const DatabaseFixture plain({}, false);
  CHECK(plain.database.description().limiter == "none");
  CHECK(plain.database.description().statistics == "none");
}

TEST_CASE("the places of files are told, those of the column families too") {
  const tests::TempDirectory directory;
  rocksdb::DBOptions options;
  options.create_if_missing = options.create_missing_column_families = true;
  options.db_paths = {{directory.file("files"), 1 << 30}};
  rocksdb::ColumnFamilyOptions elsewhere;
  elsewhere.cf_paths = {{directory.file("other-files"), 1 << 30}};
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  std::unique_ptr<rocksdb::DB> db;
  REQUIRE(testing::open_database(options, directory.file("db"),
                                 {{"default", {}}, {"other", elsewhere}}, &handles, &db)
              .ok());
  Database database(db.get(), handles, 1, false, [] { return std::chrono::steady_clock::now(); });
  CHECK(database.description().data_paths ==
        std::vector{directory.file("files"), directory.file("other-files")});
  database.close();
  for (auto* const handle : handles) delete handle;
}

TEST_CASE("a sample has counters, latencies, properties and levels") {
  DatabaseFixture f;
  for (int i = 0; i < 100; ++i) f.put(std::to_string(i));
  f.flush(0);
  std::string value;
  REQUIRE(f.host.db->Get({}, "1", &value).ok());
  const auto sample = f.database.sampler().take();
  CHECK(sample.sequence == 1);
  CHECK(sample.tick_ns == std::chrono::nanoseconds(1000s).count());
  CHECK(sample.tickers.at("number.keys.written") == 100);
  CHECK(sample.tickers.size() > 100);
  CHECK(sample.histograms.at("get").buckets.size() == 1);
  CHECK_FALSE(sample.histograms.at("write").buckets.empty());
  CHECK(sample.properties.at("is-write-stopped") == 0);
  CHECK(sample.properties.contains("num-running-compactions"));
  CHECK(sample.properties.contains("estimate-pending-compaction-bytes"));
  CHECK(sample.cache.at("capacity_bytes") > 0);
  CHECK(sample.limiter.at("bytes_through") > 1000);

  const auto family = f.family(sample, "default");
  REQUIRE(family);
  REQUIRE(family->levels.size() == 7);
  CHECK(family->levels[0].files == 1);
  CHECK(family->levels[0].bytes > 1000);
  CHECK(family->levels[1].files == 0);
  CHECK(family->options.at("level0_stop_writes_trigger") == 36);
  // The catalogue's, without those of universal compaction, and three that stalls depend on.
  CHECK(family->options.size() == 17);
  CHECK(family->properties.contains("num-immutable-mem-table"));
  CHECK(family->properties.contains("estimate-live-data-size"));
  CHECK(f.database.sampler().take().sequence == 2);
}

TEST_CASE("databases with one Statistics are each sampled with what they do themselves") {
  rocksdb::DBOptions options;
  options.statistics = rocksdb::CreateDBStatistics();
  DatabaseFixture busy(options);
  DatabaseFixture idle(options);
  for (int i = 0; i < 20; ++i) busy.put("key" + std::to_string(i));
  CHECK(busy.database.sampler().take().tickers.at("number.keys.written") == 20);
  CHECK(idle.database.sampler().take().tickers.at("number.keys.written") == 0);
  const auto report = idle.database.report().take();
  CHECK(report.tickers.at("number.keys.written") == 20);
  REQUIRE_FALSE(report.left_out.empty());
  CHECK(report.left_out[0].find("given the same Statistics") != std::string::npos);
}

TEST_CASE("a sample says whether reads are held against the limiter, too") {
  rocksdb::DBOptions options;
  const bool reads = GENERATE(false, true);
  options.rate_limiter.reset(rocksdb::NewGenericRateLimiter(
      std::int64_t{1} << 30, 100000, 10,
      reads ? rocksdb::RateLimiter::Mode::kAllIo : rocksdb::RateLimiter::Mode::kWritesOnly));
  DatabaseFixture of_host(options);
  CHECK(of_host.database.sampler().take().limiter.at("limits_reads") == (reads ? 1 : 0));
  DatabaseFixture ours;
  CHECK(ours.database.sampler().take().limiter.at("limits_reads") == 0);
}

TEST_CASE("without statistics there are neither tickers nor histograms") {
  DatabaseFixture f({}, false);
  const auto sample = f.database.sampler().take();
  CHECK(sample.tickers.empty());
  CHECK(sample.histograms.empty());
  CHECK(sample.limiter.empty());
  CHECK_FALSE(sample.column_families.empty());
}

TEST_CASE("column families with a known handle are sampled in full, the others by their levels") {
  DatabaseFixture f;
  f.put("a", 1);
  f.flush(1);
  auto sample = f.database.sampler().take();
  REQUIRE(f.family(sample, "second").has_value());
  CHECK(f.family(sample, "second")->levels.at(0).files == 1);
  CHECK(f.family(sample, "second")->properties.contains("compaction-pending"));

  rocksdb::ColumnFamilyHandle* third = nullptr;
  REQUIRE(f.host.db->CreateColumnFamily({}, "third", &third).ok());
  REQUIRE(f.host.db->Put({}, third, "a", "b").ok());
  REQUIRE(f.host.db->Flush({}, third).ok());
  f.now += 2s;
  sample = f.database.sampler().take();
  REQUIRE(f.family(sample, "third").has_value());
  CHECK(f.family(sample, "third")->levels.at(0).files == 1);
  CHECK(f.family(sample, "third")->properties.empty());
  REQUIRE(f.host.db->DestroyColumnFamilyHandle(third).ok());
}

TEST_CASE("what is pinned in the cache is read at most once a second") {
  DatabaseFixture f;
  auto& sampler = f.database.sampler();
  f.put("a");
  f.flush(0);
  const auto pinned = [&] { return sampler.take().cache.at("pinned_usage_bytes"); };
  const auto before = pinned();
  const std::unique_ptr<rocksdb::Iterator> reader(f.host.db->NewIterator({}));
  reader->SeekToFirst();  // pins its block
  REQUIRE(reader->Valid());
  f.now += 900ms;
  CHECK(pinned() == before);
  f.now += 100ms;
  CHECK(pinned() > before);
}

// As after rocktune_attach(), which passes no handles.
TEST_CASE("a listing that costs too much is made again after a pause that doubles each time") {
  const bool by_files = GENERATE(true, false);
  TestDatabase host;
  for (const char* value : {"old", "new"}) {
    REQUIRE(host.db->Put({}, host.handles[1], "key", value).ok());
    REQUIRE(host.db->Flush({}, host.handles[1]).ok());
  }
  std::chrono::steady_clock::time_point now{1000s};
  auto step = by_files ? 0ms : 20ms;  // what each look at the clock takes
  const auto clock = [&] { return now += step; };
  Sampler::ListingLimits limits;
  limits.files = by_files ? 1 : 1000;
  const auto families =
      std::make_shared<Families>(host.db.get(), std::vector<rocksdb::ColumnFamilyHandle*>{}, clock);
  Sampler sampler(host.db.get(), families, {}, clock, limits);
  const auto listed = [&] { return DatabaseFixture::family(sampler.take(), "second").has_value(); };
  CHECK_FALSE(listed());  // too much: ten minutes
  now += 10min + 1s;
  CHECK_FALSE(listed());  // again: twenty
  rocksdb::CompactRangeOptions into_one_file;
  into_one_file.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  REQUIRE(host.db->CompactRange(into_one_file, host.handles[1], nullptr, nullptr).ok());
  step = 0ms;
  now += 19min;
  CHECK_FALSE(listed());
  now += 1min + 2s;
  CHECK(listed());
}

TEST_CASE("the cause of a stall is read no more often than the levels may be") {
  TestDatabase host;
  auto ahead = 0ms;
  const auto clock = [&] { return std::chrono::steady_clock::now() + ahead; };
  auto each = 0us;  // CPU time between two looks at it
  std::chrono::steady_clock::time_point cpu{};
  const auto families = std::make_shared<Families>(host.db.get(), host.handles, clock);
  Sampler sampler(host.db.get(), families, {}, clock, {}, [&] { return cpu += each; });
  EventRing events;
  const auto stall = [&] {
    wire::Event event;
    event.kind = "stall";
    event.column_family = "second";
    event.words = {{"before", "normal"}, {"condition", "delayed"}};
    events.add(std::move(event));
  };
  const auto told_by = [&] {
    sampler.explain_stalls(events);
    CHECK(events.lacking("stall", "cause").empty());
    return events.read(0, 100).events.back().words.at("told_by");
  };
  const std::string moved = "nobody: none of RocksDB's counters has moved";
  const std::string later = "nobody: to read RocksDB's counters again costs too much yet";
  stall();
  CHECK(told_by() == moved);
  stall();
  CHECK(told_by() == moved);  // as quick as it is
  each = 500ms;               // more files than anybody has: not again for 100 s
  stall();
  CHECK(told_by() == moved);
  stall();
  CHECK(told_by() == later);
  ahead = 50s;
  stall();
  CHECK(told_by() == later);
  ahead = 200s;
  stall();
  sampler.take();  // what a sample has read since counts
  CHECK(told_by() == moved);
}

TEST_CASE("nothing is listed where all files together may be too many") {
  TestDatabase host;
  REQUIRE(host.db->Put({}, host.handles[1], "key", std::string(1000, 'v')).ok());
  REQUIRE(host.db->Flush({}, host.handles[1]).ok());
  REQUIRE(host.db->SetOptions({{"target_file_size_base", "100"}}).ok());
  std::chrono::steady_clock::time_point now{1000s};
  const auto clock = [&] { return now; };
  Sampler::ListingLimits limits;
  limits.files = 2;
  const auto families =
      std::make_shared<Families>(host.db.get(), std::vector<rocksdb::ColumnFamilyHandle*>{}, clock);
  Sampler sampler(host.db.get(), families, {}, clock, limits);
  const auto listed = [&] { return DatabaseFixture::family(sampler.take(), "second").has_value(); };
  CHECK_FALSE(listed());
  REQUIRE(host.db->SetOptions({{"target_file_size_base", "1000000"}}).ok());
  now += 9min;
  CHECK_FALSE(listed());
  now += 2min;
  CHECK(listed());
}

TEST_CASE("a dropped column family disappears with its handle, a forgotten handle is not used") {
  DatabaseFixture f;
  f.database.sampler().take();
  REQUIRE(f.host.db->DropColumnFamily(f.host.handles[1]).ok());
  auto sample = f.database.sampler().take();
  CHECK(f.family(sample, "default").has_value());
  f.database.forget(f.host.handles[1]);
  f.host.destroy_handle(1);
  f.now += 2s;
  sample = f.database.sampler().take();
  CHECK_FALSE(f.family(sample, "second").has_value());
  f.database.forget(f.host.handles[0]);  // the host's own; the database's is used instead
  f.host.destroy_handle(0);
  sample = f.database.sampler().take();
  CHECK(f.family(sample, "default").has_value());
}

TEST_CASE("options are read again after a second") {
  DatabaseFixture f;
  f.database.sampler().take();
  REQUIRE(f.host.db->SetOptions(f.host.handles[0], {{"level0_stop_writes_trigger", "50"}}).ok());
  auto sample = f.database.sampler().take();
  CHECK(f.family(sample, "default")->options.at("level0_stop_writes_trigger") == 36);
  f.now += 1100ms;
  sample = f.database.sampler().take();
  CHECK(f.family(sample, "default")->options.at("level0_stop_writes_trigger") == 50);
}

TEST_CASE("options are told in RocksDB's own words") {
  DatabaseFixture f;
  f.database.sampler().take();
  const auto options = f.database.sampler().options();
  CHECK(options.database.at("max_background_jobs") == "2");
  CHECK(options.column_families.at("default").at("level0_stop_writes_trigger") == "36");
  CHECK(options.column_families.contains("second"));
}

TEST_CASE("a database that is only read is never written") {
  TestDatabase host;
  host.close();
  const auto files = host.files();
  auto db = host.reopen_read_only();
  Database database(db.get(), {}, 7, false, std::chrono::steady_clock::now);
  CHECK(database.description().access == "read_only");
  CHECK_THAT(knob_named(database.control(), "max_background_jobs").reason,
             Catch::Matchers::Contains("not open for writing"));
  for (const auto& knob : database.control().describe()) CHECK_FALSE(knob.changeable);
  REQUIRE(database.control().take_lease({"me", 10, "restore", {}}).has_value());
  const auto refused = database.control().apply({"me", {{"1", "max_background_jobs", "", 5, {}}}});
  CHECK(refused->results.at(0).status == "refused");
  CHECK(database.sampler().take().column_families.size() == 1);
  CHECK(host.files() == files);
  database.close();
}

TEST_CASE("a column family's handle may go while the database closes") {
  DatabaseFixture f;
  f.database.close();
  f.database.forget(f.host.handles[1]);  // has waited for whoever still read it
  f.host.destroy_handle(1);
}

TEST_CASE("of very many column families a bounded number is read in full") {
  std::vector<std::string> names;
  for (int i = 0; i < 70; ++i) names.push_back("family" + std::to_string(i));
  DatabaseFixture plain;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  REQUIRE(plain.host.db->CreateColumnFamilies({}, names, &handles).ok());
  Database database(plain.host.db.get(), handles, 8, false, std::chrono::steady_clock::now);
  database.sampler().rehearse();  // does not list, and does not keep the next one from it
  const auto sample = database.sampler().take();
  CHECK(sample.column_families.size() == 72);
  const auto in_full = std::ranges::count_if(
      sample.column_families, [](const auto& family) { return !family.options.empty(); });
  CHECK(in_full == 64);
  database.close();
  for (auto* const handle : handles) REQUIRE(plain.host.db->DestroyColumnFamilyHandle(handle).ok());
}

TEST_CASE("nobody gets in once the close has begun") {
  DatabaseFixture f;
  CHECK(f.database.pass());
  f.database.close();
  CHECK_FALSE(f.database.pass());
  f.database.close();
}

}  // namespace
}  // namespace rocktune::agent
