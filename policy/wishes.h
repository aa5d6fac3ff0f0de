// What a loop asked for, and what became of it. Pure; internal to policy/.
#pragma once

#include <optional>

#include "policy/situation.h"

namespace rocktune {

// Whether a knob fell (or rose) because its loop asked for that, at the look before or a moment
// ago. What others do (an operator, a rollback, what other databases are due) is no mistake of the
// loop's to learn from.
class OwnWish {
 public:
  enum class Way { kDown, kUp };
  explicit OwnWish(Way way = Way::kDown) : way_(way) {}
  bool explains(Nanoseconds now) const { return asked_ || within(at_, now, kLastsSeconds); }
  // At the end of each look.
  void note(const std::optional<Proposal>& proposal, Nanoseconds now) {
    asked_ = proposal &&
             (way_ == Way::kDown ? proposal->to < proposal->from : proposal->to > proposal->from);
    if (asked_) at_ = now;
  }

 private:
  static constexpr double kLastsSeconds = 2;
  Way way_;
  bool asked_ = false;
  std::optional<Nanoseconds> at_;
};

// Whether a wish is held up by somebody else's word, a pin or a drift: it stands, or comes back
// within a pause, for so long, and nobody grants it.
class UngrantedWish {
 public:
  // At the end of each look; true once, then it begins anew.
  bool update(bool wishes, Nanoseconds now, double patience_seconds, double pause_seconds) {
    if (!within(last_, now, pause_seconds)) first_.reset();
    if (!wishes) return false;
    last_ = now;
    if (!first_) first_ = now;
    if (within(first_, now, patience_seconds)) return false;
    first_.reset();
    return true;
  }
  void granted() { first_.reset(); }

 private:
  std::optional<Nanoseconds> first_, last_;
};

}  // namespace rocktune
