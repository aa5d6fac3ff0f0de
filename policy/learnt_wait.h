// LearntWait: how long to wait before something is given back. What was wanted again within a
// quarter of an hour went back too early: the next time it is waited for twice as long, up to four
// hours; later than that, it did not, and the time halves again. One mistake is learnt from once,
// however many steps the way back up takes. Pure; internal to policy/.
#pragma once

#include <algorithm>
#include <optional>

#include "model/clock.h"

namespace rocktune {

class LearntWait {
 public:
  // `factor`: instead of twice.
  explicit LearntWait(double least_seconds, double factor = 2)
      : least_seconds_(least_seconds), factor_(factor), seconds_(least_seconds) {}

  [[nodiscard]] double seconds() const { return seconds_; }
  void went_back(Nanoseconds now) { went_back_ = now; }
  void wanted(Nanoseconds now) {
    if (!went_back_) return;
    const bool too_early = seconds_between(*went_back_, now) < kTooEarlySeconds;
    seconds_ = too_early ? std::min(factor_ * seconds_, std::max(kLongestSeconds, least_seconds_))
                         : std::max(seconds_ / factor_, least_seconds_);
    went_back_.reset();
  }

 private:
  static constexpr double kTooEarlySeconds = 900, kLongestSeconds = 4 * 3600;
  double least_seconds_, factor_, seconds_;
  std::optional<Nanoseconds> went_back_;  // and nothing was learnt from it yet
};

}  // namespace rocktune
