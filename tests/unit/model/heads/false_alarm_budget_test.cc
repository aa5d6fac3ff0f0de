#include "model/heads/false_alarm_budget.h"

#include <algorithm>
#include <random>

#include "tests/support/catch.h"

namespace rocktune {
namespace {

constexpr double kHorizon = 30;

struct Budget {
  explicit Budget(double per_day) : budget(per_day, kHorizon) {}
  void second(double odds, bool onset = false, bool holds = false) {
    now += std::chrono::seconds(1);
    budget.update(now, odds, holds || onset, onset);
  }
  void seconds(int count, double odds) {
    for (int i = 0; i < count; ++i) second(odds);
  }
  FalseAlarmBudget budget;
  Nanoseconds now{std::chrono::seconds(1000)};
};

TEST_CASE("an alarm that nothing followed raises the threshold, once", "[heads]") {
  Budget run(0.001);
  run.seconds(5, -5);
  run.seconds(static_cast<int>(kHorizon), 3);
  CHECK(run.budget.false_alarms() == 0);
  run.seconds(2, 3);
  CHECK(run.budget.false_alarms() == 1);
  CHECK(run.budget.threshold() == Approx(FalseAlarmBudget::kStep).margin(0.001));
  run.seconds(100, 3);  // no new edge
  CHECK(run.budget.false_alarms() == 1);
}

TEST_CASE("an alarm is true when the onset comes 2 s to a horizon later", "[heads]") {
  const auto false_alarms_with_onset_after = [](int lead) {
    Budget run(0.001);
    run.seconds(5, -5);
    run.seconds(lead, 3);  // the first of them is the alarm's
    run.second(7, true);
    run.seconds(100, -5);
    return run.budget.false_alarms();
  };
  CHECK(false_alarms_with_onset_after(1) == 1);
  CHECK(false_alarms_with_onset_after(2) == 0);
  CHECK(false_alarms_with_onset_after(30) == 0);
  CHECK(false_alarms_with_onset_after(31) == 1);
}

TEST_CASE("what is high from the beginning, or after a gap, is no alarm", "[heads]") {
  Budget run(0.001);
  run.seconds(100, 5);
  CHECK(run.budget.false_alarms() == 0);
  run.now += std::chrono::hours(1);
  run.seconds(100, 5);
  CHECK(run.budget.false_alarms() == 0);
}

TEST_CASE("time lowers the threshold, to what is not improbable", "[heads]") {
  Budget run(24);
  run.seconds(3600, -5);
  CHECK(run.budget.threshold() == Approx(-1).margin(0.01));
  run.seconds(36000, -5);
  CHECK(run.budget.threshold() == Approx(log_odds(FalseAlarmBudget::kLowestProbability)));
}

// Odds that wander, with events that have nothing to do with them.
double realised_per_day(double per_day, double spread, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Budget run(per_day);
  double odds = 0;
  constexpr int kDays = 40;
  for (int i = 0; i < kDays * 86400; ++i) {
    odds += -odds / 20 + spread * normal(random);
    run.second(odds, i % 7919 == 0);
  }
  return static_cast<double>(run.budget.false_alarms()) / kDays;
}

TEST_CASE("false alarms come at the rate of the budget, whatever the odds are", "[heads]") {
  for (const double per_day : {24.0, 48.0, 96.0}) {
    for (const double spread : {0.3, 0.5}) {
      CHECK(realised_per_day(per_day, spread, 11) == Approx(per_day).epsilon(0.1));
    }
  }
}

TEST_CASE("a saved threshold is kept within its bounds", "[heads]") {
  FalseAlarmBudget budget(24, 30);
  budget.set_threshold(100);
  CHECK(budget.threshold() == Approx(log_odds(FalseAlarmBudget::kHighestProbability)));
  budget.set_threshold(0.5);
  budget.set_threshold(std::numeric_limits<double>::quiet_NaN());
  CHECK(budget.threshold() == 0.5);
}

}  // namespace
}  // namespace rocktune
