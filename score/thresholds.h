// Thresholds: the candidates of each detector, and which of them keeps a false-alarm budget. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "score/detector.h"
#include "score/tally.h"

namespace rocktune::score {

// The thresholds that are tried, rising. They come from the scale alone, never from the data, so
// that nothing of the runs to be scored is in them: shares from 0.05 in steps of 0.05 (one file of
// a slowdown trigger of 20) to 2, then wider to 10; probabilities from 0.01 in steps of 0.01, and
// finer at both ends. One only when it is fixed: by the choice, or since the detector decides by
// itself.
std::vector<double> candidate_thresholds(const DetectorChoice& choice);

// The place in `candidates` of the threshold to use, given what each of them did on the training
// runs (tallies in the same order): of those within the budget, the one with the highest mean
// recall over kRecallLeads; where that is equal, the fewer false alarms per hour; then the higher
// one. Without an event in training, where recall cannot tell: the lowest one from which on all
// keep the budget. Absent when none keeps it: then no alarm may be raised.
std::optional<std::size_t> choose_threshold(const std::vector<Tally>& candidates,
                                            double false_alarms_per_hour);

}  // namespace rocktune::score
