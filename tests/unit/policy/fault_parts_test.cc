// The parts that faults go through: gaps, the guard after them, changes that come late, rollbacks
// and outcomes whose time nobody saw, and the second look at an older change.
#include "policy/gaps.h"
#include "policy/late_changes.h"
#include "policy/outcomes.h"
#include "policy/rollback.h"
#include "policy/situation.h"
#include "tests/support/catch.h"
#include "tests/unit/policy/guard_bench.h"
#include "tests/unit/policy/outcome_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("a gap is longer than 10 s, and than the usual time between looks", "[fault]") {
  Gaps gaps;
  CHECK(gaps.look(at_seconds(1)) == 0);
  CHECK(gaps.look(at_seconds(1.5)) == 0);
  CHECK(gaps.look(at_seconds(11)) == 0);
  CHECK(gaps.look(at_seconds(11.5)) == 0);
  CHECK(gaps.look(at_seconds(30)) == Approx(18.5));
  CHECK(gaps.look(at_seconds(30.5)) == 0);
  CHECK(gaps.look(at_seconds(20)) == 0);  // what comes late is no look
  CHECK(gaps.look(at_seconds(31)) == 0);
  Gaps slow;
  slow.look(at_seconds(0));
  slow.look(at_seconds(60));
  CHECK(slow.look(at_seconds(120)) == 0);
  CHECK(slow.look(at_seconds(301)) == Approx(181));
}

TEST_CASE("what held before a gap and holds after it has not held meanwhile", "[fault]") {
  Held held;
  for (int i = 0; i < 10; ++i) held.update(true, at_seconds(0.5 * i));
  CHECK(held.update(true, at_seconds(5)) == Approx(5));
  CHECK(held.update(true, at_seconds(3600)) == 0);
  CHECK(held.update(true, at_seconds(3601)) == Approx(1));
}

TEST_CASE("the guard holds what rests on a sample after a gap", "[fault]") {
  GuardBench bench;
  bench.look_after(0.5);
  bench.look_after(3600);  // nobody asked: no sample was missed
  const Verdict held = bench.ask(knob::kRateLimit, 150 * kGuardMiB);
  is(held, VerdictKind::kHeld, "stale");
  CHECK(held.reason.find("nobody looked for 60 min") != std::string::npos);
  bench.look_after(0.5);
  is(bench.ask(knob::kRateLimit, 150 * kGuardMiB), VerdictKind::kAllowed, "");
}

namespace {

Features knob_at(double seconds, std::int64_t value, KnobOwner owner = KnobOwner::kRocktune) {
  Features f;
  f.fresh = true;
  f.at.tick = at_seconds(seconds);
  f.knobs = {limiter_knob(value, 100)};
  f.knobs.edit()[0].owner = owner;
  return f;
}

}  // namespace

TEST_CASE("a change that failed and was made all the same is found", "[fault]") {
  LateChanges late;
  late.failed(lowered_limiter());
  Features unread = knob_at(1, 80);
  unread.fresh = false;
  CHECK(late.found(unread).empty());
  SECTION("however long nobody could look") {
    auto found = late.found(knob_at(3600, 80));
    REQUIRE(found.size() == 1);
    CHECK(found[0].id == "7-1");
    CHECK(late.found(knob_at(3601, 80)).empty());  // once
  }
  SECTION("not what somebody else set") {
    CHECK(late.found(knob_at(2, 80, KnobOwner::kManual)).empty());
  }
  SECTION("once, however often it was tried") {
    late.failed(lowered_limiter());
    CHECK(late.found(knob_at(2, 80)).size() == 1);
    CHECK(late.found(knob_at(3, 80)).empty());
  }
  SECTION("the first of two that were not answered, too") {
    Decision second = lowered_limiter();
    second.id = "8-1";
    second.verdict.value = 70;
    late.failed(second);
    CHECK(late.found(knob_at(2, 100, KnobOwner::kFound)).empty());
    SECTION("and then the other") {
      auto found = late.found(knob_at(3, 80));
      REQUIRE(found.size() == 1);
      CHECK(found[0].id == "7-1");
      found = late.found(knob_at(4, 70));
      REQUIRE(found.size() == 1);
      CHECK(found[0].id == "8-1");
    }
    SECTION("the other alone") {
      const auto found = late.found(knob_at(3, 70));
      REQUIRE(found.size() == 1);
      CHECK(found[0].id == "8-1");
      CHECK(late.found(knob_at(4, 80)).empty());
    }
  }
  SECTION("it was tried again, and made then") {
    late.made(lowered_limiter().proposal);
    CHECK(late.found(knob_at(2, 80)).empty());
  }
  SECTION("not once it stands elsewhere") {
    CHECK(late.found(knob_at(2, 100, KnobOwner::kFound)).empty());
    CHECK(late.found(knob_at(3, 90)).empty());
    CHECK(late.found(knob_at(4, 80)).empty());
  }
  SECTION("not after it was seen not to come") {
    CHECK(late.found(knob_at(2, 100, KnobOwner::kFound)).empty());
    CHECK(late.found(knob_at(13, 100, KnobOwner::kFound)).empty());
    CHECK(late.found(knob_at(14, 80)).empty());
  }
}

namespace {

Finished regression() {
  Finished finished;
  finished.proposal = lowered_limiter().proposal;
  finished.actuation = {"7-1", "applied", "", 100, 80};
  finished.outcome = {"7-1", "worse", 2000, "read_p99_us went from 1000 to 2000"};
  finished.worse_by_far = true;
  return finished;
}

}  // namespace

TEST_CASE("a rollback waits for the database to be read again", "[fault]") {
  Rollbacks rollbacks;
  rollbacks.consider(regression(), at_seconds(0));
  REQUIRE(rollbacks.propose(knob_at(0.5, 80), {}).size() == 1);
  SECTION("unread") {
    for (double t = 1; t < 300; t += 0.5) {
      Features unread;
      unread.at.tick = at_seconds(t);
      rollbacks.propose(unread, {});
    }
    CHECK(rollbacks.propose(knob_at(300, 80), {}).size() == 1);
  }
  SECTION("not even asked") {
    CHECK(rollbacks.propose(knob_at(300, 80), {}).size() == 1);
  }
  SECTION("the knob is not in a sample") {
    Features without = knob_at(1, 80);
    without.knobs = {};
    rollbacks.propose(without, {});
    CHECK(rollbacks.propose(knob_at(1.5, 80), {}).size() == 1);
  }
  CHECK(rollbacks.take_notes().empty());
}

TEST_CASE("a rollback waits for the end of a freeze", "[fault]") {
  Rollbacks rollbacks;
  rollbacks.consider(regression(), at_seconds(0));
  const auto freeze = [&](double from, double to) {
    for (double t = from; t < to; t += 0.5) {
      Features frozen = knob_at(t, 80);
      frozen.knobs.edit()[0].changeable = false;
      CHECK(rollbacks.propose(frozen, {}).empty());
    }
  };
  rollbacks.propose(knob_at(0, 80), {});
  freeze(0.5, 290);
  CHECK(rollbacks.take_notes().empty());
  CHECK(rollbacks.propose(knob_at(290, 80), {}).size() == 1);
  SECTION("not for longer than what it rests on may be old") {
    freeze(290.5, 302);
    CHECK(rollbacks.propose(knob_at(302, 80), {}).empty());
    const auto thawed = rollbacks.take_thawed();
    REQUIRE(thawed.size() == 1);  // to be judged again
    CHECK(rollbacks.take_notes().empty());
    const bool again = GENERATE(true, false);
    rollbacks.say_thawed(thawed[0], again);
    const auto notes = rollbacks.take_notes();
    REQUIRE(notes.size() == 1);
    CHECK((notes[0].message.find("is judged again") != std::string::npos) == again);
    CHECK((notes[0].message.find("is not taken back") != std::string::npos) == !again);
    CHECK(rollbacks.take_given_up().empty());
  }
}

TEST_CASE("a rollback that could not be made is given up, and that is said", "[fault]") {
  Rollbacks rollbacks;
  rollbacks.consider(regression(), at_seconds(0));
  for (double t = 0; t <= 60; t += 0.5) CHECK(rollbacks.propose(knob_at(t, 80), {}).size() == 1);
  CHECK(rollbacks.take_given_up().empty());
  CHECK(rollbacks.propose(knob_at(60.5, 80), {}).empty());
  const auto culprits = rollbacks.take_given_up();  // it is known to be worse all the same
  REQUIRE(culprits.size() == 1);
  CHECK(culprits[0].id == "7-1");
  CHECK(rollbacks.take_given_up().empty());
  const auto notes = rollbacks.take_notes();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].knob == knob::kRateLimit);
  CHECK(notes[0].message.find("decision 7-1 is not taken back") != std::string::npos);
  CHECK(notes[0].message.find("stays at 80") != std::string::npos);
  CHECK(rollbacks.take_notes().empty());
}

TEST_CASE("a window goes on once the database is read again, within minutes", "[fault]") {
  Outcomes outcomes;
  Features f = knob_at(0, 80);
  f.reads_per_second = 1000;
  f.read_p99_us = 1000;
  outcomes.observe(f);
  outcomes.begin(lowered_limiter(), {"7-1", "applied", "", 100, 80}, f);
  f.read_p99_us = 9000;
  SECTION("not after an hour") {
    for (double t = 0.5; t < 4; t += 0.5) {
      f.at.tick = at_seconds(t);
      CHECK(outcomes.observe(f).empty());
    }
    f.at.tick = at_seconds(3600);
    const auto finished = outcomes.observe(f);
    REQUIRE(finished.size() == 1);
    CHECK(finished[0].outcome.result == "unknown");
    CHECK(finished[0].outcome.reason.find("was not read for 60 min") != std::string::npos);
    CHECK_FALSE(finished[0].worse_by_far);
  }
  for (const bool asked : {true, false}) {
    DYNAMIC_SECTION("after a minute, asked in vain or not: " << asked) {
      for (double t = 0.5; t < 4; t += 0.5) {
        f.at.tick = at_seconds(t);
        CHECK(outcomes.observe(f).empty());
      }
      for (double t = 4; asked && t < 60; t += 0.5) {
        Features unread;
        unread.at.tick = at_seconds(t);
        CHECK(outcomes.observe(unread).empty());
      }
      std::optional<double> judged;
      for (double t = 60; t < 80 && !judged; t += 0.5) {
        f.at.tick = at_seconds(t);
        const auto finished = outcomes.observe(f);
        if (finished.empty()) continue;
        judged = t;
        CHECK(finished[0].worse_by_far);
      }
      REQUIRE(judged);
      CHECK(*judged == Approx(66.5).margin(0.5));  // 3.5 of 10 s were seen before
    }
  }
}

TEST_CASE("where databases take turns a window takes longer, and is judged", "[fault]") {
  Outcomes outcomes;
  Features f = knob_at(0, 80);
  f.reads_per_second = 1000;
  f.read_p99_us = 1000;
  outcomes.observe(f);
  Decision trial = lowered_limiter();
  trial.proposal.expected.window_seconds = 600;
  outcomes.begin(trial, {"7-1", "applied", "", 100, 80}, f);
  f.read_p99_us = 9000;
  std::vector<Finished> finished;
  double t = 0;
  for (bool in_turn = false; t < 2000 && finished.empty(); in_turn = !in_turn) {
    t += 0.5;
    Features unread;
    (in_turn ? f : unread).at.tick = at_seconds(t);
    finished = outcomes.observe(in_turn ? f : unread);
  }
  REQUIRE(finished.size() == 1);
  CHECK(finished[0].worse_by_far);
  CHECK(t == Approx(1200).margin(1));
}

namespace {

// Change 7-1 of the limiter, and 9-1 of the jobs in its window; both end badly.
struct TwoChanges {
  TwoChanges() {
    f.reads_per_second = 1000;
    f.read_p99_us = 1000;
    f.cache_hit_ratio = 0.9;
    f.knobs.edit().push_back(jobs_knob(4, 2));
    outcomes.observe(f);
    outcomes.begin(lowered_limiter(), {"7-1", "applied", "", 100, 80}, f);
    pass(4);
    Decision second = lowered_limiter();
    second.id = "9-1";
    second.proposal.knob = knob::kBackgroundJobs;
    second.proposal.from = 2;
    second.proposal.to = second.verdict.value = 4;
    second.proposal.rule = "jobs.backlog";
    second.proposal.expected = {"cache_hit_ratio", false, 0.9, 30};
    outcomes.begin(second, {"9-1", "applied", "", 2, 4}, f);
    f.read_p99_us = 9000;
    f.cache_hit_ratio = 0.3;
  }
  std::vector<Finished> pass(double seconds) {
    std::vector<Finished> all;
    for (int i = 0; i < static_cast<int>(2 * seconds); ++i) {
      f.at.tick += at_seconds(0.5);
      for (Finished& one : outcomes.observe(f)) all.push_back(std::move(one));
    }
    return all;
  }
  void absent(double seconds) {
    for (int i = 0; i < static_cast<int>(2 * seconds); ++i) {
      Features unread;
      unread.at.tick = f.at.tick += at_seconds(0.5);
      static_cast<void>(outcomes.observe(unread));
    }
  }
  // What the rollback of 9-1 does to it: another change of its knob.
  void take_back_the_second() {
    Decision back = lowered_limiter();
    back.id = "20-1";
    back.proposal.knob = knob::kBackgroundJobs;
    back.proposal.rule = kRollbackRule;
    back.proposal.expected = {"read_p99_us", true, 9000, 10};
    f.knobs.edit()[1] = jobs_knob(2, 2);
    outcomes.begin(back, {"20-1", "applied", "", 4, 2}, f);
    outcomes.judge_again("9-1", f);
  }
  Features f = knob_at(0, 80);
  Outcomes outcomes;
};

const Finished* of(const std::vector<Finished>& all, const std::string& id) {
  for (const Finished& one : all) {
    if (one.outcome.decision_id == id) return &one;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("a second judgement has absences of its own", "[fault]") {
  TwoChanges bench;
  bench.absent(200);
  const auto first = bench.pass(7);
  REQUIRE(of(first, "7-1") != nullptr);
  bench.take_back_the_second();
  bench.absent(200);
  const auto later = bench.pass(11);
  REQUIRE(of(later, "7-1") != nullptr);
  CHECK(of(later, "7-1")->worse_by_far);
}

TEST_CASE("the older of two changes is judged again once the newer went back", "[fault]") {
  TwoChanges bench;
  const auto first = bench.pass(7);
  const Finished* older = of(first, "7-1");
  REQUIRE(older != nullptr);
  REQUIRE(older->culprit);
  CHECK(older->culprit->id == "9-1");
  SECTION("it is to blame as well: from the same baseline") {
    bench.take_back_the_second();
    const auto later = bench.pass(11);
    const Finished* again = of(later, "7-1");
    REQUIRE(again != nullptr);
    CHECK(again->worse_by_far);
    CHECK_FALSE(again->culprit);
    CHECK(*again->outcome.measured == Approx(9000));
    CHECK(again->outcome.reason.find("judged again after decision 9-1 was taken back") !=
          std::string::npos);
    CHECK(of(bench.pass(60), "7-1") == nullptr);  // not a third time
  }
  SECTION("it is not: all is well without the other") {
    bench.take_back_the_second();
    bench.f.read_p99_us = 1000;
    const auto later = bench.pass(11);
    REQUIRE(of(later, "7-1") != nullptr);
    CHECK(of(later, "7-1")->outcome.result == "unchanged");
  }
  SECTION("not when it was changed meanwhile") {
    bench.f.knobs.edit()[0].value = 60;
    bench.pass(1);
    bench.take_back_the_second();
    CHECK(of(bench.pass(60), "7-1") == nullptr);
  }
  SECTION("not when the newer stays") {
    CHECK(of(bench.pass(kMostFrozenSeconds + 400), "7-1") == nullptr);
    bench.outcomes.judge_again("9-1", bench.f);
    CHECK(of(bench.pass(60), "7-1") == nullptr);
  }
}
