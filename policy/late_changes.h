// LateChanges: changes that were reported as failed, and are made all the same. An agent that does
// not answer in time (its process is stopped, its disk hangs) may still have the request: it
// carries it out when it goes on. Such a change counts like any other: for the dwell, the change
// budget and the canary, and it is judged. Pure; bounded by the number of knobs; internal to
// policy/.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "model/decision.h"
#include "model/features.h"

namespace rocktune {

class LateChanges {
 public:
  // A request that waited is read first when the agent's process goes on.
  static constexpr double kDoubtSeconds = 10;
  void failed(const Decision& decision);
  // Another change of the knob was made since: nobody could tell the two apart.
  void made(const Proposal& proposal) { doubts_.erase(knob_of(proposal)); }
  // Those of which this sample shows that they were made: the knob stands where the change was to
  // put it, by nobody else's hand. Asked for until 10 s of samples have shown otherwise.
  std::vector<Decision> found(const Features& features);
  void reset() { doubts_.clear(); }

 private:
  struct Doubt {
    Decision decision;
    std::optional<Nanoseconds> looked;  // first, since it failed
  };
  static constexpr std::size_t kMost = 4;  // of one knob: each may wait in the agent
  std::map<KnobId, std::vector<Doubt>> doubts_;
};

}  // namespace rocktune
