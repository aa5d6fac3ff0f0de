// What the parts of the limiter's loop have in common. Internal to policy/.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/knobs.h"
#include "policy/guard_limits.h"
#include "policy/situation.h"

namespace rocktune {

inline constexpr double kLimiterEvaluationSeconds = 15;
// Lowerings of less than this share are not worth a change.
inline constexpr double kLimiterDeadBand = 0.03;

// The device's queue and the reads' P99 answer a change within this time, level 0 a raise.
inline constexpr double kLimiterShowsSeconds = 15;
// Within this time their P99, as the situation has it, answers a change...
inline double shows_seconds(Side side) {
  return side == Side::kReads ? kLimiterShowsSeconds : kSlowWritesSeconds;
}

// ...and over the second half of this one it is judged.
inline double evaluation_seconds(Side side) {
  return side == Side::kReads ? kLimiterEvaluationSeconds : 2 * kSlowWritesSeconds;
}

// Far from any backlog for so long before it is lowered.
inline constexpr double kLimiterComfortSeconds = 10;
// Compactions that work about half of the time have this many times what is needed...
inline constexpr double kPaceMargin = 2;
// ...and a change that is to spread them, or to end that a limit is raised, moves it by this
// factor.
inline constexpr double kLeastSpread = 2;
// Ours, of a limit for reads on a full device: they are far from their SLO below this share of it,
// and when they have been so for so long while it binds there is room for more; what it was for is
// gone when it has not bound for so long.
inline constexpr double kFarFromSlo = 0.1, kFarSeconds = 30, kGoneSeconds = 300;
inline constexpr std::string_view kFutileRaisesRule = "limiter.runs_futile";

// A limit above nearly all that passes is none.
inline std::int64_t raised_rate(double rate, const Situation& situation) {
  if (rate >= nearly_unlimited(situation.passed_peak)) return kUnlimitedBytesPerSecond;
  return static_cast<std::int64_t>(std::ceil(rate));
}

inline std::string shown_rate(std::int64_t rate) {
  return shown(*find_knob(knob::kRateLimit), rate);
}

}  // namespace rocktune
