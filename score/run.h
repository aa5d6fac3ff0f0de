// One run - one database of one trace - through all detectors, and what came of it: sample by
// sample, in order. What is kept of a run is its tallies; the seconds themselves are dropped when
// it ends. Pure. Memory while it runs: a byte per second of the run for each detector, indicator
// and horizon, and 8 more for each that gives a probability, which is 19 MB a day for all detectors
// at three horizons.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "score/detector.h"
#include "score/probability.h"
#include "score/tally.h"

namespace rocktune::score {

inline constexpr std::array<IndicatorKind, 3> kKinds = {
    IndicatorKind::kP99, IndicatorKind::kCompactionBacklog, IndicatorKind::kDeviceSaturation};
inline constexpr std::size_t kLongestHorizon = 600;  // s

// What is to be compared.
struct Contest {
  std::vector<DetectorChoice> detectors;
  // s, kShortestLead to kLongestHorizon; each is the refractory time, too.
  std::vector<std::size_t> horizons;
  // What rocktune-alerts may cost, instead of the budget that the run's target had.
  std::optional<double> false_alarms_per_day;
  // What rocktune's own detectors begin each run with; null: with nothing learnt.
  std::shared_ptr<const Learnt> prior;
};

// One detector on one indicator and horizon.
struct Entry {
  std::size_t detector = 0;  // in Contest::detectors
  IndicatorKind kind = IndicatorKind::kP99;
  std::size_t horizon = 0;
  bool operator==(const Entry&) const = default;
};
// All of a contest: by indicator, then horizon, then detector.
std::vector<Entry> entries(const Contest& contest);

struct RunResult {
  std::string name;  // of the trace and, where it has several databases, the database
  // Of one recording, which is a trace, are the databases that ran side by side: on one device and
  // at one time they tell the same story.
  std::string recording;
  Nanoseconds begin_wall{0}, end_wall{0};
  struct OfKind {
    std::size_t seconds = 0;  // whose condition is known
    std::size_t events = 0, fresh_events = 0;
  };
  std::array<OfKind, 3> of_kind;  // by IndicatorKind
  struct OfEntry {
    std::vector<Tally> by_threshold;  // as candidate_thresholds() has them
    ProbabilityScore probability;     // empty when the detector gives none
  };
  std::vector<OfEntry> of_entry;  // as entries() has them
};

class RunScorer {
 public:
  // `objective` is what the run's target had: it says when a condition holds.
  RunScorer(const Contest& contest, const Objective& objective);
  ~RunScorer();
  RunScorer(RunScorer&&) noexcept;
  RunScorer& operator=(RunScorer&&) noexcept;

  // The next sample of the target. One whose tick does not rise is left out.
  void add(const Sample& sample);
  RunResult finish(std::string name);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rocktune::score
