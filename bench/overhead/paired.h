// What pairs of runs say: each pair gives one ratio (with the agent over without), so that a
// machine whose speed drifts from minute to minute spoils neither. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace rocktune::bench {

// Median, least and most of the pairs' ratios. With seven pairs the median of all possible pairs
// lies between least and most with 98% confidence (1 - 2 * 0.5^7, whatever the distribution).
struct Spread {
  double median = 0;
  double least = 0;
  double most = 0;
  std::size_t pairs = 0;
};

// Nothing when `ratios` is empty.
std::optional<Spread> spread_of(std::vector<double> ratios);

enum class Better { kHigher, kLower };

// "met" or "missed", as the median has it; it is added when the spread covers the target, so that
// nothing is certain.
std::string verdict(const Spread& spread, double target, Better better);

}  // namespace rocktune::bench
