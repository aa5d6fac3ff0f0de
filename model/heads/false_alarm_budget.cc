#include "model/heads/false_alarm_budget.h"

#include <algorithm>
#include <cmath>

namespace rocktune {
namespace {

constexpr double kShortestLeadSeconds = 2;
constexpr double kBudgetGapSeconds = 10;  // more is a gap

}  // namespace

void FalseAlarmBudget::move(double by) {
  threshold_ =
      std::clamp(threshold_ + by, log_odds(kLowestProbability), log_odds(kHighestProbability));
}

void FalseAlarmBudget::set_threshold(double log_odds) {
  if (!std::isfinite(log_odds)) return;
  threshold_ = 0;
  move(log_odds);
}

void FalseAlarmBudget::gap() {
  last_.reset();
  open_since_.reset();
  above_ = true;
}

void FalseAlarmBudget::update(Nanoseconds tick, double log_odds, bool holds, bool onset) {
  if (last_) {
    const double passed = seconds_between(*last_, tick);
    if (!(passed >= 0) || passed > kBudgetGapSeconds) {
      gap();
    } else {
      move(-kStep * per_second_ * passed);
    }
  }
  last_ = tick;
  if (open_since_) {
    const double since = seconds_between(*open_since_, tick);
    const bool over = onset || since > horizon_;
    if (over && (since > horizon_ || since < kShortestLeadSeconds)) {
      ++false_alarms_;
      move(kStep);
    }
    if (over) open_since_.reset();
  }
  const bool above = !holds && log_odds >= threshold_;
  if (above && !above_ && !open_since_) open_since_ = tick;
  above_ = above;
}

}  // namespace rocktune
