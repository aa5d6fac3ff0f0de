// GrowingDebt: whether what waits for compaction grows all the same while background work never
// pauses: what slows it then, slows it too much, however far the debt is from its limits. What
// waits rises with each flush and falls as a compaction ends, so the lows are compared: a
// compaction that takes longer than a minute says nothing before its end, but where smaller ones
// end beside it: then it may be taken for growth, which ends a pace. Pure; internal to policy/.
#pragma once

#include "policy/situation.h"

namespace rocktune {

class GrowingDebt {
 public:
  // Call with every sample. `works`: background work goes on, and no level was given another limit
  // lately; `rate`: what passes, bytes/s. True when a sixth and more of what passes was added
  // between two lows a minute apart, until it pauses, nobody looks, or the next low is known.
  bool update(bool works, const Features& features, double rate, Nanoseconds now);

 private:
  Held works_;
  Value low_, last_;  // bytes: where this look began, and in the last sample
  bool grows_ = false;
};

}  // namespace rocktune
