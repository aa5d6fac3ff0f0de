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

// Changes of the limit are probes where it is open what slows reads: after so many steps in a row,
// each given its time, their P99 has to be lower by this share, or it was something else.
inline constexpr int kProbeSteps = 3;
inline constexpr double kLeastProbeGain = 0.05;
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
