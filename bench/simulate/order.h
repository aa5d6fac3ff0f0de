// Does the simulator put policies into the order in which a real RocksDB puts them? Kendall's tau
// over the pairs of policies that the real runs tell apart. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/report/statistics.h"

namespace rocktune::bench {

// One figure of one policy, on both sides.
struct OrderedPolicy {
  std::string policy;
  report::ByRepeat recorded;      // real runs that took turns; not empty
  std::vector<double> simulated;  // by seed; not empty
};

// Two simulated figures that lie within this of each other, as a ratio, are a tie. So are two
// recorded ones that lie within what runs of one policy may differ by (report::kMostSpread), and
// those whose ratio's interval holds 1.
inline constexpr double kOrderTieRatio = 0.01;

// Of pairs that the recorded runs tell apart: those in the same order, in the other one, and those
// that are a tie in the simulator.
struct PairCount {
  std::size_t same = 0, other = 0, tied = 0;

  [[nodiscard]] std::size_t pairs() const { return same + other + tied; }
  // (same - other) / pairs: 1 the same order, -1 the opposite one. Absent where there is no pair.
  [[nodiscard]] std::optional<double> tau() const;
  PairCount& operator+=(const PairCount& more);
};

// `least` is added to all figures: what is smaller than it does not count.
PairCount count_pairs(const std::vector<OrderedPolicy>& policies, double least);

}  // namespace rocktune::bench
