#include "score/alert_run.h"

#include <algorithm>

#include "model/feature_stream.h"
#include "score/events.h"
#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"
#include "tests/unit/score/seconds.h"

using namespace rocktune;
using namespace rocktune::score;
using rocktune::score::test::kBacklogPlace;
using rocktune::test::quiet_sample;

namespace {

Indicator backlog(AlertState state, bool event = false) {
  Indicator indicator;
  indicator.kind = IndicatorKind::kCompactionBacklog;
  indicator.state = state;
  indicator.event = event;
  indicator.valid = true;
  return indicator;
}

// A second of a run with two stalls, of which L0 announces one.
Sample second_of_run(int second) {
  Sample sample = quiet_sample(static_cast<std::uint64_t>(second), second);
  const bool announced = second > 420 && second <= 450;
  const bool stalls = (second > 450 && second <= 460) || (second > 700 && second <= 705);
  sample.database->column_families[0].levels[0].files = announced ? 16 : 3;
  sample.database->write_stopped = stalls ? 1 : 0;
  if (second > 200 && second <= 240) sample.database.reset();
  return sample;
}

void same(const Tally& one, const Tally& other) {
  CHECK(one.seconds == other.seconds);
  CHECK(one.events == other.events);
  CHECK(one.fresh_events == other.fresh_events);
  CHECK(one.alarms == other.alarms);
  CHECK(one.false_alarms == other.false_alarms);
  CHECK(one.unresolved == other.unresolved);
  CHECK(one.leads == other.leads);
}

}  // namespace

TEST_CASE("the indicators of an engine score as rocktune-alerts does", "[score]") {
  const Objective objective;
  Contest contest;
  contest.detectors = {*parse_choice("rocktune-alerts")};
  contest.horizons = {alert_horizon(objective)};
  RunScorer whole(contest, objective);
  AlertRun run(objective);
  IndicatorModel model(objective);
  FeatureStream stream;
  for (int second = 1; second <= 900; ++second) {
    const Sample sample = second_of_run(second);
    whole.add(sample);
    const auto indicators = model.update(stream.next(sample)).indicators;
    run.add(sample.at.tick, indicators);
    run.add(sample.at.tick, indicators);  // a tick that does not rise
  }
  const RunResult expected = whole.finish("a");
  const auto tallies = run.finish();
  REQUIRE(tallies);
  CHECK(tallies->horizon == contest.horizons.front());
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    INFO(i);
    same(tallies->of_kind.at(i), expected.of_entry.at(i).by_threshold.front());
  }
  CHECK(tallies->of_kind[kBacklogPlace].events == 2);
  CHECK(tallies->of_kind[kBacklogPlace].alarms > 0);
}

TEST_CASE("an alert counts until its event has come", "[score]") {
  CHECK(alert_score(backlog(AlertState::kOk)) == 0);
  CHECK(alert_score(backlog(AlertState::kWarning)) == 1);
  CHECK(alert_score(backlog(AlertState::kOk, true)) == 1);
  Indicator answered = backlog(AlertState::kWarning);
  answered.answered = true;
  CHECK(alert_score(answered) == 0);
  answered.valid = false;
  CHECK_FALSE(alert_score(answered));
}

TEST_CASE("a run of more than a week is not scored", "[score]") {
  for (const std::size_t seconds : {AlertRun::kLongestSeconds, AlertRun::kLongestSeconds + 1}) {
    AlertRun run(Objective{});
    for (std::size_t second = 0; second < seconds; second += 5) {
      run.add(std::chrono::seconds(second), {backlog(AlertState::kOk)});
    }
    run.add(std::chrono::seconds(seconds - 1), {backlog(AlertState::kOk)});
    CHECK(run.finish().has_value() == (seconds == AlertRun::kLongestSeconds));
  }
}

TEST_CASE("an objective's horizon in whole seconds, within what is scored", "[score]") {
  Objective objective;
  objective.horizon_seconds = 10.6;
  CHECK(alert_horizon(objective) == 11);
  objective.horizon_seconds = 0.1;
  CHECK(alert_horizon(objective) == kShortestLead);
  objective.horizon_seconds = 1e9;
  CHECK(alert_horizon(objective) == kLongestHorizon);
}
