// How likely a limit is crossed within the horizon: a fixed, monotone function of how much of the
// limit is used and of the time that is left. Not calibrated.
//
//   level = logistic((use - 0.9) / 0.05)          0.5 when 90% is used: the static rule that
//                                                 catches every onset, late (L0 >= 0.9 * slowdown)
//   trust = clamp((use - 0.4) / 0.3, 0, 1)        hinges at 0.4 and 0.7 of the limit: far from it
//                                                 a rising flank is the normal saw-tooth of an LSM
//   flow  = 1 / (1 + (eta / horizon)^2)           0.5 when the limit is a horizon away
//   probability = 1 - (1 - level) * (1 - weight * trust * flow)
//
// `weight` is 1 for stocks (L0 files, pending bytes, memtables), which fill by what flows in, and
// 0.7 for levels (latencies, queues), which step from one state to another as easily as they rise:
// those warn on their course, and are critical only near the limit. The probability rises with use
// and falls with eta.
#pragma once

#include <optional>

namespace rocktune {

// Below this share of the limit a course says nothing about reaching it.
inline constexpr double kTrustFromUse = 0.4;

// `use`: value / limit, not negative. `eta_seconds`: absent when the value does not approach.
double crossing_probability(double use, std::optional<double> eta_seconds, double horizon_seconds,
                            double weight = 1);

// Seconds until `use` reaches 1 at `slope` per second; 0 when it has, absent when it never does.
std::optional<double> time_to_limit(double use, std::optional<double> slope);

}  // namespace rocktune
