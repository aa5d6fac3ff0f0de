// GoneKnobs: what the guard remembers of a knob is forgotten some time after the knob is gone, so
// that it does not grow with every column family that a host has ever made and dropped. Pure;
// internal to policy/.
#pragma once

#include "model/decision.h"
#include "model/sample.h"
#include "policy/growing_rest.h"

namespace rocktune {

// As of one sample.
class GoneKnobs {
 public:
  GoneKnobs(const KnobReadings& knobs, Nanoseconds now) : knobs_(knobs), now_(now) {}

  // Not in the sample, and last used so long ago that nothing waits for it any more.
  [[nodiscard]] bool has(const KnobId& knob, Nanoseconds last_used) const {
    return seconds_between(last_used, now_) > kKeptSeconds &&
           knobs_.find(knob.first, knob.second) == nullptr;
  }

 private:
  // As long as the longest rest of a knob (policy/blame.h, policy/oscillation.h).
  static constexpr double kKeptSeconds = GrowingRest::kLongestSeconds;

  const KnobReadings& knobs_;
  Nanoseconds now_;
};

}  // namespace rocktune
