#include "score/events.h"

#include "seconds.h"

using namespace rocktune::score;
using rocktune::score::test::pulses;
using rocktune::score::test::Seconds;

namespace {

using List = std::vector<std::size_t>;
constexpr std::size_t kHorizon = 60;

// One event at second 400 in a run of 1000.
Seconds one_event() {
  return Seconds().quiet(400).holds(20).quiet(580);
}

List alarms_of(const Scores& scores, const Conditions& conditions, double threshold,
               std::size_t refractory) {
  return raise_alarms(scores, conditions, find_onsets(conditions), threshold, refractory);
}

Match match_at(const Conditions& conditions, const List& alarms, std::size_t horizon = kHorizon) {
  return match_alarms(alarms, find_onsets(conditions), conditions, horizon);
}

}  // namespace

TEST_CASE("an onset is the first second after 30 s without the condition", "[score]") {
  CHECK(find_onsets(Seconds().quiet(30).holds(5)) == std::vector<Onset>{{30, false}});
  CHECK(find_onsets(Seconds().quiet(29).holds(5)).empty());
  CHECK(find_onsets(Seconds().quiet(40).holds(5).quiet(29).holds(5)) ==
        std::vector<Onset>{{40, false}});
  CHECK(find_onsets(Seconds().quiet(40).holds(5).quiet(30).holds(5)) ==
        std::vector<Onset>{{40, false}, {75, false}});
}

TEST_CASE("an onset after 300 s without the condition is fresh", "[score]") {
  CHECK(find_onsets(Seconds().quiet(299).holds(1)) == std::vector<Onset>{{299, false}});
  CHECK(find_onsets(Seconds().quiet(300).holds(1)) == std::vector<Onset>{{300, true}});
  CHECK(find_onsets(Seconds().quiet(300).holds(1).quiet(200).holds(1)) ==
        std::vector<Onset>{{300, true}, {501, false}});
}

TEST_CASE("a condition that holds at the beginning is no onset", "[score]") {
  CHECK(find_onsets(Seconds().holds(50).quiet(100)).empty());
  CHECK(find_onsets(Seconds().holds(50).quiet(100).holds(1)) == std::vector<Onset>{{150, false}});
  CHECK(find_onsets({}).empty());
}

TEST_CASE("nothing is concluded across a long hole", "[score]") {
  // 20 s + 20 s of quiet around a hole are not 30 s of quiet.
  CHECK(find_onsets(Seconds().quiet(20).unknown(11).quiet(20).holds(5)).empty());
  CHECK(find_onsets(Seconds().quiet(400).unknown(11).quiet(30).holds(5)) ==
        std::vector<Onset>{{441, false}});
  // What held before a hole and after it, or came in it, has no onset that was seen.
  CHECK(find_onsets(Seconds().quiet(400).unknown(11).holds(5)).empty());
}

TEST_CASE("a short hole repeats what stood before it", "[score]") {
  Conditions conditions = Seconds().quiet(20).unknown(10).quiet(1).holds(2).unknown(3).quiet(1);
  fill_holes(conditions);
  CHECK(conditions == static_cast<const Conditions&>(Seconds().quiet(31).holds(5).quiet(1)));
  conditions = Seconds().unknown(3).quiet(5).unknown(11).quiet(5);
  const Conditions before = conditions;
  fill_holes(conditions);
  CHECK(conditions == before);
  CHECK(known_seconds(conditions) == 10);
  Scores scores = {kNoScore, 0.5, kNoScore, kNoScore, 0.7};
  fill_holes(scores);
  CHECK_FALSE(has_score(scores[0]));
  CHECK(scores[3] == 0.5);
  CHECK(scores[4] == 0.7);
}

TEST_CASE("an alarm is a rising edge", "[score]") {
  const Seconds quiet = Seconds().quiet(200);
  CHECK(alarms_of(pulses(200, {50}, 100), quiet, 1, 10) == List{50});
  CHECK(alarms_of(pulses(200, {50, 70, 90}), quiet, 1, 10) == List{50, 70, 90});
  // What stands above the threshold from the beginning was not seen to rise.
  CHECK(alarms_of(Scores(200, 1), quiet, 1, 10).empty());
  CHECK(alarms_of(Scores(200, 0), quiet, 0, 10).empty());
  CHECK(alarms_of(pulses(200, {0, 20}, 5), quiet, 1, 10) == List{20});
}

TEST_CASE("an edge within the refractory time is lost, not kept for later", "[score]") {
  const Seconds quiet = Seconds().quiet(300);
  CHECK(alarms_of(pulses(300, {50, 109}, 1), quiet, 1, 60) == List{50});
  CHECK(alarms_of(pulses(300, {50, 110}, 1), quiet, 1, 60) == List{50, 110});
  CHECK(alarms_of(pulses(300, {50, 100}, 100), quiet, 1, 60) == List{50});
}

TEST_CASE("an alarm is open until the next onset at most", "[score]") {
  // Stalls 36 s apart, each announced 10 s before: every warning is one of its own.
  const Seconds run = Seconds().quiet(400).holds(4).quiet(32).holds(4).quiet(200);
  const List announced = {390, 426};
  CHECK(alarms_of(pulses(run.size(), announced), run, 1, 60) == announced);
  CHECK(match_at(run, announced).leads == std::vector<std::optional<std::size_t>>{10, 10});
  // An alarm that came too late for its event is no longer open behind it, either.
  CHECK(alarms_of(pulses(run.size(), {399, 426}), run, 1, 60) == List{399, 426});
  // What holds again after less than 30 s is no onset, and ends nothing.
  const Seconds again = Seconds().quiet(400).holds(4).quiet(20).holds(4).quiet(200);
  CHECK(alarms_of(pulses(again.size(), {410, 430}), again, 1, 60) == List{410});
}

TEST_CASE("no alarm is raised while the condition holds", "[score]") {
  const Seconds run = one_event();
  CHECK(alarms_of(pulses(1000, {400, 410, 419}), run, 1, 5).empty());
  CHECK(alarms_of(pulses(1000, {399, 420}), run, 1, 5) == List{399, 420});
  // It rose while the condition held, or before, and stays up: an alarm right after it.
  CHECK(alarms_of(pulses(1000, {410}, 60), run, 1, 5) == List{420});
  CHECK(alarms_of(pulses(1000, {390}, 60), run, 1, 60) == List{390, 420});
  CHECK(match_at(run, {420}).false_alarms == 1);
}

TEST_CASE("the first score after a hole is no edge", "[score]") {
  Scores scores(100, 0);
  for (std::size_t i = 40; i < 60; ++i) scores[i] = kNoScore;
  for (std::size_t i = 60; i < 100; ++i) scores[i] = 1;
  CHECK(alarms_of(scores, Seconds().quiet(100), 1, 10).empty());
  // And where the condition is not known, none is raised.
  CHECK(alarms_of(pulses(100, {50}), Seconds().quiet(45).unknown(20).quiet(35), 1, 10).empty());
}

TEST_CASE("an alarm counts from 2 s to the horizon before the onset", "[score]") {
  const Seconds run = one_event();
  struct Case {
    std::size_t at;
    bool counts;
  };
  for (const Case& one : {Case{339, false}, {340, true}, {390, true}, {398, true}, {399, false}}) {
    INFO("alarm at " << one.at << ", onset at 400, horizon 60");
    const Match match = match_at(run, {one.at});
    CHECK(match.leads[0].has_value() == one.counts);
    CHECK(match.false_alarms == (one.counts ? 0 : 1));
    if (one.counts) CHECK(*match.leads[0] == 400 - one.at);
  }
}

TEST_CASE("an alarm right after a stall is false", "[score]") {
  const Seconds run = one_event();
  const Match match = match_at(run, {420, 450});
  CHECK_FALSE(match.leads[0]);
  CHECK(match.false_alarms == 2);
  // Also when the stall comes back before it was an event again.
  const Seconds again = Seconds().quiet(400).holds(20).quiet(15).holds(10).quiet(500);
  CHECK(match_at(again, {425}).false_alarms == 1);
}

TEST_CASE("of two alarms for one event the first counts", "[score]") {
  const Match match = match_at(one_event(), {350, 390});
  CHECK(match.leads[0] == 50);
  CHECK(match.false_alarms == 1);
}

TEST_CASE("one alarm before two events credits the first", "[score]") {
  const Seconds run = Seconds().quiet(400).holds(2).quiet(30).holds(2).quiet(500);
  REQUIRE(find_onsets(run).size() == 2);
  Match match = match_at(run, {390});
  CHECK(match.leads[0] == 10);
  CHECK_FALSE(match.leads[1]);
  CHECK(match.false_alarms == 0);
  // Two alarms credit one each; what is too late for the first is in time for the second.
  match = match_at(run, {390, 395});
  CHECK(match.leads[1] == 37);
  match = match_at(run, {399});
  CHECK_FALSE(match.leads[0]);
  CHECK(match.leads[1] == 33);
  CHECK(match.false_alarms == 0);
}

TEST_CASE("an alarm whose horizon is cut off is false, and said to be unresolved", "[score]") {
  const Seconds run = one_event();
  CHECK(match_at(run, {939}).unresolved == 0);
  CHECK(match_at(run, {940}).unresolved == 1);
  CHECK(match_at(run, {940}).false_alarms == 1);
  const Seconds hole = Seconds().quiet(100).unknown(20).quiet(400);
  CHECK(match_at(hole, {50}).unresolved == 1);
  CHECK(match_at(hole, {39}).unresolved == 0);
  // An event before the hole resolves it.
  CHECK(match_at(Seconds().quiet(100).holds(2).unknown(20), {90}).unresolved == 0);
}
