#include "scenario/scenario.h"

#include "scenario/builtin.h"
#include "tests/support/catch.h"

using rocktune::scenario::builtin_scenarios;
using rocktune::scenario::load_scenario;
using rocktune::scenario::objective_json;
using rocktune::scenario::Operation;
using rocktune::scenario::parse_scenario;
using rocktune::scenario::Sizes;

namespace {

constexpr const char* kTwoDatabases = R"(name: neighbours
description: two on one device
objective: {read_p99: 5ms, update_p999: 1.5s, memory: 64MiB, jobs: 4, device_share: 0.8}
device: nvme-p41
scale: 16
seconds: 30
databases:
  - name: front
    workload: ycsb-b
    records: 20000
    configuration: Mild-Pressure
    options: {max_background_jobs: 3}
  - name: back
    workload:
      records: 30000
      value_size: 500
      phases:
        - {name: calm, seconds: 20, workload: C, ops_per_second: 100}
        - {name: busy, seconds: 40, proportions: {update: 1}, ops_per_second: 4000}
    configuration: {base: Baseline, block_cache: 128MiB}
full:
  scale: 1
  databases:
    - {name: front, records: 10000000}
    - name: back
      workload: {phases: [{name: busy, ops_per_second: 60000}]}
)";

}  // namespace

TEST_CASE("one factor stretches all workloads of a scenario", "[scenario][scenario]") {
  const std::string databases = R"(databases:
  - name: long
    workload: {phases: [{name: a, seconds: 30, workload: C}, {name: b, seconds: 10, workload: A}]}
    configuration: Baseline
  - name: short
    workload: {phases: [{name: burst, seconds: 20, workload: A}]}
    configuration: Baseline
)";
  auto scenario = parse_scenario(databases, "s.yaml", false);
  REQUIRE(scenario);
  scenario->stretch_to(80);
  CHECK(scenario->databases[0].workload.phases[0].seconds == Approx(60));
  CHECK(scenario->databases[0].workload.phases[1].seconds == Approx(20));
  CHECK(scenario->databases[1].workload.seconds() == Approx(40));
  scenario->stretch_to(scenario->seconds());  // its own length changes nothing
  CHECK(scenario->databases[1].workload.seconds() == Approx(40));
  const auto written = parse_scenario("seconds: 10\n" + databases, "s.yaml", false);
  REQUIRE(written);
  CHECK(written->databases[0].workload.seconds() == Approx(10));
  CHECK(written->databases[1].workload.seconds() == Approx(5));
}

TEST_CASE("a scenario is read as written", "[scenario][scenario]") {
  const auto scenario = parse_scenario(kTwoDatabases, "s.yaml", false);
  REQUIRE(scenario);
  CHECK(scenario->name == "neighbours");
  CHECK_FALSE(scenario->full);
  CHECK(scenario->device == "nvme-p41");
  CHECK(scenario->scale == 16);
  CHECK(scenario->seconds() == Approx(30));
  const auto& objective = scenario->objective;
  REQUIRE(objective.limits.size() == 2);
  CHECK(objective.limits[0].metric == "read_p99");
  CHECK(objective.limits[0].limit == std::chrono::milliseconds(5));
  CHECK(objective.limits[1].operation == Operation::kUpdate);
  CHECK(objective.limits[1].percentile == "p999_us");
  CHECK(objective.limits[1].limit == std::chrono::milliseconds(1500));
  CHECK(objective.memory_bytes == 64 << 20);
  CHECK(objective.jobs == 4);
  CHECK(objective.device_share == 0.8);
  CHECK(objective.first == "read_p99");
  CHECK(objective_json(objective)["limits"][1]["limit_us"] == 1.5e6);

  REQUIRE(scenario->databases.size() == 2);
  const auto& front = scenario->databases[0];
  CHECK(front.workload.records == 20000);
  CHECK(front.configuration.name == "Mild-Pressure");
  CHECK(front.configuration.write_buffer_bytes == 2 << 20);  // scaled
  CHECK(front.configuration.max_background_jobs == 3);       // an option, not scaled
  const auto& back = scenario->databases[1];
  CHECK(back.workload.records == 30000);
  CHECK(back.workload.value_size == Sizes(500));
  REQUIRE(back.workload.phases.size() == 2);
  CHECK(back.workload.phases[1].seconds == Approx(20));  // 60 s stretched to 30
  CHECK(back.workload.phases[1].value_size == Sizes(500));
  CHECK(back.configuration.block_cache_bytes == 8 << 20);
}

TEST_CASE("--full changes what it names and nothing else", "[scenario][scenario]") {
  const auto full = parse_scenario(kTwoDatabases, "s.yaml", true);
  REQUIRE(full);
  CHECK(full->full);
  CHECK(full->scale == 1);
  CHECK(full->databases[0].workload.records == 10000000);
  CHECK(full->databases[0].configuration.write_buffer_bytes == 32 << 20);
  CHECK(full->databases[1].workload.records == 30000);
  CHECK(full->databases[1].workload.phases[0].rate.from == 100);
  CHECK(full->databases[1].workload.phases[1].rate.from == 60000);
  CHECK(full->databases[1].workload.phases[1].mix[Operation::kUpdate] == 1);
}

TEST_CASE("every mistake of a scenario at once, those of --full too", "[scenario][scenario]") {
  const auto wrong = parse_scenario(R"(name: wrong
objective: {read_p99: 5, steal_p99: 1ms, first: update_p99}
device: no-such-device
databases:
  - name: A/B
    workload: no-such-workload
    configuration: none-such
    options: {max_background_jobs: one}
  - name: ok
    workload: {phases: [{seconds: 5, workload: Z}]}
    configuration: {block_cache: lots}
  - {name: ok, workload: ycsb-a, configuration: Baseline}
full:
  seed: 3
  databases: [{name: nobody}]
)",
                                    "s.yaml", false);
  REQUIRE_FALSE(wrong);
  const std::string& all = wrong.error().message;
  for (const char* line :
       {"s.yaml:2:23: objective.read_p99: '5' is not a duration above zero",
        "s.yaml:2:26: objective.steal_p99: is not known here",
        "s.yaml:2:49: objective.first: 'update_p99' is neither",
        "s.yaml:3:9: device:", "s.yaml:5:11: databases[0].name: 'A/B' names a directory",
        "s.yaml:6:15: databases[0].workload: 'no-such-workload' is no built-in",
        "s.yaml:7:20: databases[0].configuration: configuration 'none-such'",
        "s.yaml:8:36: databases[0].options.max_background_jobs:",
        "s.yaml:10:48: databases[1].workload.phases[0].workload: 'Z' is no YCSB workload",
        "s.yaml:11:34: databases[1].configuration.block_cache: 'lots' is not a size",
        "s.yaml:12:12: databases[2].name: is given twice", "s.yaml:14:3: seed: is not known here",
        "s.yaml:15:15: full: there is no 'nobody' in this list to change"}) {
    INFO(all);
    INFO(line);
    CHECK(all.find(line) != std::string::npos);
  }
  // Each once, though both sizes are read.
  CHECK(all.find("s.yaml:6:15") == all.rfind("s.yaml:6:15"));
}

TEST_CASE("what a scenario cannot do without", "[scenario][scenario]") {
  const auto empty = parse_scenario("name: x\n", "s.yaml", false);
  REQUIRE_FALSE(empty);
  CHECK(empty.error().message == "s.yaml:1:1: databases: is required");
  const auto list = parse_scenario("- a\n", "s.yaml", true);
  REQUIRE_FALSE(list);
  CHECK(list.error().message == "s.yaml:1:1: must be a map of key: value");
}

TEST_CASE("the built-in scenarios are valid at both sizes", "[scenario][scenario]") {
  for (const auto& builtin : builtin_scenarios()) {
    for (const bool full : {false, true}) {
      const auto scenario = load_scenario(std::string(builtin.name), full);
      INFO(builtin.name);
      INFO((scenario ? "" : scenario.error().message));
      REQUIRE(scenario);
      CHECK(scenario->name == builtin.name);
      if (!full) CHECK(scenario->seconds() <= 90);
    }
  }
}

TEST_CASE("the scenarios of docs/results are valid", "[scenario][scenario]") {
  for (const char* name :
       {"cloud", "cpu-load", "day-256", "day-64", "near-limit", "nightly-bulk", "sync-writes"}) {
    const auto scenario =
        load_scenario(std::string(ROCKTUNE_SOURCE_DIR "/docs/results/") + name + ".yaml", false);
    INFO((scenario ? "" : scenario.error().message));
    REQUIRE(scenario);
    CHECK(scenario->name == name);
  }
}
