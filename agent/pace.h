// Bounds what an expensive reading may cost: at most once a second, and 1/1000 of the time.
//
// Thread-safety: from one thread at a time.
#pragma once

#include <algorithm>
#include <chrono>

namespace rocktune::agent {

class Pace {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  [[nodiscard]] bool due(TimePoint now) const { return now >= next_; }
  void spent(TimePoint begin, TimePoint end) {
    constexpr std::chrono::seconds kLeast{1};
    next_ = begin + std::max<TimePoint::duration>(kLeast, 1000 * (end - begin));
  }
  // It took too long in one go: each time for twice as long.
  void pause(TimePoint from) {
    constexpr std::chrono::hours kLongest{24 * 365};
    next_ = from + pause_;
    pause_ = std::min<std::chrono::minutes>(2 * pause_, kLongest);
  }

 private:
  TimePoint next_{};
  std::chrono::minutes pause_{10};
};

}  // namespace rocktune::agent
