#include "score/probability.h"

#include <cmath>

#include "seconds.h"

using namespace rocktune::score;
using rocktune::score::test::Seconds;

TEST_CASE("Brier, skill and log loss of four forecasts", "[score]") {
  ProbabilityScore score;
  CHECK_FALSE(score.brier());
  CHECK_FALSE(score.base_rate());
  CHECK_FALSE(score.log_loss());
  score.add(0.9, true);
  score.add(0.2, false);
  score.add(0.6, false);
  score.add(0.5, true);
  CHECK(score.count() == 4);
  CHECK(*score.base_rate() == 0.5);
  CHECK(*score.brier() == Approx((0.01 + 0.04 + 0.36 + 0.25) / 4));
  CHECK(*score.brier_skill() == Approx(1 - 0.165 / 0.25));
  CHECK(*score.log_loss() ==
        Approx(-(std::log(0.9) + std::log(0.8) + std::log(0.4) + std::log(0.5)) / 4));
}

TEST_CASE("a certain forecast that fails costs much, not infinitely much", "[score]") {
  ProbabilityScore score;
  score.add(0, true);
  CHECK(*score.log_loss() == Approx(-std::log(kLeastProbability)));
  CHECK_FALSE(score.brier_skill());  // it always came
}

TEST_CASE("saying the base rate has no skill", "[score]") {
  ProbabilityScore score;
  for (int i = 0; i < 100; ++i) score.add(0.3, i < 30);
  CHECK(*score.brier_skill() == Approx(0).margin(1e-12));
}

TEST_CASE("reliability has ten bins, the last one with 1", "[score]") {
  ProbabilityScore score;
  score.add(0, false);
  score.add(0.0999, false);
  score.add(0.1, true);
  score.add(0.95, true);
  score.add(1, false);
  score.add(kNoScore, true);  // no forecast
  const auto& bins = score.reliability();
  CHECK(bins[0].count == 2);
  CHECK(bins[0].came == 0);
  CHECK(bins[1].count == 1);
  CHECK(bins[9].count == 2);
  CHECK(bins[9].came == 1);
  CHECK(bins[9].forecast_sum == Approx(1.95));
  ProbabilityScore sum = score;
  sum += score;
  CHECK(sum.reliability()[9].count == 4);
  CHECK(*sum.brier() == Approx(*score.brier()));
}

TEST_CASE("the outcome of a second is whether the condition holds within the horizon", "[score]") {
  const Seconds run = Seconds().quiet(10).holds(3).quiet(10);
  const ProbabilityScore score = score_probabilities(Scores(run.size(), 0.5), run, 5);
  // Seconds 5 to 9 are followed by it, 0 to 4 not, 10 to 12 are in it; 13 to 17 are not followed by
  // it, and of 18 to 22 the run's end leaves it open.
  CHECK(score.count() == 15);
  CHECK(*score.base_rate() == Approx(5.0 / 15));
}

TEST_CASE("what a hole or the end hides is left out, whatever came before it", "[score]") {
  const Seconds run = Seconds().quiet(10).unknown(20).holds(3);
  CHECK(score_probabilities(Scores(run.size(), 0.5), run, 5).count() == 5);
  const Seconds came = Seconds().quiet(10).holds(1).unknown(20);
  const ProbabilityScore score = score_probabilities(Scores(came.size(), 0.5), came, 5);
  CHECK(score.count() == 6);  // of seconds 6 to 9 the hole hides a part
  CHECK(*score.base_rate() == Approx(1.0 / 6));
  const Seconds ended = Seconds().quiet(10).holds(1);
  CHECK(score_probabilities(Scores(ended.size(), 0.5), ended, 5).count() == 6);
  // A second without a probability is no forecast.
  CHECK(score_probabilities(Scores(came.size(), kNoScore), came, 5).count() == 0);
}
