// GrowingRest: who did no good rests for ten minutes, or as long as it is told to at first; again
// within four hours of the end of that, for twice as long, up to four hours. Ten minutes is what
// the guard looks back for oscillation, four hours what the loops' own rests grow to
// (docs/control.md). Pure; internal to policy/.
#pragma once

#include <algorithm>
#include <optional>

#include "model/clock.h"

namespace rocktune {

class GrowingRest {
 public:
  static constexpr double kFirstSeconds = 600, kLongestSeconds = 4 * 3600;

  explicit GrowingRest(double first_seconds = kFirstSeconds) : first_seconds_(first_seconds) {}
  void begin(Nanoseconds now) {
    seconds_ = remembered(now) ? std::min(2 * seconds_, kLongestSeconds) : first_seconds_;
    since_ = now;
  }
  // 0: it does not rest.
  [[nodiscard]] double left_seconds(Nanoseconds now) const {
    return since_ ? std::max(0.0, seconds_ - seconds_between(*since_, now)) : 0;
  }
  [[nodiscard]] bool lasts(Nanoseconds now) const { return left_seconds(now) > 0; }
  // Another one would be longer.
  [[nodiscard]] bool remembered(Nanoseconds now) const {
    return since_ && seconds_between(*since_, now) < seconds_ + kLongestSeconds;
  }
  [[nodiscard]] bool is_first() const { return seconds_ <= first_seconds_; }
  [[nodiscard]] const std::optional<Nanoseconds>& since() const { return since_; }
  void reset() { *this = GrowingRest(first_seconds_); }

 private:
  double first_seconds_;
  std::optional<Nanoseconds> since_;
  double seconds_ = 0;
};

}  // namespace rocktune
