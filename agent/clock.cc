#include "agent/clock.h"

#include <time.h>

namespace rocktune::agent {

Clock thread_cpu_time() {
  return [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::steady_clock::time_point(std::chrono::seconds(now.tv_sec) +
                                                 std::chrono::nanoseconds(now.tv_nsec));
  };
}

}  // namespace rocktune::agent
