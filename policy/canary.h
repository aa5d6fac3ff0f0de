// Canaries: one change at a time in each loop. A change of a knob is held while another knob of the
// same loop, or the same knob of another column family, has a change whose effect is not judged
// yet: of two at once nobody could tell which did what. It is judged when its window is over, which
// goes on after time in which the database was not read, and ends after five minutes of that at a
// stretch (policy/outcomes.h).
//
// A loop is the part of a rule before the dot. A rollback counts as a change of the loop whose
// change it takes back. A change that expects nothing (a pin) is judged by nobody, and is none.
// Pure; bounded by the number of knobs; internal to policy/.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "model/decision.h"
#include "policy/gaps.h"
#include "policy/gone_knobs.h"

namespace rocktune {

class Canaries {
 public:
  // Once per sample, before all else; `fresh`: the database was read.
  void observe(Nanoseconds now, bool fresh);
  // An allowed change counts from its decision on; its window begins when it was applied.
  void decided(const Decision& decision, Nanoseconds now);
  void applied(const Decision& decision, Nanoseconds now);
  void not_applied(const Decision& decision);
  void judged(const std::string& decision_id);  // or its window was cut short
  void judged_again(const Decision& decision, Nanoseconds now);
  // Why the change has to wait: the canary's id and knob, and for how long. Absent when it has not.
  [[nodiscard]] std::optional<std::string> blocks(const Proposal& proposal, Nanoseconds now) const;
  void forget(const GoneKnobs& gone);
  void reset();
  [[nodiscard]] std::size_t remembered() const {
    return decided_.size() + applied_.size() + loops_.size();
  }

 private:
  struct Open {
    std::string id, loop;
    Nanoseconds since{0};
    double window_seconds = 0;
  };
  using Changes = std::map<KnobId, Open>;
  [[nodiscard]] std::string loop_for(const Proposal& proposal) const;
  static const Changes::value_type* other_of(const Changes& changes, const std::string& loop,
                                             const Proposal& proposal, Nanoseconds now);

  Changes decided_, applied_;  // of decided_ ended ones stay until the next change of the knob
  struct Loop {
    std::string name;
    Nanoseconds since{0};
  };
  std::map<KnobId, Loop> loops_;  // that changed the knob last
  Looks looks_;
  Nanoseconds absent_{0};  // as Outcomes::absent_
};

}  // namespace rocktune
