#include "bench/run/result.h"

#include "tests/support/catch.h"

using rocktune::bench::Counters;
using rocktune::bench::Interval;
using rocktune::bench::interval_json;
using rocktune::bench::PhaseResult;
using rocktune::bench::result_json;
using rocktune::bench::RunResult;
using rocktune::bench::total_of;
using rocktune::scenario::Mix;
using rocktune::scenario::Operation;
using std::chrono::microseconds;

namespace {

Interval two_seconds(int reads, int updates) {
  Interval interval;
  interval.seconds = 2;
  for (int i = 0; i < reads; ++i) interval.latencies.of[0].record(microseconds(100));
  for (int i = 0; i < updates; ++i) interval.latencies.of[1].record(microseconds(300));
  interval.counters.stall_us = 500000;
  interval.counters.user_bytes_written = 1000;
  interval.counters.flush_bytes_written = 1000;
  interval.counters.compaction_bytes_written = 2500;
  interval.counters.cache_hits = 30;
  interval.counters.cache_misses = 10;
  interval.gauges.pending_compaction_bytes = 4096;
  interval.gauges.l0_files = 3;
  interval.gauges.rate_limit_bytes_per_second = 12500000;
  return interval;
}

RunResult two_phases() {
  RunResult result;
  result.started = "2026-01-31T12:00:00Z";
  result.scenario.name = "one";
  result.scenario.objective.limits = {
      {"read_p99", Operation::kRead, "p99_us", std::chrono::milliseconds(5)}};
  result.scenario.databases.push_back({"front", {}, {}});
  result.databases.push_back({"/db/front", "off", {}});
  for (const int reads : {10, 30}) {
    PhaseResult phase;
    phase.phase.name = "p";
    phase.phase.seconds = 2;
    phase.phase.mix = Mix::of(0.5, 0.5);
    phase.total = two_seconds(reads, 10);
    phase.per_second.push_back(interval_json(phase.total));
    result.databases[0].phases.push_back(std::move(phase));
  }
  return result;
}

}  // namespace

TEST_CASE("an interval's JSON", "[bench][result]") {
  const auto document = interval_json(two_seconds(300, 100));
  CHECK(document["ops_per_second"] == 200.0);
  CHECK(document["operations_done"] == 400);
  CHECK(document["operations"].size() == 2);  // no read-modify-writes, hence no such key
  CHECK(document["operations"]["read"]["count"] == 300);
  CHECK(document["operations"]["read"]["ops_per_second"] == 150.0);
  for (const char* key : {"mean_us", "p50_us", "p95_us", "p99_us", "p999_us", "max_us"}) {
    CHECK(document["operations"]["update"][key].get<double>() == Approx(300).epsilon(0.016));
  }
  CHECK(document["stall_seconds"] == 0.5);
  CHECK(document["write_amplification"] == 3.5);
  CHECK(document["cache_hit_ratio"] == 0.75);
  CHECK(document["l0_files"] == 3);
  CHECK(document["knobs"]["rate_limiter_bytes_per_second"] == 12500000);
}

TEST_CASE("what was never begun is late, and was not done", "[bench][result]") {
  Interval interval = two_seconds(90, 0);
  interval.never_started = 10;
  for (int i = 0; i < 10; ++i) interval.waiting.of[0].record(std::chrono::seconds(1));
  interval.waiting.of[1].record(std::chrono::seconds(2));
  const auto document = interval_json(interval);
  CHECK(document["operations_done"] == 90);
  const auto& reads = document["operations"]["read"];
  CHECK(reads["count"] == 90);
  CHECK(reads["ops_per_second"] == 45.0);
  CHECK(reads["p50_us"].get<double>() == Approx(100).epsilon(0.016));
  CHECK(reads["p95_us"].get<double>() == Approx(1e6).epsilon(0.016));
  CHECK(document["operations"]["update"]["count"] == 0);  // none was begun at all
  CHECK(document["operations"]["update"]["p99_us"].get<double>() == Approx(2e6).epsilon(0.016));
}

TEST_CASE("what cannot be computed is null, not zero", "[bench][result]") {
  Interval interval = two_seconds(1, 0);
  interval.counters = Counters{};
  const auto document = interval_json(interval);
  CHECK(document["write_amplification"].is_null());
  CHECK(document["cache_hit_ratio"].is_null());
}

TEST_CASE("the whole is the sum of its phases", "[bench][result]") {
  const RunResult result = two_phases();
  const Interval total = total_of(result.databases[0].phases);
  CHECK(total.seconds == 4);
  CHECK(total.latencies.count() == 60);
  CHECK(total.counters.stall_us == 1000000);
  CHECK(total.counters.cache_hits == 60);
  const auto document = result_json(result);
  CHECK(document["databases"][0]["total"]["ops_per_second"] == 15.0);
}

TEST_CASE("without a rate the latency at any moment stands beside the others", "[bench][result]") {
  RunResult result = two_phases();
  auto& phases = result.databases[0].phases;
  const auto paced = interval_json(total_of(phases));
  CHECK_FALSE(paced["operations"]["read"].contains("any_moment_p99_us"));
  auto& moments = phases[1].total.any_moment;
  for (int i = 0; i < 90; ++i) moments.of[0].record(std::chrono::milliseconds(50));
  const auto unpaced = interval_json(phases[1].total)["operations"];
  CHECK(unpaced["read"]["any_moment_p99_us"].get<double>() == Approx(50e3).epsilon(0.016));
  CHECK(unpaced["read"]["p99_us"].get<double>() == Approx(100).epsilon(0.016));
  CHECK_FALSE(unpaced["update"].contains("any_moment_p99_us"));
  // Of the whole, that of the phases that have it.
  CHECK(total_of(phases).any_moment.of[0].count() == 90);
}

TEST_CASE("the result document", "[bench][result]") {
  RunResult result = two_phases();
  auto document = result_json(result);
  CHECK(document["schema"] == "rocktune-bench/2");
  CHECK(document["scenario"]["name"] == "one");
  CHECK(document["objective"]["limits"][0]["metric"] == "read_p99");
  CHECK(document["objective"]["limits"][0]["limit_us"] == 5000.0);
  CHECK(document["objective"]["memory_bytes"].is_null());
  CHECK(document["device"]["label"] == "real device");
  CHECK(document["device"]["profile"].is_null());
  CHECK(document["device"]["total"].is_null());
  CHECK(document["partial"] == false);
  CHECK(document["partial_reason"].is_null());
  REQUIRE(document["databases"].size() == 1);
  const auto& database = document["databases"][0];
  CHECK(database["name"] == "front");
  CHECK(database["path"] == "/db/front");
  REQUIRE(database["phases"].size() == 2);
  CHECK(database["phases"][0]["target_ops_per_second"].is_null());
  CHECK(database["phases"][0]["rate"] == "as fast as possible");
  CHECK(database["phases"][0]["proportions"].size() == 2);  // what a phase does not do is left out
  CHECK(database["phases"][0]["per_second"].size() == 1);
  CHECK(database["phases"][1]["total"]["operations"]["read"]["count"] == 30);

  result.device.label = "emulated device";
  result.device.profile.emplace();
  result.partial = true;
  result.partial_reason = "stopped by a signal";
  document = result_json(result);
  CHECK(document["device"]["label"] == "emulated device");
  CHECK(document["device"]["profile"].is_object());
  CHECK(document["partial"] == true);
  CHECK(document["partial_reason"] == "stopped by a signal");
}

TEST_CASE("a run that was stopped before its first phase is a result, too", "[bench][result]") {
  RunResult result = two_phases();
  result.databases[0].phases.clear();
  result.databases[0].agent.clear();
  result.partial = true;
  const auto document = result_json(result);
  CHECK(document["databases"][0]["phases"].empty());
  CHECK(document["databases"][0]["agent"].is_null());
  CHECK(document["databases"][0]["total"]["operations_done"] == 0);
}

TEST_CASE("the mean rate of a ramp is its phase's target", "[bench][result]") {
  RunResult result = two_phases();
  result.databases[0].phases[0].phase.rate = {1000, 3000, {}};
  const auto document = result_json(result);
  CHECK(document["databases"][0]["phases"][0]["target_ops_per_second"] == 2000.0);
  CHECK(document["databases"][0]["phases"][0]["rate"] == "1000 to 3000");
}

TEST_CASE("several column families have figures of their own", "[bench][result]") {
  Interval interval = two_seconds(30, 10);
  CHECK_FALSE(interval_json(interval).contains("families"));
  interval.families.push_back({"hot", interval.latencies, {}, 5000});
  interval.families.push_back({"cold", {}, {}, 0});
  interval.families[1].gauges.l0_files = 2;
  const auto document = interval_json(interval);
  CHECK(document["families"]["hot"]["operations"]["read"]["count"] == 30);
  CHECK(document["families"]["hot"]["flush_and_compaction_bytes_written"] == 5000);
  CHECK(document["families"]["cold"]["operations_done"] == 0);
  CHECK(document["families"]["cold"]["l0_files"] == 2);
}
