// GrowingDebt: whether what waits for compaction grows all the same while background work never
// pauses: what slows it then, slows it too much, however far the debt is from its limits. Pure;
// internal to policy/.
#pragma once

#include "policy/situation.h"

namespace rocktune {

class GrowingDebt {
 public:
  // Call with every sample. `works`: background work goes on; `bytes`: that wait; `rate`: what
  // passes, bytes/s, absent or 0 where that is not known. True when ten seconds of work and more
  // were added in a minute, until it pauses, nobody looks, or the next minute is over.
  bool update(bool works, const Value& bytes, const Value& rate, Nanoseconds now) {
    const double held = works_.update(works && bytes && rate && *rate > 0, now);
    if (held == 0) {
      grows_ = false;
      before_ = bytes;
    }
    if (held < kLookSeconds) return grows_;
    grows_ = *bytes - *before_ >= kWorkAddedSeconds * *rate;
    before_ = bytes;
    works_.reset();
    works_.update(true, now);  // the next minute begins here
    return grows_;
  }

 private:
  static constexpr double kLookSeconds = 60, kWorkAddedSeconds = 10;
  Held works_;
  Value before_;
  bool grows_ = false;
};

}  // namespace rocktune
