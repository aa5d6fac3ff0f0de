// GrowingRest: who did no good rests for ten minutes; again within four hours of the end of that,
// for twice as long, up to four hours. Ten minutes is what the guard looks back for oscillation,
// four hours what the loops' own rests grow to (docs/control.md). Pure; internal to policy/.
#pragma once

#include <algorithm>
#include <optional>

#include "model/clock.h"

namespace rocktune {

class GrowingRest {
 public:
  void begin(Nanoseconds now) {
    seconds_ = remembered(now) ? std::min(2 * seconds_, kLongestSeconds) : kFirstSeconds;
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
  [[nodiscard]] bool is_first() const { return seconds_ <= kFirstSeconds; }
  [[nodiscard]] const std::optional<Nanoseconds>& since() const { return since_; }
  void reset() { *this = GrowingRest(); }

 private:
  static constexpr double kFirstSeconds = 600, kLongestSeconds = 4 * 3600;
  std::optional<Nanoseconds> since_;
  double seconds_ = 0;
};

}  // namespace rocktune
