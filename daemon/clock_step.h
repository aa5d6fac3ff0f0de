// A step of the wall clock: whether it was set between two instants, as the monotonic one tells.
#pragma once

#include <optional>

#include "model/clock.h"

namespace rocktune::daemon {

// Seconds, negative where it was set back: by more than a minute, which is more than clocks are
// slewed by. A machine that was suspended looks the same. Absent: it went like the other one.
inline std::optional<double> clock_step(const Instant& older, const Instant& newer) {
  constexpr double kLeastStepSeconds = 60;
  const double step =
      seconds_between(older.wall, newer.wall) - seconds_between(older.tick, newer.tick);
  if (step <= kLeastStepSeconds && step >= -kLeastStepSeconds) return std::nullopt;
  return step;
}

}  // namespace rocktune::daemon
