// Events and alarms by the rules that docs/score.md states, and which alarm credits which event.
// Pure functions of one run's seconds.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "score/timeline.h"

namespace rocktune::score {

inline constexpr std::size_t kQuietBeforeOnset = 30;  // s without the condition make an onset
inline constexpr std::size_t kQuietBeforeFresh = 300;
inline constexpr std::size_t kShortestLead = 2;  // s; a later alarm warns of nothing

struct Onset {
  std::size_t second = 0;
  bool fresh = false;
  bool operator==(const Onset&) const = default;
};

// The first second that the condition holds after at least kQuietBeforeOnset seconds without it.
// The quiet has to be known: the run's begin and a long hole start the count anew, so a condition
// that holds at the beginning is no onset.
std::vector<Onset> find_onsets(const Conditions& conditions);

// The seconds at which a detector raises an alarm: where its score reaches `threshold` and did not
// in the second before (the rising edge), or the condition held then, so that no alarm could be
// raised; where the condition does not hold, and no alarm is open: one is from its second until the
// next onset, or for `refractory` seconds, whichever is shorter. (What follows an event within the
// refractory time is another event, which wants a warning of its own: stalls come every 36 s where
// L0 fills fast.) An edge at such a time is lost, not kept for later. The first score of a run, or
// after a long hole, is no edge: what was before is not known. Both series are equally long;
// `onsets` are find_onsets(conditions).
std::vector<std::size_t> raise_alarms(const Scores& scores, const Conditions& conditions,
                                      const std::vector<Onset>& onsets, double threshold,
                                      std::size_t refractory);

// What the alarms were worth, for one horizon.
struct Match {
  // Per onset the lead in seconds of the alarm that credits it; absent: it was missed.
  std::vector<std::optional<std::size_t>> leads;
  std::size_t false_alarms = 0;
  // Of these, the alarms that could not be resolved: the run ended, or a long hole began, within
  // their horizon and before any onset. By the rule they are false.
  std::size_t unresolved = 0;
};

// An alarm at t is true when an onset comes at t + kShortestLead to t + horizon, both included. It
// credits the first such onset that no earlier alarm has credited, and only that one. `alarms`
// rise.
Match match_alarms(const std::vector<std::size_t>& alarms, const std::vector<Onset>& onsets,
                   const Conditions& conditions, std::size_t horizon);

}  // namespace rocktune::score
