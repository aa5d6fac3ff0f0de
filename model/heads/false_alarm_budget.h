// FalseAlarmBudget: the log odds from which on to warn, such that false alarms come at the rate
// that the operator accepts, whatever drifts: each false alarm raises the threshold by kStep, and
// time lowers it by kStep * budget. In the long run both are equal. Pure.
//
// Alarms are those of docs/score.md: a rising edge while the condition does not hold, and open
// until the next onset or for the horizon; false unless an onset comes 2 s to the horizon after it.
#pragma once

#include <optional>

#include "model/clock.h"
#include "model/heads/linear_head.h"

namespace rocktune {

class FalseAlarmBudget {
 public:
  // In log odds: as in the prototypes, where budgets of 0.5, 1 and 2 an hour were kept to 0.52,
  // 0.92 and 2.04.
  static constexpr double kStep = 1;
  // A quiet database must not end in warning of the improbable, nor one bad day in silence.
  static constexpr double kLowestProbability = 0.25, kHighestProbability = 0.998;

  FalseAlarmBudget(double per_day, double horizon_seconds)
      : per_second_(per_day / 86400), horizon_(horizon_seconds) {}

  // Once per sample with a forecast, in order. Time across a gap does not count.
  void update(Nanoseconds tick, double log_odds, bool holds, bool onset);
  void gap();  // what is open cannot be judged

  [[nodiscard]] double threshold() const { return threshold_; }  // log odds
  void set_threshold(double log_odds);
  [[nodiscard]] std::size_t false_alarms() const { return false_alarms_; }

 private:
  void move(double by);

  double per_second_, horizon_;
  double threshold_ = 0;
  std::optional<Nanoseconds> last_, open_since_;
  bool above_ = true;  // the first forecast is no edge: what was before is not known
  std::size_t false_alarms_ = 0;
};

}  // namespace rocktune
