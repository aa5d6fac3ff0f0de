#include "tools/report/recording.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/text.h"
#include "score/alert_run.h"
#include "score/detector.h"
#include "tools/text.h"
#include "trace/journal_json.h"

namespace rocktune::tools {
namespace {

// Detectors that need no threshold chosen on other runs, and static thresholds to compare with.
constexpr std::array kReportDetectors = {"rocktune-alerts", "recent-event", "static=0.7",
                                         "static=0.9"};

score::Contest report_contest(const EngineConfig& engine) {
  score::Contest contest;
  for (const char* name : kReportDetectors) {
    if (auto choice = score::parse_choice(name)) contest.detectors.push_back(*std::move(choice));
  }
  contest.horizons = {score::alert_horizon(engine.objective)};
  contest.prior = engine.prior;
  return contest;
}

std::string change_text(const Decision& decision) {
  const Proposal& proposal = decision.proposal;
  return proposal.knob + text::in_family(proposal.column_family) + " " +
         knob_text(proposal.knob, proposal.from) + " -> " +
         knob_text(proposal.knob, decision.verdict.value);
}

const char* kind_of_result(const std::string& result) {
  if (result == "better") return mark_kind::kBetter;
  return result == "worse" ? mark_kind::kWorse : mark_kind::kOther;
}

}  // namespace

Recording::Recording(trace::TargetSummary target, std::string called, Nanoseconds trace_begin,
                     double poll_interval_seconds, ReportWindow window)
    : target_(std::move(target)),
      called_(std::move(called)),
      window_(window),
      trace_begin_(trace_begin),
      model_(target_.info.engine.objective,
             target_.info.engine.prior ? *target_.info.engine.prior : Learnt{}),
      bins_(std::isfinite(poll_interval_seconds) && poll_interval_seconds > 0
                ? poll_interval_seconds
                : 1),
      decisions_({"", "", false, kMostTold}),
      contest_(report_contest(target_.info.engine)),
      scorer_(std::make_unique<score::RunScorer>(contest_, target_.info.engine.objective)) {
  for (const ChartSpec& chart : chart_specs()) {
    auto& lines = series_.emplace_back();
    for (std::size_t i = 0; i < chart.lines.size(); ++i) lines.push_back(bins_.add(chart.keep));
  }
}

Recording::~Recording() = default;
Recording::Recording(Recording&&) noexcept = default;
Recording& Recording::operator=(Recording&&) noexcept = default;

bool Recording::add(const trace::RecordedStep& step) {
  const Sample& sample = step.sample;
  const double seconds = seconds_between(trace_begin_, sample.at.tick);
  if (window_.to_seconds && seconds > *window_.to_seconds) return false;
  const Features features = stream_.next(sample);
  indicators_ = model_.update(features).indicators;
  if (seconds < window_.from_seconds) return true;
  if (!shown_from_) shown_from_ = sample.at.tick;
  const double since = seconds_between(*shown_from_, sample.at.tick);
  if (since > kLongestScoredSeconds) scorer_.reset();
  if (scorer_) scorer_->add(sample);
  totals_.add_sample(sample, features, target_.info.engine.objective);
  for (const DatabaseEvent& event : step.events) totals_.add_event(event);
  bins_.move_to(since);
  draw(features);
  for (const KnobStep& changed : knobs_.add(sample, since, bins_)) {
    if (changed.owner != KnobOwner::kManual) continue;
    marks_.add(since, mark_kind::kManual,
               changed.knob + " " + knob_text(changed.name, changed.from) + " -> " +
                   knob_text(changed.name, changed.to));
  }
  for (const AlertChange& alert : step.alerts) tell_alert(alert, sample, since);
  tell_decisions(step, since);
  if (features.fresh) last_ = features;
  return true;
}

void Recording::draw(const Features& features) {
  const Moment moment{features, indicators_};
  const std::vector<ChartSpec>& charts = chart_specs();
  for (std::size_t i = 0; i < charts.size(); ++i) {
    for (std::size_t j = 0; j < charts[i].lines.size(); ++j) {
      if (const Value value = charts[i].lines[j].value(moment)) bins_.put(series_[i][j], *value);
    }
  }
}

void Recording::tell_alert(const AlertChange& alert, const Sample& sample, double seconds) {
  const Indicator& indicator = alert.indicator;
  const std::string line = trace::alert_line(sample.at.wall, target_.info.name, alert);
  alert_scores_.add(line);
  if (alert.from == AlertState::kOk && indicator.state != AlertState::kOk) {
    ++totals_.raised[std::string(to_string(indicator.kind))];
    alerts_.push_back({alert.id, sample.at.wall, indicator.kind, indicator.cause, indicator.state,
                       indicator.probability, indicator.eta_seconds, alert.message, std::nullopt,
                       std::nullopt, std::nullopt});
    if (alerts_.size() > kMostTold) alerts_.pop_front();
    marks_.add(seconds, mark_kind::kAlert,
               std::string(to_string(indicator.kind)) + ": " + alert.message);
    return;
  }
  const auto told = std::find_if(alerts_.rbegin(), alerts_.rend(),
                                 [&](const ToldAlert& one) { return one.id == alert.id; });
  if (told == alerts_.rend()) return;  // raised before the window
  told->highest = std::max(told->highest, indicator.state);
  if (indicator.state != AlertState::kOk) return;
  told->held_seconds = seconds_between(alert.raised_at.tick, sample.at.tick);
  told->fate = alert_fate(Json::parse(line, nullptr, false));
  told->lead_seconds = alert.lead_seconds;
}

void Recording::tell_decisions(const trace::RecordedStep& step, double seconds) {
  const Nanoseconds wall = step.sample.at.wall;
  const std::string& name = target_.info.name;
  for (const Actuation& actuation : step.reports_before) {
    ++totals_.actuations[actuation.status];
    decisions_.add(trace::actuation_line(wall, name, actuation));
  }
  for (const Outcome& outcome : step.outcomes) {
    decisions_.add(trace::outcome_line(wall, name, outcome));
    tell_outcome(outcome, seconds);
  }
  for (const Decision& decision : step.decisions) {
    ++totals_.verdicts[decision.verdict.kind];
    decisions_.add(trace::decision_line(wall, name, decision, target_.info.mode));
    if (!may_be_applied(decision.verdict)) continue;
    const std::string change = change_text(decision);
    if (changes_.size() >= kMostTold) changes_.clear();
    changes_[decision.id] = change;
    marks_.add(seconds, mark_kind::kDecision,
               change + " (" + decision.proposal.rule + ": " + decision.proposal.reason + ")");
  }
}

void Recording::tell_outcome(const Outcome& outcome, double seconds) {
  ++totals_.outcomes[outcome.result];
  const auto change = changes_.find(outcome.decision_id);
  const std::string what = change == changes_.end() ? outcome.decision_id : change->second;
  marks_.add(seconds, kind_of_result(outcome.result),
             what + ": " + outcome.result + ", " + outcome.reason);
}

void Recording::end() {
  if (scorer_) score_ = scorer_->finish(called_);
  scorer_.reset();
}

}  // namespace rocktune::tools
