#include "scenario/engine.h"

#include "policy/policy.h"
#include "tests/support/catch.h"

namespace rocktune::scenario {
namespace {

Scenario parsed(const std::string& text) {
  auto scenario = parse_scenario(text, "test.yaml", false);
  if (!scenario) FAIL(scenario.error().message);
  return *scenario;
}

const char* const kOne = R"(
objective: {read_p99: 5ms, update_p99: 20ms, memory: 64MiB, jobs: 4}
device: nvme-p41
scale: 64
databases:
  - name: main
    workload: {records: 1000, phases: [{name: run, seconds: 4, workload: A}]}
    configuration: {block_cache: 1GiB, write_buffer_size: 512MiB}
)";

const char* const kTwo = R"(
device: nvme-p41
scale: 64
databases:
  - name: front
    workload: {records: 1000, phases: [{name: run, seconds: 4, workload: B}]}
    configuration: Baseline
  - name: back
    workload: {records: 1000, phases: [{name: run, seconds: 4, workload: A}]}
    configuration: Baseline
)";

TEST_CASE("a simulated engine gets what the daemon's would", "[scenario]") {
  const Scenario one = parsed(kOne);
  const EngineConfig config = engine_config("headroom", one, one.databases.front(), 2);
  CHECK(config.policy == "headroom");
  CHECK(config.objective.read_p99_seconds == 0.005);
  CHECK(config.objective.write_p99_seconds == 0.020);
  CHECK(config.budget.jobs_max == 4);
  CHECK(config.budget.rate_limit_min.value == 163840);
  REQUIRE(config.budget.memory_max);
  CHECK(config.budget.memory_max->value == 67108864);
  const Scenario two = parsed(kTwo);
  const EngineConfig other = engine_config("silk", two, two.databases.front(), 2);
  CHECK(other.objective.first == Priority::kThroughput);
  CHECK(other.objective.read_p99_seconds == rocktune::Objective{}.read_p99_seconds);
  CHECK_FALSE(other.budget.memory_max);
  CHECK(other.policy_params == peer_params("silk", two));
}

TEST_CASE("the peers get their published constants at the scenario's scale", "[scenario]") {
  const Scenario one = parsed(kOne);  // a 64th of nvme-p41
  CHECK(peer_params("write-amp-limiter", one) ==
        PolicyParams{{"rate_limit_max_bytes_per_second", 101562500}, {"scale", 64}});
  CHECK(peer_params("rocksdb-auto-tuned", one) ==
        PolicyParams{{"rate_limit_max_bytes_per_second", 101562500}});
  CHECK(peer_params("adoc", one) ==
        PolicyParams{{"memtable_min_bytes", 1 << 20}, {"memtable_max_bytes", 8 << 20}});
  CHECK(peer_params("headroom", one).empty());
  for (const std::string& policy : policy_names()) {
    CAPTURE(policy);
    CHECK(make_policy(policy, peer_params(policy, one)));
  }
}

TEST_CASE("no budget is below what is configured", "[scenario]") {
  Scenario one = parsed(kOne);  // 16 MiB of cache and two buffers of 8
  const auto& database = one.databases.front();
  one.objective.memory_bytes = 8 << 20;
  CHECK(memory_share(one, database) == 32 << 20);
  CHECK(engine_config("headroom", one, database, 4).budget.memory_max->value == 32 << 20);
  one.objective.memory_bytes = 64 << 20;
  CHECK(memory_share(one, database) == 64 << 20);
}

TEST_CASE("jobs that are not stated are the machine's CPUs, at least two", "[scenario]") {
  const Scenario two = parsed(kTwo);
  CHECK(jobs_share(two, 8) == 8);
  CHECK(jobs_share(two, 1) == 2);
  CHECK(jobs_share(parsed(kOne), 8) == 4);
  const auto engines = engine_configs("headroom", two, 8);
  REQUIRE(engines);
  REQUIRE(engines->size() == 2);
  CHECK(engines->back().budget.jobs_max == 8);
  CHECK(engines->back().prior != nullptr);
}

}  // namespace
}  // namespace rocktune::scenario
