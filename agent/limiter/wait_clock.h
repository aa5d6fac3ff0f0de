// The time by which the rate limiter waits; a test has one of its own, moved by hand.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace rocktune::agent {

class WaitClock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  virtual ~WaitClock() = default;
  [[nodiscard]] virtual TimePoint now() const noexcept = 0;
  // Until notified or that time; may return earlier.
  virtual void wait_until(std::condition_variable& condition, std::unique_lock<std::mutex>& lock,
                          TimePoint time) = 0;

  // The machine's monotonic clock. Never destroyed.
  static WaitClock& real();
};

}  // namespace rocktune::agent
