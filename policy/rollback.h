// Rollbacks: when a change of ours made things clearly worse, proposes the earlier value again. The
// guard judges that like everything else. Pure; bounded by the number of knobs; internal.
//
// A change is taken back when its outcome was worse by far, the load had not changed meanwhile, and
// the knob still stands where the change put it. What relieves a backlog is not taken away while
// the backlog lasts: then the backlog got worse in spite of the change, not because of it.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/decision.h"
#include "model/features.h"
#include "policy/outcomes.h"

namespace rocktune {

class Rollbacks {
 public:
  void consider(const Finished& finished, Nanoseconds now);
  // What is wanted in this step; each is offered for a minute, or until decided() or moot.
  std::vector<Proposal> propose(const Features& features, const std::vector<Indicator>& indicators);
  void decided(const Proposal& proposal);  // the guard allowed it
  void reset() { wanted_.clear(); }

 private:
  struct Wanted {
    Finished finished;
    Nanoseconds since{0};
  };
  std::map<std::pair<std::string, std::string>, Wanted> wanted_;
};

}  // namespace rocktune
