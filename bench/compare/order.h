// In which order the runs of a comparison are made: repeat by repeat, each policy once in each, in
// random order, so that whatever drifts on the machine meets all policies alike. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rocktune::bench {

struct PlannedRun {
  std::string policy;
  std::int64_t repeat = 1;  // from 1
  bool operator==(const PlannedRun&) const = default;
};

// Which of two policies comes first in a repeat depends on the seed, the repeat and their names
// alone: a comparison that is extended by repeats or policies keeps its order.
std::vector<PlannedRun> planned_runs(const std::vector<std::string>& policies, std::int64_t repeats,
                                     std::uint64_t seed);

}  // namespace rocktune::bench
