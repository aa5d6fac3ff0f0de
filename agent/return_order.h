// In which order values go back when a lease has expired: protections first.
//
// What takes load off the machine goes before what puts load on it. First
// memory, since a lack of it ends the process; then the device, whose
// saturation stalls every request; then CPU; then the rest (limits and shapes
// of the LSM tree, and all that takes more of the machine than now). Values
// that relate to each other (a bundle of the catalogue) return in one call,
// with the most urgent of them: the found ones are right among themselves, a
// half of them may not be. Of equal ones those go first that RocksDB cannot
// keep waiting.
//
// Thread-safety: all functions.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "agent/knob.h"

namespace rocktune::agent {

struct ReturnStep {
  std::shared_ptr<KnobGroup> group;  // null: there is nothing to return
  std::vector<Knob*> knobs;          // all of the group that go in this step
  Relief relief = Relief::kNone;     // what they bring
};

// The next step for what `holder` set and nobody has undone, among these
// groups, but for knobs that have one of the states in `but`.
ReturnStep next_return(const std::vector<std::shared_ptr<KnobGroup>>& groups,
                       KnobState::Holder holder, const std::set<const KnobState*>& but = {});

}  // namespace rocktune::agent
