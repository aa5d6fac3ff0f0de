#include "agent/limiter/wait_clock.h"

namespace rocktune::agent {
namespace {

class RealClock final : public WaitClock {
 public:
  [[nodiscard]] TimePoint now() const noexcept override { return std::chrono::steady_clock::now(); }
  void wait_until(std::condition_variable& condition, std::unique_lock<std::mutex>& lock,
                  TimePoint time) override {
    condition.wait_until(lock, time);
  }
};

}  // namespace

WaitClock& WaitClock::real() {
  static auto* const clock = new RealClock;  // databases may be closed after static destructors
  return *clock;
}

}  // namespace rocktune::agent
