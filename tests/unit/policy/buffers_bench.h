// What the tests of headroom's buffers begin with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

// The rule of the first proposal for the cache within that time; empty: there was none.
inline std::string first_cache_rule(HeadroomBench& bench, double seconds) {
  for (int i = 0; i < static_cast<int>(seconds * 2); ++i) {
    for (const Proposal& proposal : bench.tick()) {
      if (proposal.knob == knob::kCacheCapacity) return proposal.rule;
    }
  }
  return "";
}

// Every trade of memory in that time is granted; their rules, in turn.
inline std::vector<Proposal> traded(HeadroomBench& bench, double seconds) {
  std::vector<Proposal> all;
  for (int i = 0; i < static_cast<int>(seconds * 2); ++i) {
    for (const Proposal& proposal : bench.tick()) {
      if (proposal.knob != knob::kCacheCapacity && proposal.knob != knob::kWriteBufferSize)
        continue;
      all.push_back(proposal);
      bench.apply(proposal);
    }
  }
  return all;
}

// ...and by which rules.
inline std::vector<std::string> trade(HeadroomBench& bench, double seconds) {
  std::vector<std::string> rules;
  for (const Proposal& proposal : traded(bench, seconds)) rules.push_back(proposal.rule);
  return rules;
}

}  // namespace rocktune::test
