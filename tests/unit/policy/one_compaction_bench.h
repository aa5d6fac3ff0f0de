// What the tests of one compaction at a time on a full device begin with.
#pragma once

#include <cstdint>
#include <utility>

#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

namespace rocktune::test {

// Two compactions at a time keep the device busy, and nobody stalls; `jobs` were found.
inline HeadroomBench full_device(std::int64_t jobs) {
  HeadroomBench bench;
  bench.objective.first = Priority::kThroughput;
  bench.budget.jobs_max = 16;
  bench.family(64 * kHeadroomMiB, 0);
  ColumnFamilyReading& family = bench.f.column_families[0];
  family.level0_slowdown_trigger = 20;
  family.level0_stop_trigger = 36;
  family.levels[0].files = 6;
  bench.f.knobs.edit()[1] = jobs_knob(jobs, jobs);
  for (const auto& [name, value] : {std::pair(knob::kL0Slowdown, 20), {knob::kBloomBits, 10}}) {
    KnobReading reading = knob_reading(name, value, value, 1, 4096);
    reading.column_family = "default";
    bench.f.knobs.edit().push_back(reading);
  }
  bench.f.reads_per_second = 5000;
  bench.f.writes_per_second = 5000;
  bench.run(10, knob::kBackgroundJobs);  // what the device takes at its idlest
  bench.f.device_read_await_ms = 3;
  bench.f.running_compactions = 2;
  return bench;
}

inline HeadroomBench spared() {
  HeadroomBench bench = full_device(4);
  const auto fewer = bench.run(10, knob::kBackgroundJobs);
  REQUIRE(fewer);
  CHECK(fewer->rule == "jobs.spared");
  CHECK(fewer->to == 2);
  bench.apply(*fewer);
  bench.f.running_compactions = 1;
  CHECK_FALSE(bench.run(30, knob::kBackgroundJobs));
  return bench;
}

inline void level0(HeadroomBench& bench, std::uint64_t files) {
  bench.f.column_families[0].levels[0].files = files;
  bench.f.l0_files = static_cast<double>(files);
  bench.f.l0_ratio =
      static_cast<double>(files) / static_cast<double>(bench.knob(knob::kL0Slowdown).value);
}

}  // namespace rocktune::test
