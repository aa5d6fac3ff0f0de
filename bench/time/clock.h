// The clock that operations are timed by, and sleeping until a moment of it.
#pragma once

#include "model/clock.h"

namespace rocktune::bench {

inline constexpr Nanoseconds kSecond = std::chrono::seconds(1);

Nanoseconds from_seconds(double seconds);

Nanoseconds monotonic_now();
// Uses the kernel's absolute timers; returns at once when the moment has passed.
void sleep_until(Nanoseconds tick);
// Lets this thread's sleeps end on time: the kernel otherwise adds up to 50 us to each.
void sharpen_sleep();

}  // namespace rocktune::bench
