// Peace: ten minutes without a gap in which nobody was in trouble, no reads were slow and memory
// was not low. What is then only worth a try waits until nothing has been changed for ten minutes,
// and begins alone: a steady load sees one experiment at a time, and the change that ends it.
// docs/control.md, "One at a time". Pure; internal to policy/.
#pragma once

#include <cstddef>
#include <vector>

#include "policy/situation.h"

namespace rocktune {

// A limiter that somebody else turns may be turned again and again (a host's that tunes itself):
// nobody waits for ever.
bool turned_by_others(const KnobReading& before, const KnobReading& now);

class Peace {
 public:
  // Call with every sample.
  void observe(const Situation& situation);
  // A knob has another value than in the sample before.
  [[nodiscard]] bool changed() const { return changed_; }
  // In peace a try has to wait: something was changed lately, or another one is being measured.
  [[nodiscard]] bool settles(bool measures) const { return peaceful_ && (!quiet_ || measures); }
  // Of several tries at once one is left, in peace; another one with each sample, so that one that
  // the guard holds keeps no other waiting.
  void leave_one_try(std::vector<Proposal>& proposals);

 private:
  Held ease_, stillness_;
  bool changed_ = false, peaceful_ = false, quiet_ = false;
  std::size_t turn_ = 0;
  KnobReadings knobs_;  // as last read
};

}  // namespace rocktune
