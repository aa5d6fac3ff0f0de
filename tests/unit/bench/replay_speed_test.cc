#include <atomic>

#include "bench/replay_speed/day.h"
#include "bench/replay_speed/day_samples.h"
#include "bench/replay_speed/report.h"
#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"
#include "trace/reader.h"

using namespace rocktune;
using namespace rocktune::bench;
using namespace rocktune::scenario;

TEST_CASE("a day is the same each time, and all of it moves with each poll", "[replay_speed]") {
  DaySamples one(3), other(3);
  Sample last = one.next();
  REQUIRE(last == other.next());
  for (int i = 0; i < 300; ++i) {
    const Sample sample = one.next();
    REQUIRE(sample == other.next());
    REQUIRE(sample.database->column_families.size() == 3);
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(sample.database->column_families[k].active_memtable_bytes !=
            last.database->column_families[k].active_memtable_bytes);
    }
    CHECK(*sample.device != *last.device);
    CHECK(*sample.host != *last.host);
    CHECK(sample.database->read_latency->sum_us > last.database->read_latency->sum_us);
    CHECK(sample.at.tick > last.at.tick);
    CHECK(sample.database->agent_tick > sample.at.tick);
    last = sample;
  }
}

TEST_CASE("the day's trace has its samples, and stops when told", "[replay_speed]") {
  const tests::TempDirectory directory;
  const std::atomic<bool> go{false}, stop{true};
  REQUIRE(write_day(directory.file("day"), {50, 2}, go));
  auto reader = trace::Reader::open(directory.file("day"));
  REQUIRE(reader);
  const auto targets = reader->targets();
  REQUIRE(targets);
  REQUIRE(targets->size() == 1);
  CHECK(targets->front().samples_with_database == 50);
  CHECK(targets->front().info.name == kDayTarget);
  // It is there already, whether a stop was asked for or not.
  for (const std::atomic<bool>* asked : {&go, &stop}) {
    const auto there = write_day(directory.file("day"), {50, 2}, *asked);
    REQUIRE_FALSE(there);
    CHECK(there.error().message != kStoppedMessage);
  }
  const auto stopped = write_day(directory.file("stopped"), {50, 2}, stop);
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().message == kStoppedMessage);
}

TEST_CASE("figures of replay-speed for people and for programs", "[replay_speed]") {
  ReplaySpeedReport report;
  report.samples = 1000;
  report.families = 10;
  report.repeats = 3;
  report.trace_bytes = 868'000;
  report.open_loop.push_back({"headroom", {0.5, 0.4, 0.6, 0.7, 1'000'000, 3'000'000}, true, 2});
  report.closed_loop.push_back({"static", {0.01, 0.01, 0.02, 0.01, 0, 0}, 500});
  const auto json = replay_speed_json(report);
  CHECK(json["bytes_per_sample"] == 868);
  CHECK(json["open_loop"][0]["us_per_sample"] == 500);
  CHECK(json["open_loop"][0]["slowest_seconds"] == 0.6);
  CHECK(json["open_loop"][0]["steps_that_differ"] == 2);
  CHECK(json["closed_loop"][0]["times_real_time"] == 50'000);
  CHECK(json["partial"] == false);
  const std::string text = replay_speed_text(report);
  for (const char* said :
       {"of 3 times", "868 bytes a sample", "0.50 s (0.40 to 0.60)", "500.0 us a sample",
        "2 steps differ", "50000 times real time", "at most 3.0 MB"}) {
    INFO(said << "\n" << text);
    CHECK(text.find(said) != std::string::npos);
  }
  CHECK(text.find("STOPPED") == std::string::npos);
  report.partial = true;
  report.open_loop[0].cost.runs = 2;
  CHECK(replay_speed_text(report).starts_with("STOPPED, hence a part: 1000 samples"));
  CHECK(replay_speed_json(report)["partial"] == true);
  CHECK(replay_speed_json(report)["open_loop"][0]["runs"] == 2);
}

TEST_CASE("what lacks a run that was asked for is a part, and nothing else", "[replay_speed]") {
  ReplaySpeedReport report;
  report.repeats = 2;
  SpeedCost cost;
  cost.runs = 2;
  for (const char* policy : {"headroom", "static"}) {
    report.open_loop.push_back({policy, cost, false, 0});
    report.closed_loop.push_back({policy, cost, 500});
  }
  CHECK_FALSE(lacks_runs(report, 2));  // a stop that came after the last of them
  report.closed_loop.back().cost.runs = 1;
  CHECK(lacks_runs(report, 2));
  report.closed_loop.pop_back();
  CHECK(lacks_runs(report, 2));
  report.closed_loop.clear();
  CHECK(lacks_runs(report, 2));
  report.closed_loop = {{"headroom", cost, 500}, {"static", cost, 500}};
  report.open_loop.front().cost.runs = 1;
  CHECK(lacks_runs(report, 2));
}
