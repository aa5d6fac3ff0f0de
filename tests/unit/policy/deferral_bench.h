// A device that compactions fill beside reads, for tests of the deferral.
#pragma once

#include <algorithm>
#include <string_view>

#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

namespace rocktune::test {

inline void saturated(HeadroomBench& bench, AlertState state) {
  Indicator device;
  device.kind = IndicatorKind::kDeviceSaturation;
  device.valid = true;
  device.state = state;
  device.event = state != AlertState::kOk;
  bench.indicators = {device};
}

// Beside it the backlog is foreseen to reach its limit, by a model that has not proved itself.
inline Indicator& warn_of_backlog(HeadroomBench& bench) {
  Indicator backlog;
  backlog.kind = IndicatorKind::kCompactionBacklog;
  backlog.valid = true;
  backlog.state = AlertState::kCritical;
  backlog.cause = "l0";
  return bench.indicators.emplace_back(backlog);
}

inline void fill_device(HeadroomBench& bench) {
  bench.f.device_read_await_ms = 4;
  bench.f.running_compactions = 1;
  bench.f.read_p99_us = 12'000;
  saturated(bench, AlertState::kCritical);
}

inline void free_device(HeadroomBench& bench) {
  bench.f.device_read_await_ms = 0.2;
  bench.f.running_compactions = 0;
  bench.f.read_p99_us = 500;
  saturated(bench, AlertState::kOk);
}

// 30 MB/s of flushes and compactions fill the device; reads take 12 of 30 ms beside them.
// Most of it are flushes, so that it is not smoothed (policy/smoothing.h).
inline HeadroomBench filled(double flushes = 20e6) {
  HeadroomBench bench;
  bench.f.flush_bytes_per_second = flushes;
  bench.f.compaction_write_bytes_per_second = 30e6 - flushes;
  bench.objective.read_p99_seconds = 0.030;
  bench.f.knobs.edit()[0].found = kUnlimitedBytesPerSecond;
  bench.run(40, knob::kRateLimit);  // what the device takes at its idlest, and what writes cost
  fill_device(bench);
  return bench;
}

inline void fill_level0(HeadroomBench& bench, double files) {
  bench.f.l0_files = files;
  bench.f.l0_ratio = files / 20;
}

inline void limit(HeadroomBench& bench, const Proposal& proposal) {
  bench.set_limit(proposal.to, std::min(static_cast<double>(proposal.to), 30e6));
  KnobReading& limiter = bench.f.knobs.edit()[0];
  limiter.owner = proposal.to == limiter.found ? KnobOwner::kFound : KnobOwner::kRocktune;
}

inline Proposal next_limit(HeadroomBench& bench, double seconds, std::string_view rule) {
  CAPTURE(rule);
  const auto proposal = bench.run(seconds, knob::kRateLimit);
  REQUIRE(proposal);
  INFO(proposal->reason);
  CHECK(proposal->rule == rule);
  return *proposal;
}

inline HeadroomBench deferred() {
  HeadroomBench bench = filled();
  limit(bench, next_limit(bench, 8, "limiter.defer"));
  CHECK_FALSE(bench.run(1, knob::kRateLimit));
  return bench;
}

}  // namespace rocktune::test
