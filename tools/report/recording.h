// Recording: what a report tells of one database of a trace, gathered in one pass over its steps.
// Memory is bounded, whatever the trace's length: points are thinned, lists keep the newest, and
// what the score needs, second by second, is gone at the end. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/feature_stream.h"
#include "model/indicators.h"
#include "score/run.h"
#include "tools/alert_score.h"
#include "tools/decision_story.h"
#include "tools/report/chart_specs.h"
#include "tools/report/knob_history.h"
#include "tools/report/marks.h"
#include "tools/report/totals.h"
#include "trace/reader.h"

namespace rocktune::tools {

// Which part of a trace is told of, in seconds since its first sample, of whichever database.
struct ReportWindow {
  double from_seconds = 0;
  std::optional<double> to_seconds;
};

// One warning, from its raise to its clearing.
struct ToldAlert {
  std::string id;
  Nanoseconds raised_wall{0};
  IndicatorKind kind = IndicatorKind::kP99;
  std::string cause;
  AlertState highest = AlertState::kWarning;
  double probability = 0;              // when it was raised
  std::optional<double> eta_seconds;   // ...
  std::string message;                 // ...
  std::optional<double> held_seconds;  // absent: it stands at the end
  std::optional<AlertFate> fate;
  std::optional<double> lead_seconds;
};

class Recording {
 public:
  static constexpr std::size_t kMostTold = 500;  // decisions, and alerts; the newest
  // Beyond this nothing is scored: it takes a byte a second for each of a dozen series
  // (score/run.h), 7 MB a week.
  static constexpr double kLongestScoredSeconds = 7 * 86400;

  // `called`: as trace::called_in_trace() has it; `trace_begin`: the tick that the window counts
  // from.
  Recording(trace::TargetSummary target, std::string called, Nanoseconds trace_begin,
            double poll_interval_seconds, ReportWindow window);
  ~Recording();
  Recording(Recording&&) noexcept;
  Recording& operator=(Recording&&) noexcept;

  // Steps in order, from the database's first one, since forecasts learn from what was before the
  // window. False: this one is past the window, and so is what follows.
  bool add(const trace::RecordedStep& step);
  // The trace could not be read on: what was added is what there is.
  void note_damage(std::string message) { damage_ = std::move(message); }
  // No step follows.
  void end();

  [[nodiscard]] const trace::TargetSummary& target() const { return target_; }
  [[nodiscard]] const std::string& called() const { return called_; }
  [[nodiscard]] const std::string& damage() const { return damage_; }
  [[nodiscard]] const Totals& totals() const { return totals_; }
  [[nodiscard]] const Features& last() const { return last_; }
  [[nodiscard]] const TimeBins& bins() const { return bins_; }
  // In the order of chart_specs() and their lines.
  [[nodiscard]] const std::vector<std::vector<std::size_t>>& series() const { return series_; }
  [[nodiscard]] const MarkList& marks() const { return marks_; }
  [[nodiscard]] const KnobHistory& knobs() const { return knobs_; }
  [[nodiscard]] const DecisionStories& decisions() const { return decisions_; }
  [[nodiscard]] const std::deque<ToldAlert>& alerts() const { return alerts_; }
  [[nodiscard]] const AlertScorer& alert_scores() const { return alert_scores_; }
  // What `rocktune score` makes of it, after the end. Absent: too long.
  [[nodiscard]] const std::optional<score::RunResult>& score() const { return score_; }
  [[nodiscard]] const score::Contest& contest() const { return contest_; }

 private:
  void draw(const Features& features);
  void tell_alert(const AlertChange& alert, const Sample& sample, double seconds);
  void tell_decisions(const trace::RecordedStep& step, double seconds);
  void tell_outcome(const Outcome& outcome, double seconds);

  trace::TargetSummary target_;
  std::string called_;
  ReportWindow window_;
  std::string damage_;
  Nanoseconds trace_begin_;
  std::optional<Nanoseconds> shown_from_;  // the first sample of the window
  FeatureStream stream_;
  IndicatorModel model_;
  std::vector<Indicator> indicators_;
  Totals totals_;
  Features last_;
  TimeBins bins_;
  std::vector<std::vector<std::size_t>> series_;
  MarkList marks_;
  KnobHistory knobs_;
  DecisionStories decisions_;
  std::map<std::string, std::string> changes_;  // by decision's id: what it changes, of the newest
  std::deque<ToldAlert> alerts_;
  AlertScorer alert_scores_;
  score::Contest contest_;
  std::unique_ptr<score::RunScorer> scorer_;  // until the end
  std::optional<score::RunResult> score_;
};

}  // namespace rocktune::tools
