#include "score/alert_run.h"

#include <algorithm>
#include <cmath>

#include "score/events.h"

namespace rocktune::score {
namespace {

constexpr double kAlertThreshold = 1;  // of detectors that decide by themselves

}  // namespace

std::optional<double> alert_score(const Indicator& indicator) {
  if (!indicator.valid) return std::nullopt;
  const bool warns = indicator.state != AlertState::kOk && !indicator.answered;
  return warns || indicator.event ? 1 : 0;
}

std::size_t alert_horizon(const Objective& objective) {
  return static_cast<std::size_t>(
      std::lround(std::clamp(objective.horizon_seconds, static_cast<double>(kShortestLead),
                             static_cast<double>(kLongestHorizon))));
}

void AlertRun::add(Nanoseconds tick, const std::vector<Indicator>& indicators) {
  const auto second = grid_.second_of(tick);
  if (!second || too_long_) return;
  if (*second >= kLongestSeconds) {
    too_long_ = true;
    of_kind_ = {};
    return;
  }
  for (const Indicator& indicator : indicators) {
    OfKind& series = of_kind_.at(static_cast<std::size_t>(indicator.kind));
    keep(series.conditions, *second, indicator);
    keep(series.scores, *second, alert_score(indicator));
  }
}

std::optional<AlertTallies> AlertRun::finish() {
  if (too_long_) return std::nullopt;
  AlertTallies out;
  out.horizon = horizon_;
  for (std::size_t i = 0; i < of_kind_.size(); ++i) {
    OfKind& series = of_kind_.at(i);
    fill_holes(series.conditions);
    fill_holes(series.scores);
    const auto onsets = find_onsets(series.conditions);
    const auto alarms =
        raise_alarms(series.scores, series.conditions, onsets, kAlertThreshold, horizon_);
    out.of_kind.at(i) = tally_alarms(alarms, onsets, series.conditions, horizon_);
  }
  return out;
}

}  // namespace rocktune::score
