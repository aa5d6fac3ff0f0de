// One run through the detector "rocktune-alerts" at the horizon of the run's objective, where
// somebody else has the indicators already: the engine of a replay. The same rules as RunScorer's,
// without its models. Pure. Memory while it runs: 27 bytes per second of the run, and at
// times twice that.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "model/indicators.h"
#include "model/objective.h"
#include "score/run.h"
#include "score/run_seconds.h"
#include "score/tally.h"

namespace rocktune::score {

// What "rocktune-alerts" says of an indicator: 1 while an alert is raised whose event has not come,
// and while the event holds; absent where nothing can be said.
std::optional<double> alert_score(const Indicator& indicator);

// The horizon of a target's alerts in whole seconds, as scores have them.
std::size_t alert_horizon(const Objective& objective);

struct AlertTallies {
  std::size_t horizon = 0;                        // s
  std::array<Tally, kKinds.size()> of_kind = {};  // by IndicatorKind
};

class AlertRun {
 public:
  // Seconds of a run that are kept: 16 to 33 MB. A longer run is not scored.
  static constexpr std::size_t kLongestSeconds = std::size_t{7} * 86400;

  explicit AlertRun(const Objective& objective) : horizon_(alert_horizon(objective)) {}

  // After each sample, in order. One whose tick does not rise is left out.
  void add(Nanoseconds tick, const std::vector<Indicator>& indicators);
  // At the end, once. Absent: the run is too long.
  std::optional<AlertTallies> finish();

 private:
  struct OfKind {
    Conditions conditions;
    Scores scores;
  };

  std::size_t horizon_;
  SecondGrid grid_;
  std::array<OfKind, kKinds.size()> of_kind_;
  bool too_long_ = false;
};

}  // namespace rocktune::score
