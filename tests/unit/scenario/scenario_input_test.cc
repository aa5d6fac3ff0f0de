#include "scenario/simulate/scenario_input.h"

#include <numeric>

#include "agent/limiter/fair_budget.h"
#include "scenario/builtin.h"
#include "scenario/engine.h"
#include "scenario/simulate/cache_curve.h"
#include "tests/support/catch.h"

namespace rocktune::scenario {
namespace {

sim::HostLaws machine(double cpus) {
  sim::HostLaws laws;
  laws.cpus = cpus;
  laws.memory = sim::MemoryLaws{8e9, 8e9};
  return laws;
}

TEST_CASE("every built-in scenario becomes an input that can be simulated") {
  for (const Builtin& builtin : builtin_scenarios()) {
    const std::string name(builtin.name);
    INFO(name);
    const auto scenario = load_scenario(name, false);
    REQUIRE(scenario);
    const auto inputs = scenario_inputs(*scenario, machine(2), "7.8.3");
    REQUIRE(inputs);
    REQUIRE(inputs->size() == scenario->databases.size());
    std::vector<EngineConfig> engines;
    for (const ScenarioDatabase& database : scenario->databases) {
      engines.push_back(engine_config("static", *scenario, database, 2));
    }
    const auto figures = sim::simulate(*inputs, engines, 1);
    REQUIRE(figures);
    CHECK(figures->front().operations > 0);
    CHECK(figures->front().seconds >= scenario->seconds() - 1);
  }
}

TEST_CASE("nothing of a scenario is calibrated, and its databases share its device") {
  const auto scenario = load_scenario("two-databases", false);
  REQUIRE(scenario);
  const auto inputs = scenario_inputs(*scenario, machine(4), "7.8.3");
  REQUIRE(inputs);
  REQUIRE(inputs->size() == 2);
  for (const sim::SimulationInput& input : *inputs) {
    CHECK(input.seen == sim::Seen());
    CHECK(input.laws.l0_bytes_per_second == sim::Laws().l0_bytes_per_second);
    CHECK(input.device_name == scenario->device);
    CHECK(input.host.cpus == 4);
    CHECK(input.host.memory);
    CHECK(input.host.device);
  }
}

Result<Scenario> one_database(const std::string& options, const std::string& workload) {
  return parse_scenario(
      "databases:\n  - name: main\n    workload: {records: 1000, " + workload +
          " phases: [{name: run, seconds: 4, workload: A}]}\n    configuration: {" + options +
          "}\n",
      "test.yaml", false);
}

TEST_CASE("what the simulator does not know of a database is named") {
  const auto plain = one_database("", "");
  REQUIRE(plain);
  CHECK(not_simulated(*plain, plain->databases.front()).empty());
  const auto odd = one_database(
      "rate_limit: 1MB, auto_tuned_rate_limit: true, memtable: vector, "
      "rocksdb_options: {bytes_per_sync: 1MB}",
      "wal: sync,");
  REQUIRE(odd);
  CHECK(not_simulated(*odd, odd->databases.front()) ==
        std::vector<std::string>{"bytes_per_sync", "memtable: vector", "wal: sync"});
  const auto inputs = scenario_inputs(*odd, machine(2), "7.8.3");
  REQUIRE(inputs);
  CHECK(inputs->front().options.limit_tunes_itself);
}

TEST_CASE("what the simulator does not know of a device is named") {
  auto scenario = one_database("", "");
  REQUIRE(scenario);
  scenario->device = "nvme-p41-small-cache";
  CHECK(not_simulated(*scenario, scenario->databases.front()) ==
        std::vector<std::string>{"device: sync_latency_us", "device: write_cache",
                                 "device: write_latency_us"});
  scenario->device = "nvme-pcie4-fio";
  CHECK(not_simulated(*scenario, scenario->databases.front()) ==
        std::vector<std::string>{"device: larger_read_latency_us",
                                 "device: larger_write_latency_us", "device: max_request",
                                 "device: read_latency_growth", "device: sync_latency_us",
                                 "device: write_buffer", "device: write_latency_us"});
}

// Seconds above the SLO of four in which every read waits for a device that takes 100 ms for it.
double above_slo(const std::string& objective) {
  auto scenario = one_database("block_cache: 4096", "");
  REQUIRE(scenario);
  if (!objective.empty()) {
    const auto limited = parse_scenario("objective: {" + objective +
                                            "}\ndatabases: [{name: main, workload: ycsb-a, "
                                            "configuration: Baseline}]\n",
                                        "test.yaml", false);
    REQUIRE(limited);
    scenario->objective = limited->objective;
  }
  auto inputs = scenario_inputs(*scenario, machine(2), "7.8.3");
  REQUIRE(inputs);
  inputs->front().host.device = sim::DeviceLaws{{1e9, 1e6}, {1e9, 1e6}, 0, 0.1};
  const auto engine = engine_config("static", *scenario, scenario->databases.front(), 2);
  if (objective.empty()) CHECK(engine.objective.read_p99_seconds < 0.1);  // a tuner has one
  const auto figures = sim::simulate(inputs->front(), engine, 0);
  REQUIRE(figures);
  return figures->seconds_above_slo;
}

TEST_CASE("seconds are counted above the limits that the scenario has, and above no others") {
  CHECK(above_slo("read_p99: 5ms") == 4);
  CHECK(above_slo("") == 0);
  CHECK(above_slo("read_p99: 1s") == 0);
  CHECK(above_slo("update_p99: 20ms") == 0);
  CHECK(above_slo("read_p999: 5ms") == 0);  // not simulated
}

TEST_CASE("a host without a limiter gets the agent's, another one keeps its own") {
  for (const bool limited : {false, true}) {
    const auto scenario = one_database(limited ? "rate_limit: 1MB" : "rate_limit: 0", "");
    REQUIRE(scenario);
    const auto inputs = scenario_inputs(*scenario, machine(2), "7.8.3");
    REQUIRE(inputs);
    const sim::PlantOptions& options = inputs->front().options;
    CHECK((options.rate_limit > 0) == limited);
    CHECK(options.limit_flushes == limited);
    CHECK(options.l0_weight == (limited ? 0 : agent::FairBudget::kDefaultL0Weight));
  }
}

TEST_CASE("compaction that is not leveled is refused with its database") {
  const auto universal = one_database("compaction_style: universal", "");
  REQUIRE(universal);
  const auto inputs = scenario_inputs(*universal, machine(2), "7.8.3");
  REQUIRE_FALSE(inputs);
  CHECK(inputs.error().code == ErrorCode::kUnsupported);
  CHECK(inputs.error().message.find("database main: column family default") != std::string::npos);
}

TEST_CASE("what was loaded lies in levels that keep their targets but the last") {
  const auto scenario = load_scenario("write-burst", false);
  REQUIRE(scenario);
  const auto inputs = scenario_inputs(*scenario, machine(2), "7.8.3");
  REQUIRE(inputs);
  const std::vector<double>& levels = inputs->front().state.front().level_bytes;
  CHECK(std::accumulate(levels.begin(), levels.end(), 0.0) == Approx(156250.0 * 1016));
  CHECK(levels[0] == 0);
  CHECK(levels[1] == Approx(4 << 20));
  CHECK(levels[2] == Approx(40 << 20));
  CHECK(levels[3] > levels[2]);
}

Workload one_phase(KeyKind kind, std::int64_t records) {
  Workload workload;
  workload.records = records;
  workload.value_size = 1008;  // four to a block
  workload.phases.emplace_back();
  workload.phases[0].keys.kind = kind;
  return workload;
}

TEST_CASE("a cache misses what it has no room for") {
  const Workload uniform = one_phase(KeyKind::kUniform, 40000);
  const auto misses = [&](std::int64_t cache) {
    return simulated_miss_ratio(uniform, uniform.phases[0], 4096, cache);
  };
  CHECK(misses(std::int64_t{4096} * 2500) == Approx(0.75).margin(0.03));
  CHECK(misses(std::int64_t{4096} * 5000) == Approx(0.5).margin(0.03));
  CHECK(misses(std::int64_t{4096} * 20000) == Approx(0).margin(0.01));
  // Thinned out: the same shares of a hundred times as much.
  const Workload large = one_phase(KeyKind::kUniform, 4000000);
  CHECK(simulated_miss_ratio(large, large.phases[0], 4096, std::int64_t{4096} * 500000) ==
        Approx(0.5).margin(0.03));
  Workload hot = one_phase(KeyKind::kHotSet, 40000);
  hot.phases[0].keys.access_share = 0.9;
  hot.phases[0].keys.key_share = 0.1;
  // 1,000 blocks are hot; what else is read drives some of them out.
  CHECK(simulated_miss_ratio(hot, hot.phases[0], 4096, std::int64_t{4096} * 1200) ==
        Approx(0.17).margin(0.03));
}

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

TEST_CASE("a cache of gigabytes misses what it has no room for, too") {
  for (const std::int64_t gib : {8, 64}) {
    INFO(gib);
    const std::int64_t cache = gib * kGiB;
    const Workload twice = one_phase(KeyKind::kUniform, cache / 4096 * 2 * 4);
    CHECK(simulated_miss_ratio(twice, twice.phases[0], 4096, cache) == Approx(0.5).margin(0.03));
    CHECK(simulated_miss_ratio(twice, twice.phases[0], 4096, cache / 2) ==
          Approx(0.75).margin(0.03));
  }
  // All cached: nothing misses, however large the cache and however few the data.
  const Workload small = one_phase(KeyKind::kZipfian, 1'000'000);
  CHECK(simulated_miss_ratio(small, small.phases[0], 4096, 16 * kGiB) == 0);
  CHECK(simulated_miss_ratio(small, small.phases[0], 4096, kGiB) == 0);
}

TEST_CASE("what is read most never misses, whether a sample has it or not") {
  // An LRU cache of all blocks over 10 million of 20 million accesses: 0.557.
  const Workload large = one_phase(KeyKind::kZipfian, 10'000'000);
  CHECK(simulated_miss_ratio(large, large.phases[0], 4096, std::int64_t{4096} * 131072) ==
        Approx(0.557).margin(0.025));
}

TEST_CASE("a larger cache never misses more, in what becomes of a scenario either") {
  for (const char* cache : {"2GiB", "8GiB"}) {
    INFO(cache);
    const auto scenario = parse_scenario(
        "databases:\n  - name: main\n    workload: {records: 40000000, phases: [{name: run, "
        "seconds: 4, workload: C, distribution: uniform}]}\n    configuration: {block_cache: " +
            std::string(cache) + "}\n",
        "test.yaml", false);
    REQUIRE(scenario);
    const auto inputs = scenario_inputs(*scenario, machine(2), "7.8.3");
    REQUIRE(inputs);
    const sim::ReadLaws& reads = inputs->front().laws.reads;
    CHECK(reads.miss_ratio < 0.999);
    CHECK(reads.cache_exponent >= 0);
    CHECK(sim::miss_ratio(reads, 2 * reads.cache_bytes) <= reads.miss_ratio);
  }
}

}  // namespace
}  // namespace rocktune::scenario
