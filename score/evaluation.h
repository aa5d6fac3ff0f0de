// The contest's outcome: for every detector, indicator and horizon the pooled figures of the scored
// runs, each run at a threshold that was chosen on its training runs. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "score/bootstrap.h"
#include "score/run.h"
#include "score/walk_forward.h"

namespace rocktune::score {

struct EvaluationRequest {
  Contest contest;
  PlanRequest plan;
  double false_alarms_per_hour = 1;  // the budget on the training runs
  double actuation_seconds = 0;      // from a warning until an action works
  std::size_t resamples = kResamples;
  std::uint64_t seed = kDefaultSeed;
};

// A figure with its bootstrap interval over recordings.
struct Estimate {
  std::optional<double> value;
  std::optional<Interval> interval;
};

struct ScoredRun {
  std::size_t run = 0;              // in the list of runs
  std::optional<double> threshold;  // absent: none kept the budget, so it raised no alarm
  Tally tally;
};

struct Row {
  DetectorChoice detector;
  // False: no earlier run to choose a threshold on; there are no alarms to judge then.
  bool has_threshold = false;
  std::vector<ScoredRun> runs;  // empty without a threshold
  Tally tally;                  // of all scored runs
  Estimate false_alarms_per_hour, fresh_recall, precision, usable_recall;
  std::array<Estimate, kRecallLeads.size()> recall;  // absent for leads beyond the horizon
  std::optional<double> lead_p10, lead_p50;          // s, of the events that were caught
  ProbabilityScore probability;                      // empty when the detector gives none
  Estimate brier, brier_skill, log_loss;
};

struct Table {
  IndicatorKind kind = IndicatorKind::kP99;
  std::size_t horizon = 0;
  std::size_t seconds = 0;  // of the scored runs, whose condition is known; 0: never recorded
  std::size_t events = 0, fresh_events = 0;
  std::vector<Row> rows;  // in the order of the detectors that cover the indicator
};

struct Evaluation {
  std::vector<Split> splits;
  bool trained = false;        // false: no scored run has an earlier one
  bool has_intervals = false;  // false: all scored runs are of one recording
  std::vector<Table> tables;   // by indicator, then horizon
};

// `runs` come from RunScorer with the same contest. Errors: those of plan(), and no run at all.
Result<Evaluation> evaluate(const std::vector<RunResult>& runs, const EvaluationRequest& request);

}  // namespace rocktune::score
