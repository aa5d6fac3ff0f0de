// What pairs of runs say: each pair gives one ratio (with the agent over without), so that a
// machine whose speed drifts from minute to minute spoils neither. Pure.
#pragma once

#include <string>

#include "bench/report/statistics.h"

namespace rocktune::bench {

// Of the pairs' ratios. With seven pairs the median of all possible pairs lies between least and
// most with 98% confidence (1 - 2 * 0.5^7, whatever the distribution).
using Spread = report::Range;

enum class Better { kHigher, kLower };

// "met" or "missed", as the median has it; it is added when the spread covers the target, so that
// nothing is certain.
std::string verdict(const Spread& spread, double target, Better better);

}  // namespace rocktune::bench
