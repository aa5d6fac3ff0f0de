// Gaps: whether nobody looked for a while, so that what held at the last look may not be said to
// have held ever since. The agent was gone, the daemon or the machine stood still. Told by the time
// between looks alone: no sample says that it is the first after an absence. Pure; internal to
// policy/.
#pragma once

#include <optional>

#include "model/clock.h"

namespace rocktune {

class Gaps {
 public:
  // One look, in the order of time. Seconds since the one before when that is a gap: more than 10 s
  // and more than three times what lay between the two before (polls may be a minute apart); else
  // 0.
  double look(Nanoseconds now) {
    constexpr double kLeastSeconds = 10, kTimes = 3;
    if (!last_ || now <= *last_) {
      if (!last_) last_ = now;
      return 0;
    }
    const double seconds = seconds_between(*last_, now);
    const bool gap = seconds > kLeastSeconds && seconds > kTimes * usual_seconds_;
    usual_seconds_ = seconds;
    last_ = now;
    return gap ? seconds : 0;
  }
  void reset() { *this = Gaps(); }

 private:
  std::optional<Nanoseconds> last_;
  double usual_seconds_ = 0;
};

// The time between two looks at a database, and whether nobody could see or change anything in it:
// it was not read, or nobody looked.
class Looks {
 public:
  struct Passed {
    Nanoseconds time{0};  // 0: the first look
    bool unseen = false;
  };
  // `fresh`: it was read.
  Passed look(Nanoseconds now, bool fresh) {
    const bool gap = gaps_.look(now) > 0;
    const Nanoseconds time = last_ && now > *last_ ? now - *last_ : Nanoseconds{0};
    last_ = now;
    return {time, gap || !fresh};
  }
  [[nodiscard]] const std::optional<Nanoseconds>& last() const { return last_; }
  void reset() { *this = Looks(); }

 private:
  std::optional<Nanoseconds> last_;
  Gaps gaps_;
};

}  // namespace rocktune
