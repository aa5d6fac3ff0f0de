// What has to be so for any run, any scores and any threshold.
#include <algorithm>
#include <random>

#include "score/tally.h"
#include "seconds.h"

using namespace rocktune::score;

namespace {

constexpr std::array<double, 6> kThresholds = {0.1, 0.3, 0.5, 0.7, 0.9, 1.1};

struct RandomRun {
  Conditions conditions;
  Scores scores;
};

// Stretches of 1 to 400 s in one condition; scores that wander, with holes.
RandomRun random_run(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&random](std::size_t end) { return random() % end; };
  RandomRun run;
  while (run.conditions.size() < 5000) {
    const std::size_t kind = below(10);
    const Condition condition = kind == 0  ? Condition::kUnknown
                                : kind < 4 ? Condition::kHolds
                                           : Condition::kQuiet;
    const std::size_t length = 1 + below(condition == Condition::kQuiet ? 400 : 30);
    run.conditions.insert(run.conditions.end(), length, condition);
  }
  double score = 0.5;
  for (std::size_t i = 0; i < run.conditions.size(); ++i) {
    const double step = static_cast<double>(below(2001)) / 10000.0 - 0.1;
    score = std::clamp(score + step, 0.0, 1.0);
    run.scores.push_back(below(100) == 0 ? kNoScore : score);
  }
  return run;
}

}  // namespace

TEST_CASE("every alarm is an edge out of a quiet second, a refractory time or an event apart",
          "[score]") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const RandomRun run = random_run(seed);
    const auto onsets = find_onsets(run.conditions);
    for (const double threshold : kThresholds) {
      const auto alarms = raise_alarms(run.scores, run.conditions, onsets, threshold, 30);
      for (std::size_t i = 0; i < alarms.size(); ++i) {
        const std::size_t at = alarms[i];
        REQUIRE(run.scores[at] >= threshold);
        REQUIRE((run.scores[at - 1] < threshold || run.conditions[at - 1] == Condition::kHolds));
        REQUIRE(run.conditions[at] == Condition::kQuiet);
        if (i == 0) continue;
        const bool event_between = std::any_of(
            onsets.begin(), onsets.end(),
            [&](const Onset& onset) { return onset.second > alarms[i - 1] && onset.second <= at; });
        REQUIRE((at - alarms[i - 1] >= 30 || event_between));
      }
    }
  }
}

TEST_CASE("counts add up, whatever the alarms", "[score]") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const RandomRun run = random_run(seed);
    const auto onsets = find_onsets(run.conditions);
    for (const double threshold : kThresholds) {
      for (const std::size_t horizon : {std::size_t{2}, std::size_t{10}, std::size_t{60}}) {
        const auto alarms = raise_alarms(run.scores, run.conditions, onsets, threshold, horizon);
        const Tally tally = tally_alarms(alarms, onsets, run.conditions, horizon);
        REQUIRE(tally.leads.size() + tally.false_alarms == tally.alarms);
        REQUIRE(tally.leads.size() <= tally.events);
        REQUIRE(tally.unresolved <= tally.false_alarms);
        REQUIRE(tally.fresh_caught <= tally.fresh_events);
        for (const std::size_t lead : tally.leads) {
          REQUIRE(lead >= kShortestLead);
          REQUIRE(lead <= horizon);
        }
        // Recall can only fall with the lead that is asked for.
        double before = 1;
        for (const std::size_t lead : kRecallLeads) {
          const double now = recall(tally, lead).value_or(0);
          REQUIRE(now <= before);
          before = now;
        }
      }
    }
  }
}

TEST_CASE("a higher threshold never spends more time above it", "[score]") {
  // Edges are not monotone (a score that never falls below has none); the time above is, and with
  // pulses out of silence each pulse is one edge, so alarms are monotone as well.
  for (unsigned seed = 1; seed <= 20; ++seed) {
    RandomRun run = random_run(seed);
    for (std::size_t i = 0; i < run.scores.size(); i += 2) run.scores[i] = 0;
    std::size_t before = run.scores.size();
    for (const double threshold : kThresholds) {
      const std::size_t alarms = raise_alarms(run.scores, run.conditions, {}, threshold, 1).size();
      REQUIRE(alarms <= before);
      before = alarms;
    }
    CHECK(before == 0);  // nothing reaches 1.1
  }
}

TEST_CASE("seconds after the last one that counts change nothing before", "[score]") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    RandomRun run = random_run(seed);
    const auto all = raise_alarms(run.scores, run.conditions, find_onsets(run.conditions), 0.6, 30);
    run.scores.resize(2500);
    run.conditions.resize(2500);
    const auto first =
        raise_alarms(run.scores, run.conditions, find_onsets(run.conditions), 0.6, 30);
    REQUIRE(first.size() <= all.size());
    CHECK(std::equal(first.begin(), first.end(), all.begin()));
  }
}
