// Oscillation: a knob that is moved to and fro is steadied, in three stages. Pure; bounded by the
// number of knobs; internal to policy/.
//
//   detected   a change would be the third reversal of direction within ten minutes: it is held
//   widened    each detection of the last hour doubles the least step of the knob (from 5% of its
//              value, at least one unit): smaller changes are held
//   frozen     the third detection within an hour holds the knob for 30 minutes; the next time
//              within four hours for twice as long, up to four hours
//
// Always free: raising the limiter, and moving another knob towards the value found. Pins and
// rollbacks are not asked (policy/guard.cc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/decision.h"
#include "policy/gone_knobs.h"
#include "policy/growing_rest.h"

namespace rocktune {

class Oscillation {
 public:
  // An allowed change, and one that turned out not to have been made.
  void moved(const Proposal& proposal, Nanoseconds now);
  void undo(const Proposal& proposal);
  // Why the change, clamped to `value`, has to wait; absent when it has not. Notes a detection.
  std::optional<std::string> blocks(const Proposal& proposal, std::int64_t value,
                                    std::int64_t found, Nanoseconds now);
  // What was detected since the last call.
  std::vector<GuardNote> take_notes();
  void forget(const GoneKnobs& gone);
  void reset();
  [[nodiscard]] std::size_t remembered() const { return knobs_.size(); }

 private:
  static constexpr double kFirstFreezeSeconds = 1800;
  struct Move {
    Nanoseconds tick{0};
    bool up = false;
  };
  struct Knob {
    std::deque<Move> moves;
    std::deque<Nanoseconds> detections;   // of the last hour
    std::optional<Nanoseconds> reversal;  // the newest one when last detected
    GrowingRest freeze{kFirstFreezeSeconds};
    [[nodiscard]] Nanoseconds last_used() const;
  };
  void detect(const Proposal& proposal, Knob& knob, Nanoseconds reversal, Nanoseconds now);
  std::optional<std::string> reverses(const Proposal& proposal, Knob& knob, Nanoseconds now);
  static std::optional<std::string> too_small(const Proposal& proposal, const Knob& knob,
                                              std::int64_t value, Nanoseconds now);
  static std::optional<std::string> frozen(const Proposal& proposal, const Knob& knob,
                                           Nanoseconds now);

  std::map<KnobId, Knob> knobs_;
  std::vector<GuardNote> notes_;
};

}  // namespace rocktune
