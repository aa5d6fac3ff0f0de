// GrowingDebt: whether what waits for compaction grows all the same while background work never
// pauses: what slows it then, slows it too much, however far the debt is from its limits. Pure;
// internal to policy/.
#pragma once

#include "policy/situation.h"

namespace rocktune {

class GrowingDebt {
 public:
  // Call with every sample. `works`: it may not pause; `bytes`: that wait; `rate`: what passes,
  // bytes/s. True when ten seconds of work and more were added within a minute, until it pauses or
  // the next minute is over.
  bool update(bool works, const Value& bytes, double rate, Nanoseconds now) {
    const bool known = works && bytes;
    const double held = works_.update(known, now);
    if (!known) grows_ = false;
    if (held == 0) before_ = bytes;
    if (held < kLookSeconds) return grows_;
    grows_ = *bytes - *before_ >= kWorkAddedSeconds * rate;
    works_.reset();
    return grows_;
  }

 private:
  static constexpr double kLookSeconds = 60, kWorkAddedSeconds = 10;
  Held works_;
  Value before_;
  bool grows_ = false;
};

}  // namespace rocktune
