#include "bench/time/clock.h"

#include <sys/prctl.h>
#include <time.h>

#include <cerrno>
#include <cmath>

namespace rocktune::bench {

Nanoseconds from_seconds(double seconds) {
  return Nanoseconds(std::llround(seconds * 1e9));
}

Nanoseconds monotonic_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::chrono::seconds(now.tv_sec) + Nanoseconds(now.tv_nsec);
}

void sleep_until(Nanoseconds tick) {
  const timespec until{static_cast<time_t>(tick.count() / 1'000'000'000),
                       static_cast<long>(tick.count() % 1'000'000'000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

void sharpen_sleep() {
  prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
}

}  // namespace rocktune::bench
