// What the tests of headroom's buffers begin with.
#pragma once

#include <cstdint>

#include "tests/unit/policy/headroom_bench.h"

namespace rocktune::test {

// Writes that press: the device is busy with compactions.
inline HeadroomBench pressed(std::uint64_t flushes) {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, flushes);
  bench.f.running_compactions = 1;
  bench.f.device_queue = 30;
  bench.objective.first = Priority::kThroughput;
  return bench;
}

inline void miss(HeadroomBench& bench, double per_second) {
  bench.f.cache_misses_per_second = per_second;
  bench.f.device_read_iops = per_second + 100;  // compactions read, too
}

}  // namespace rocktune::test
