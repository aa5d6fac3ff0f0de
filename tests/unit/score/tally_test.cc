#include "score/tally.h"

#include "score/quantile.h"
#include "seconds.h"

using namespace rocktune::score;
using rocktune::score::test::Seconds;

TEST_CASE("an hour with four events, of which three were warned of", "[score]") {
  // Onsets at 400 (fresh), 810, 1220, 1630; 3600 s in all.
  Seconds run;
  for (int i = 0; i < 4; ++i) run.quiet(400).holds(10);
  run.quiet(1960);
  const auto onsets = find_onsets(run);
  REQUIRE(onsets.size() == 4);
  // Leads 2, 12 and 40; one alarm too early (61 s), one out of the blue.
  const Tally tally = tally_alarms({398, 798, 1180, 1569, 3000}, onsets, run, 60);
  CHECK(tally.seconds == 3600);
  CHECK(tally.events == 4);
  CHECK(tally.fresh_events == 4);
  CHECK(tally.alarms == 5);
  CHECK(tally.false_alarms == 2);
  CHECK(tally.leads == Leads{2, 12, 40});
  CHECK(recall(tally, 2) == 0.75);
  CHECK(recall(tally, 5) == 0.5);
  CHECK(recall(tally, 10) == 0.5);
  CHECK(recall(tally, 20) == 0.25);
  CHECK(recall(tally, 30) == 0.25);
  CHECK(fresh_recall(tally) == 0.75);
  CHECK(precision(tally) == 0.6);
  CHECK(false_alarms_per_hour(tally) == 2);
  CHECK(lead_quantile(tally, 0.5) == 12);
  CHECK(lead_quantile(tally, 0.1) == Approx(4));
  // An action that takes 10 s needs a lead of 12 s.
  CHECK(usable_recall(tally, 0) == 0.75);
  CHECK(usable_recall(tally, 10) == 0.5);
  CHECK(usable_recall(tally, 10.5) == 0.25);
}

TEST_CASE("tallies of runs add up", "[score]") {
  const Seconds run = Seconds().quiet(400).holds(10).quiet(400);
  const auto onsets = find_onsets(run);
  Tally sum = tally_alarms({390}, onsets, run, 60);
  sum += tally_alarms({100}, onsets, run, 60);
  CHECK(sum.seconds == 1620);
  CHECK(sum.events == 2);
  CHECK(recall(sum, 10) == 0.5);
  CHECK(precision(sum) == 0.5);
  CHECK(sum.leads == Leads{10});
}

TEST_CASE("what cannot be said is absent, not zero and no NaN", "[score]") {
  const Tally nothing;
  CHECK_FALSE(recall(nothing, 2));
  CHECK_FALSE(fresh_recall(nothing));
  CHECK_FALSE(precision(nothing));
  CHECK_FALSE(false_alarms_per_hour(nothing));
  CHECK_FALSE(lead_quantile(nothing, 0.5));
  CHECK_FALSE(usable_recall(nothing, 1));
  const Seconds quiet = Seconds().quiet(3600);
  const Tally no_event = tally_alarms({100}, {}, quiet, 60);
  CHECK_FALSE(recall(no_event, 2));
  CHECK(false_alarms_per_hour(no_event) == 1);
}

TEST_CASE("quantiles interpolate", "[score]") {
  CHECK_FALSE(quantile({}, 0.5));
  CHECK(quantile({3}, 0.1) == 3);
  CHECK(quantile({4, 1, 3, 2}, 0.5) == 2.5);
  CHECK(quantile({4, 1, 3, 2}, 0) == 1);
  CHECK(quantile({4, 1, 3, 2}, 1) == 4);
}

TEST_CASE("pinball loss and coverage of known forecasts", "[score]") {
  QuantileScore score(0.9);
  CHECK_FALSE(score.pinball());
  CHECK_FALSE(score.coverage());
  score.add(10, 12);  // 0.9 * 2
  score.add(10, 6);   // 0.1 * 4
  score.add(10, 10);  // 0
  CHECK(score.count() == 3);
  CHECK(*score.pinball() == Approx(2.2 / 3));
  CHECK(*score.coverage() == Approx(2.0 / 3));
  QuantileScore more(0.9);
  more.add(0, 1);
  more.add(kNoScore, 1);  // no forecast
  score += more;
  CHECK(score.count() == 4);
  CHECK(*score.pinball() == Approx(3.1 / 4));
}
