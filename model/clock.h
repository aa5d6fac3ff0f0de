// Two clocks read together: `wall` is for people and for joining logs, `tick` (monotonic) is the
// only one that durations are computed from. A Clock is a callable, so tests move time by hand.
#pragma once

#include <chrono>
#include <functional>

namespace rocktune {

using Nanoseconds = std::chrono::nanoseconds;

struct Instant {
  Nanoseconds wall{0};  // since the Unix epoch
  Nanoseconds tick{0};  // CLOCK_MONOTONIC
  bool operator==(const Instant&) const = default;
};

// Whether CLOCK_MONOTONIC can read this, and durations can be taken from it and put on it: from 0
// up, and a year from what 64 bits hold. Asked of what comes from outside.
constexpr bool is_tick(Nanoseconds tick) {
  return tick >= Nanoseconds{0} && tick < Nanoseconds::max() - std::chrono::hours(365 * 24);
}

using Clock = std::function<Instant()>;

// The difference in seconds of two ticks.
inline double seconds_between(Nanoseconds older, Nanoseconds newer) {
  return std::chrono::duration<double>(newer - older).count();
}

}  // namespace rocktune
