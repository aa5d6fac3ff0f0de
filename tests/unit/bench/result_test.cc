#include "bench/run/result.h"

#include "tests/support/catch.h"

using rocktune::bench::Counters;
using rocktune::bench::Interval;
using rocktune::bench::interval_json;
using rocktune::bench::Phase;
using rocktune::bench::PhaseResult;
using rocktune::bench::result_json;
using rocktune::bench::RunResult;
using rocktune::bench::total_of;
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
  for (const int reads : {10, 30}) {
    PhaseResult phase;
    phase.phase = Phase{"p", 2, {0.5, 0.5, 0}, 0, {}};
    phase.total = two_seconds(reads, 10);
    phase.per_second.push_back(interval_json(phase.total));
    result.phases.push_back(std::move(phase));
  }
  return result;
}

}  // namespace

TEST_CASE("an interval's JSON", "[bench][result]") {
  const auto json = interval_json(two_seconds(300, 100));
  CHECK(json["ops_per_second"] == 200.0);
  CHECK(json["operations_done"] == 400);
  CHECK(json["operations"].size() == 2);  // no read-modify-writes, hence no such key
  CHECK(json["operations"]["read"]["count"] == 300);
  CHECK(json["operations"]["read"]["ops_per_second"] == 150.0);
  for (const char* key : {"mean_us", "p50_us", "p95_us", "p99_us", "p999_us", "max_us"}) {
    CHECK(json["operations"]["update"][key].get<double>() == Approx(300).epsilon(0.016));
  }
  CHECK(json["stall_seconds"] == 0.5);
  CHECK(json["write_amplification"] == 3.5);
  CHECK(json["cache_hit_ratio"] == 0.75);
  CHECK(json["l0_files"] == 3);
  CHECK(json["knobs"]["rate_limiter_bytes_per_second"] == 12500000);
}

TEST_CASE("what cannot be computed is null, not zero", "[bench][result]") {
  Interval interval = two_seconds(1, 0);
  interval.counters = Counters{};
  const auto json = interval_json(interval);
  CHECK(json["write_amplification"].is_null());
  CHECK(json["cache_hit_ratio"].is_null());
}

TEST_CASE("the whole is the sum of its phases", "[bench][result]") {
  const RunResult result = two_phases();
  const Interval total = total_of(result);
  CHECK(total.seconds == 4);
  CHECK(total.latencies.count() == 60);
  CHECK(total.counters.stall_us == 1000000);
  CHECK(total.counters.cache_hits == 60);
  const auto json = result_json(result);
  CHECK(json["total"]["ops_per_second"] == 15.0);
}

TEST_CASE("the result document", "[bench][result]") {
  RunResult result = two_phases();
  auto json = result_json(result);
  CHECK(json["schema"] == "rocktune-bench/1");
  CHECK(json["label"] == "real device");
  CHECK(json["device"].is_null());
  CHECK(json["partial"] == false);
  CHECK(json["partial_reason"].is_null());
  REQUIRE(json["phases"].size() == 2);
  CHECK(json["phases"][0]["target_ops_per_second"].is_null());
  CHECK(json["phases"][0]["per_second"].size() == 1);
  CHECK(json["phases"][1]["total"]["operations"]["read"]["count"] == 30);

  result.device.emplace();
  result.partial = true;
  result.partial_reason = "stopped by a signal";
  json = result_json(result);
  CHECK(json["label"] == "emulated device");
  CHECK(json["device"]["label"] == "emulated device");
  CHECK(json["partial"] == true);
  CHECK(json["partial_reason"] == "stopped by a signal");
}
