// Peace: ten minutes in which nobody was in trouble and no reads were slow. What is then only worth
// a try waits until ten minutes after the last change: a steady load sees one experiment at a time,
// and the change that ends it. docs/control.md, "One at a time". Pure; internal to policy/.
#pragma once

#include <optional>

#include "policy/situation.h"

namespace rocktune {

class Peace {
 public:
  // Call with every sample; true while a try has to wait.
  bool update(const Situation& situation) {
    const Nanoseconds now = situation.now;
    const bool uneasy = situation.trouble || situation.reads_slow || situation.memory_low;
    if (uneasy || !uneasy_at_) uneasy_at_ = now;
    const bool changed = !(situation.features.knobs == knobs_);
    if (changed) changed_at_ = now;
    knobs_ = situation.features.knobs;
    return !within(uneasy_at_, now, kSeconds) && within(changed_at_, now, kSeconds);
  }

 private:
  static constexpr double kSeconds = 600;
  std::optional<Nanoseconds> uneasy_at_, changed_at_;
  KnobReadings knobs_;  // as last seen
};

}  // namespace rocktune
