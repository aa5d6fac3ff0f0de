// What bounds a trace, and what happens when it cannot be written.
#include "support.h"
#include "tests/support/full_disk.h"
#include "trace/reader.h"
#include "trace/retention.h"
#include "trace/sqlite.h"

using namespace rocktune;
using namespace rocktune::trace;
using namespace rocktune::trace::test;

namespace {

// A busy database as it is in practice: counters that rise, latencies in a few dozen buckets.
class BusyDatabase {
 public:
  explicit BusyDatabase(std::size_t column_families) {
    DatabaseReading::visit_fields(database_, [](const char*, Counter& c) { c = 1'000'000'000; });
    for (auto* histogram : {&database_.read_latency, &database_.write_latency}) {
      histogram->emplace();
      for (std::uint64_t i = 0; i < 200; ++i) {
        (*histogram)->buckets.push_back({100 + 4 * i, 104 + 4 * i, 1000});
      }
    }
    for (std::size_t i = 0; i < column_families; ++i) {
      ColumnFamilyReading reading;
      reading.name = "family_" + std::to_string(i);
      reading.levels.resize(7, {12, 3'000'000'000});
      ColumnFamilyReading::visit_fields(reading, [](const char* name, Counter& c) {
        c = std::string_view(name).ends_with("_bytes") ? 50'000'000 : 1;
      });
      database_.column_families.push_back(reading);
    }
    sample_.device.emplace().name = "nvme0n1";
    sample_.host.emplace();
    sample_.incarnation = "4711-1";
    sample_.health = {{"agent", ""}, {"device", ""}, {"host", ""}};
  }

  Sample next() {
    ++sample_.sequence;
    sample_.at.wall += std::chrono::milliseconds(500);
    sample_.at.tick += std::chrono::milliseconds(500);
    const auto advance = [&](const char*, Counter& c) { c = c.value_or(0) + random_() % 100'000; };
    DatabaseReading::visit_fields(database_, advance);
    for (auto* histogram : {&database_.read_latency, &database_.write_latency}) {
      for (int i = 0; i < 40; ++i) (*histogram)->buckets[random_() % 200].count += random_() % 200;
      (*histogram)->sum_us += 12345;
    }
    for (ColumnFamilyReading& reading : database_.column_families) {
      reading.active_memtable_bytes = random_() % 64'000'000;
      reading.all_memtables_bytes = random_() % 128'000'000;
      if (random_() % 20 == 0) reading.levels[0].files ^= 1;
    }
    DeviceReading::visit_fields(*sample_.device, advance);
    HostReading::visit_fields(*sample_.host, advance);
    sample_.database = database_;
    return sample_;
  }

 private:
  std::minstd_rand random_{7};
  DatabaseReading database_;
  Sample sample_;
};

std::vector<Sample> read_samples(const std::string& path, std::int64_t target) {
  auto reader = checked(Reader::open(path));
  auto steps = checked(reader.steps(target));
  std::vector<Sample> samples;
  while (auto step = checked(steps.next())) samples.push_back(std::move(step->sample));
  return samples;
}

}  // namespace

TEST_CASE("a sample takes well under a kilobyte, with ten busy column families one and a half",
          "[trace]") {
  constexpr std::uintmax_t kSamples = 1500;
  const std::pair<std::size_t, std::uintmax_t> cases[] = {{1, 850}, {10, 1600}};
  for (const auto& [families, most] : cases) {
    const TempDirectory directory;
    const std::string path = directory.file("run.sqlite");
    {
      auto recorder = checked(Recorder::create(path, run_info(), {}));
      const auto target = checked(recorder.add_target(target_info("a")));
      BusyDatabase busy(families);
      for (std::uintmax_t i = 0; i < kSamples; ++i) {
        checked(recorder.add_sample(target, busy.next()));
      }
    }
    const auto bytes = std::filesystem::file_size(path) / kSamples;
    INFO(bytes << " bytes a sample: " << bytes * 172800 / 1'000'000 << " MB a day at 500 ms");
    CHECK(bytes < most);
  }
}

TEST_CASE("of many databases no more than one slice goes in a poll", "[trace]") {
  constexpr int kDatabases = 4;
  constexpr std::size_t kSlice = 600;  // samples between two keyframes
  const TempDirectory directory;
  const std::string path = directory.file("run.sqlite");
  auto recorder =
      checked(Recorder::create(path, run_info(), {Bytes{6'000'000}, std::chrono::hours(1000)}));
  std::vector<std::int64_t> targets;
  for (int i = 0; i < kDatabases; ++i) {
    targets.push_back(checked(recorder.add_target(target_info("db" + std::to_string(i)))));
  }
  auto reading = checked(Connection::open(path, SQLITE_OPEN_READONLY));
  BusyDatabase busy(1);
  std::size_t before = 0, most = 0, polls = 0;
  for (int poll = 0; poll < 3000; ++poll) {
    const Sample sample = busy.next();
    for (const std::int64_t target : targets) {
      checked(recorder.begin_tick());
      checked(recorder.add_sample(target, sample));
      checked(recorder.commit());
    }
    const auto now =
        static_cast<std::size_t>(checked(reading.number("SELECT count(*) FROM samples")));
    const std::size_t gone = before + kDatabases - now;
    if (gone > 0) ++polls;
    most = std::max(most, gone);
    before = now;
  }
  CHECK(polls > 4);
  CHECK(most <= kSlice);
}

TEST_CASE("a trace that outgrows its bound loses its oldest samples", "[trace]") {
  const TempDirectory directory;
  const std::string path = directory.file("run.sqlite");
  const Limits limits{Bytes{1'500'000}, std::chrono::hours(1000)};
  std::vector<Sample> written;
  std::uintmax_t largest = 0;
  {
    auto recorder = checked(Recorder::create(path, run_info(), limits));
    const auto target = checked(recorder.add_target(target_info("a")));
    BusyDatabase busy(2);
    for (int tick = 0; tick < 6000; ++tick) {
      checked(recorder.begin_tick());
      written.push_back(busy.next());
      checked(recorder.add_sample(target, written.back()));
      checked(recorder.add_actuation(target, written.back().sequence, {"a", "applied", "", 0, 0}));
      const auto number = static_cast<std::uint64_t>(tick) + 1;
      checked(recorder.add_database_event(target, written.back().sequence,
                                          {"i/1", number, {}, "stall", "", {}, {}}));
      checked(recorder.commit());
      if (tick % 100 == 0) largest = std::max(largest, std::filesystem::file_size(path));
    }
  }
  CHECK(largest < 2'000'000);
  const auto kept = read_samples(path, 1);
  REQUIRE(kept.size() > 600);
  REQUIRE(kept.size() < written.size());
  CHECK(std::equal(kept.rbegin(), kept.rend(), written.rbegin()));
  const auto summary = checked(checked(Reader::open(path)).targets())[0];
  CHECK(summary.samples == kept.size());
  CHECK(summary.actuations == kept.size());
  CHECK(summary.events.at("stall") == kept.size());
}

TEST_CASE("samples past the greatest age are deleted, of each target alone", "[trace]") {
  const TempDirectory directory;
  const std::string path = directory.file("run.sqlite");
  const Limits limits{1_GiB, std::chrono::minutes(10)};  // 1200 samples
  std::vector<Sample> written;
  {
    auto recorder = checked(Recorder::create(path, run_info(), {}));
    recorder.set_limits(limits);
    for (const char* name : {"busy", "gone"}) checked(recorder.add_target(target_info(name)));
    BusyDatabase busy(1), gone(1);
    for (int i = 0; i < 50; ++i) checked(recorder.add_sample(2, gone.next()));
    for (int tick = 0; tick < 4000; ++tick) {
      checked(recorder.begin_tick());
      written.push_back(busy.next());
      checked(recorder.add_sample(1, written.back()));
      checked(recorder.commit());
    }
  }
  const auto kept = read_samples(path, 1);
  CHECK(kept.size() >= 1200);
  CHECK(kept.size() <= 1200 + 600 + 16);
  CHECK(std::equal(kept.rbegin(), kept.rend(), written.rbegin()));
  CHECK(read_samples(path, 2).empty());
}

TEST_CASE("nobody looks at every target before the oldest sample can be too old", "[trace]") {
  const TempDirectory directory;
  const std::string path = directory.file("run.sqlite");
  Nanoseconds last{0};
  {
    auto recorder = checked(Recorder::create(path, run_info(), {}));
    checked(recorder.add_target(target_info("a")));
    BusyDatabase busy(1);
    for (int i = 0; i < 10; ++i) {
      const Sample sample = busy.next();
      checked(recorder.add_sample(1, sample));
      last = sample.at.tick;
    }
  }
  auto connection = checked(Connection::open(path, SQLITE_OPEN_READWRITE));
  Retention retention(connection, {1_GiB, std::chrono::minutes(10)});
  Retention::Targets targets{{1, true}};
  const auto left = [&] { return checked(connection.number("SELECT count(*) FROM samples")); };
  CHECK(checked(retention.trim(last, targets)));
  // An hour older, which none becomes, so that it shows whether they are looked at.
  checked(connection.run("UPDATE samples SET tick_ns = tick_ns - 3600000000000"));
  CHECK(checked(retention.trim(last + std::chrono::minutes(10), targets)));
  CHECK(left() == 10);
  CHECK(checked(retention.trim(last + std::chrono::minutes(10) + Nanoseconds(1), targets)));
  CHECK(left() == 0);
}

TEST_CASE("what is forgotten of a closed target costs no sample", "[trace]") {
  const TempDirectory directory;
  const std::string path = directory.file("run.sqlite");
  std::vector<Sample> written;
  {
    auto recorder = checked(Recorder::create(path, run_info(), {}));
    const auto target = checked(recorder.add_target(target_info("a")));
    BusyDatabase busy(2);
    for (int i = 0; i < 10; ++i) {
      if (i == 5) recorder.forget(target);
      written.push_back(busy.next());
      checked(recorder.add_sample(target, written.back()));
    }
    recorder.forget(target + 1);  // which never was
  }
  CHECK(read_samples(path, 1) == written);
  auto connection = checked(Connection::open(path, SQLITE_OPEN_READONLY));
  CHECK(checked(connection.number("SELECT count(*) FROM samples WHERE keyframe = 1")) == 2);
}

TEST_CASE("where targets come and go the bound costs those that ended, not those that go on",
          "[trace]") {
  const TempDirectory directory;
  const std::string path = directory.file("run.sqlite");
  const Limits limits{Bytes{1'500'000}, std::chrono::hours(1000)};
  std::vector<Sample> written;
  std::uintmax_t largest = 0;
  {
    auto recorder = checked(Recorder::create(path, run_info(), limits));
    const auto goes_on = checked(recorder.add_target(target_info("goes on")));
    std::int64_t ended = 0;
    BusyDatabase busy(2);
    for (int round = 0; round < 200; ++round) {
      checked(recorder.begin_tick());
      ended = checked(recorder.add_target(target_info("job " + std::to_string(round))));
      checked(recorder.commit());
      for (int tick = 0; tick < 30; ++tick) {
        checked(recorder.begin_tick());
        checked(recorder.add_sample(ended, busy.next()));
        checked(recorder.commit());
      }
      recorder.forget(ended);
      checked(recorder.begin_tick());
      written.push_back(busy.next());
      checked(recorder.add_sample(goes_on, written.back()));
      checked(recorder.commit());
      largest = std::max(largest, std::filesystem::file_size(path));
    }
    CHECK(recorder.has(goes_on));
    CHECK(recorder.has(ended));
    CHECK_FALSE(recorder.has(goes_on + 1));  // long gone
  }
  CHECK(largest < 2'000'000);
  CHECK(read_samples(path, 1) == written);
  const auto targets = checked(checked(Reader::open(path)).targets());
  CHECK(targets.size() > 10);
  CHECK(targets.size() < 100);
  auto connection = checked(Connection::open(path, SQLITE_OPEN_READONLY));
  CHECK(checked(connection.number("SELECT count(*) FROM incarnations")) ==
        static_cast<std::int64_t>(targets.size()));
}

TEST_CASE("what a database was opened with goes with the last sample of that opening", "[trace]") {
  const TempDirectory directory;
  const std::string path = directory.file("run.sqlite");
  const Limits limits{Bytes{1'500'000}, std::chrono::hours(1000)};
  constexpr int kOpenings = 20;
  {
    auto recorder = checked(Recorder::create(path, run_info(), limits));
    const auto target = checked(recorder.add_target(target_info("a")));
    BusyDatabase busy(2);
    for (int opening = 0; opening < kOpenings; ++opening) {
      IncarnationInfo opened;
      opened.incarnation = "i-" + std::to_string(opening);
      opened.options.database["manual_wal_flush"] = "false";
      for (int tick = 0; tick < 600; ++tick) {
        checked(recorder.begin_tick());
        if (tick == 0) checked(recorder.add_incarnation(target, opened));
        Sample sample = busy.next();
        sample.incarnation = opened.incarnation;
        checked(recorder.add_sample(target, sample));
        checked(recorder.commit());
      }
    }
  }
  const auto targets = checked(checked(Reader::open(path)).targets());
  const auto& openings = targets.at(0).incarnations;
  REQUIRE(openings.size() == kOpenings);
  CHECK(openings.front().options.empty());
  CHECK(openings.back().options.database.at("manual_wal_flush") == "false");
  auto connection = checked(Connection::open(path, SQLITE_OPEN_READONLY));
  CHECK(checked(connection.number(
            "SELECT count(*) FROM incarnations i WHERE (options IS NULL) = EXISTS (SELECT 1 FROM "
            "samples s WHERE s.incarnation = i.id)")) == 0);
}

TEST_CASE("a tick that cannot be written is lost, and the next one works", "[trace]") {
  const TempDirectory directory;
  const std::string path = directory.file("run.sqlite");
  const IncarnationInfo opened{"4711-1", 9, "db", "7.8.3", "0.1.0", "none", "none"};
  std::vector<Sample> written;
  BusyDatabase busy(2);
  {
    auto recorder = checked(Recorder::create(path, run_info(), {}));
    {
      const tests::FullDisk full(std::filesystem::file_size(path + "-wal") + 100);
      checked(recorder.begin_tick());
      CHECK(checked(recorder.add_target(target_info("a"))) == 1);
      checked(recorder.add_incarnation(1, opened));
      checked(recorder.add_sample(1, busy.next()));
      const auto lost = recorder.commit();
      REQUIRE_FALSE(lost);
      CHECK(lost.error().code == ErrorCode::kIo);
      CHECK(lost.error().message.find(path) != std::string::npos);
      checked(recorder.begin_tick());
      checked(recorder.add_sample(1, busy.next()));
      CHECK_FALSE(recorder.commit());
    }
    for (int tick = 0; tick < 3; ++tick) {
      checked(recorder.begin_tick());
      written.push_back(busy.next());
      checked(recorder.add_sample(1, written.back()));
      checked(recorder.commit());
    }
    // An error in the middle ends the tick: nothing more of it is taken, none of it is kept.
    checked(recorder.begin_tick());
    CHECK_FALSE(recorder.add_sample(1, written.back()));  // this sequence number is there already
    CHECK_FALSE(recorder.add_sample(1, busy.next()));
    CHECK_FALSE(recorder.commit());
    checked(recorder.begin_tick());
    written.push_back(busy.next());
    checked(recorder.add_sample(1, written.back()));
    checked(recorder.commit());
  }
  CHECK(read_samples(path, 1) == written);
  const auto targets = checked(checked(Reader::open(path)).targets());
  REQUIRE(targets.size() == 1);
  CHECK(targets[0].info.name == "a");
  CHECK(targets[0].incarnations == std::vector{opened});
}

TEST_CASE("a trace is never written over, and its directory must exist", "[trace]") {
  const TempDirectory directory;
  const std::string path = directory.file("run.sqlite");
  checked(Recorder::create(path, run_info(), {}));
  const auto again = Recorder::create(path, run_info(), {});
  REQUIRE_FALSE(again);
  CHECK(again.error().code == ErrorCode::kConflict);
  const auto nowhere = Recorder::create(directory.file("no/run.sqlite"), run_info(), {});
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error().message.find("directory exists") != std::string::npos);
}
