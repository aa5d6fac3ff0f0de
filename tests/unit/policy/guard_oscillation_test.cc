// The guard's rules on a knob that is moved to and fro, far from what was found, or pinned.
#include <utility>

#include "policy/urgent.h"
#include "tests/unit/policy/guard_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("drift: so far from what was found and no further", "[guard]") {
  Budget budget = roomy();
  budget.drift_max = 2;
  GuardBench bench(budget);
  CHECK(bench.change(knob::kBackgroundJobs, 6).kind == VerdictKind::kAllowed);
  CHECK(bench.change(knob::kBackgroundJobs, 8).kind == VerdictKind::kAllowed);
  Verdict verdict = bench.ask(knob::kBackgroundJobs, 10);
  CHECK(is(verdict, VerdictKind::kHeld, "no_change"));
  CHECK(verdict.reason.find("no more than 8 where 4 was found (budget.drift_max)") !=
        std::string::npos);
  bench.knob(knob::kBackgroundJobs).value = 7;
  CHECK(is(bench.ask(knob::kBackgroundJobs, 10), VerdictKind::kClamped, "drift"));
  bench.pass(6);
  SECTION("down as well") {
    GuardBench low(budget);
    CHECK(low.ask(knob::kBackgroundJobs, 1).value == 2);
    CHECK(low.change(knob::kCacheCapacity, 180 << 20).kind == VerdictKind::kAllowed);
    CHECK(low.change(knob::kCacheCapacity, 120 << 20).value == 128 << 20);
  }
  SECTION("what stands outside may come back, not go on") {
    bench.knob(knob::kBackgroundJobs).value = 20;
    CHECK(bench.ask(knob::kBackgroundJobs, 22).kind == VerdictKind::kHeld);
    CHECK(bench.ask(knob::kBackgroundJobs, 18).value == 14);  // a step towards 8
  }
  SECTION("the limiter goes anywhere, unless it has an entry of its own") {
    CHECK(is(bench.ask(knob::kRateLimit, 400 * kGuardMiB), VerdictKind::kAllowed, ""));
    budget.drift_max_of[std::string(knob::kRateLimit)] = 3;
    GuardBench own(budget);
    const Verdict clamped = own.ask(knob::kRateLimit, 400 * kGuardMiB);
    CHECK(is(clamped, VerdictKind::kClamped, "drift"));
    CHECK(clamped.reason.find("(budget.drift_max_of.rate_limiter_bytes_per_second)") !=
          std::string::npos);
    own.pass(3);
    own.knob(knob::kRateLimit) = limiter_knob(kUnlimitedBytesPerSecond);
    CHECK(is(own.ask(knob::kRateLimit, 60 * kGuardMiB), VerdictKind::kAllowed, ""));
  }
  SECTION("an own entry without a value is no limit") {
    budget.drift_max_of[std::string(knob::kBackgroundJobs)] = std::nullopt;
    GuardBench own(budget);
    own.knob(knob::kBackgroundJobs).value = 20;
    CHECK(is(own.ask(knob::kBackgroundJobs, 22), VerdictKind::kAllowed, ""));
  }
}

TEST_CASE("pin: no policy moves it, and the pin itself needs no budget", "[guard]") {
  Budget budget;
  budget.jobs_max = 4;
  budget.drift_max = 1.5;
  GuardBench bench(budget, {{std::string(knob::kBackgroundJobs), 8}});
  auto policy = bench.wants("1-1", "jobs.backlog", knob::kBackgroundJobs, 3);
  CHECK(is(bench.act(policy), VerdictKind::kHeld, "pin"));
  auto pin = bench.wants("1-2", "pin.config", knob::kBackgroundJobs, 8, "");
  Verdict verdict = bench.act(pin);
  CHECK(is(verdict, VerdictKind::kClamped, "step"));  // beyond jobs_max and drift, step by step
  CHECK(verdict.value == 6);
  CHECK(is(bench.act(bench.wants("1-3", "pin.config", knob::kBackgroundJobs, 8, "")),
           VerdictKind::kHeld, "dwell"));
  bench.pass(6);
  CHECK(is(bench.act(bench.wants("2-1", "pin.config", knob::kBackgroundJobs, 8, "")),
           VerdictKind::kAllowed, ""));
  bench.knob(knob::kBackgroundJobs).owner = KnobOwner::kManual;  // a hand wins over the file
  bench.knob(knob::kBackgroundJobs).value = 7;
  CHECK(is(bench.act(bench.wants("3-1", "pin.config", knob::kBackgroundJobs, 8, "")),
           VerdictKind::kHeld, "manual"));
}

namespace {

// To and fro, until a step away from what was found is held; says what held it.
Verdict swing(GuardBench& bench) {
  for (int i = 0; i < 8; ++i) {
    Verdict up = bench.change(knob::kBackgroundJobs, 12, 6);
    if (up.kind == VerdictKind::kHeld) return up;
    bench.change(knob::kBackgroundJobs, 8, 6);
  }
  FAIL("never held");
  return {};
}

}  // namespace

TEST_CASE("oscillation: detected, widened, frozen", "[guard]") {
  GuardBench bench(roomy());
  bench.knob(knob::kBackgroundJobs).value = bench.knob(knob::kBackgroundJobs).found = 8;
  CHECK(is(swing(bench), VerdictKind::kHeld, "oscillation"));
  auto notes = bench.guard.take_notes();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].knob == knob::kBackgroundJobs);
  CHECK(notes[0].message.find("least step is 2 times") != std::string::npos);
  // Asking on and on is the same to and fro.
  for (int i = 0; i < 100; ++i) {
    CHECK(is(bench.ask(knob::kBackgroundJobs, 12), VerdictKind::kHeld, "oscillation"));
    bench.pass(0.5);
  }
  CHECK(bench.guard.take_notes().empty());
  bench.pass(601);
  Verdict small = bench.ask(knob::kBackgroundJobs, 9);
  CHECK(is(small, VerdictKind::kHeld, "oscillation"));  // one job is less than two
  CHECK(small.reason.find("least step is 2 times as large") != std::string::npos);
  CHECK(swing(bench).rule == "oscillation");
  notes = bench.guard.take_notes();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].message.find("least step is 4 times") != std::string::npos);
  bench.pass(601);
  CHECK(is(bench.ask(knob::kBackgroundJobs, 11), VerdictKind::kHeld, "oscillation"));
  CHECK(swing(bench).rule == "oscillation");
  notes = bench.guard.take_notes();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].message.find("left alone for 30 min") != std::string::npos);
  bench.pass(1200);  // long after the window of ten minutes
  CHECK(is(bench.ask(knob::kBackgroundJobs, 12), VerdictKind::kHeld, "oscillation"));
  bench.knob(knob::kBackgroundJobs).value = 10;
  CHECK(is(bench.ask(knob::kBackgroundJobs, 8), VerdictKind::kAllowed, ""));  // home
  bench.knob(knob::kBackgroundJobs).value = 8;
  bench.pass(3600);  // thawed, and what was widened is forgotten
  CHECK(is(bench.ask(knob::kBackgroundJobs, 9), VerdictKind::kAllowed, ""));
}

TEST_CASE("oscillation: the second freeze is twice as long, and the limiter may rise", "[guard]") {
  GuardBench bench(roomy());
  auto swing_limiter = [&bench] {
    for (int i = 0; i < 8; ++i) {
      bench.change(knob::kRateLimit, 400 * kGuardMiB, 3);
      Verdict down = bench.change(knob::kRateLimit, 100 * kGuardMiB, 3);
      if (down.kind == VerdictKind::kHeld) return down;
    }
    FAIL("never held");
    return Verdict();
  };
  for (int i = 0; i < 2; ++i) {
    swing_limiter();
    bench.pass(601);
  }
  CHECK(swing_limiter().reason.find("30 min") != std::string::npos);
  CHECK(is(bench.ask(knob::kRateLimit, 450 * kGuardMiB), VerdictKind::kAllowed, ""));
  bench.pass(1801);
  CHECK(swing_limiter().reason.find("60 min") != std::string::npos);
}

TEST_CASE("oscillation: advice moves nothing to and fro", "[guard]") {
  GuardBench bench(roomy());
  const bool advised = GENERATE(true, false);
  int held = 0;
  for (int i = 0; i < 12; ++i) {
    const std::string id = std::to_string(i) + "-1";
    Decision one =
        bench.wants(id.c_str(), "memory.shift", knob::kBackgroundJobs, i % 2 == 0 ? 5 : 3);
    one.verdict = bench.guard.judge(one.proposal, bench.f);
    if (one.verdict.rule == "oscillation") ++held;
    bench.guard.decided(one, bench.f.at.tick);
    if (advised) {
      bench.guard.advised(one);
    } else {
      bench.guard.applied(one, bench.f.at.tick);
    }
    bench.guard.judged(id);
    bench.pass(35);
  }
  CHECK((held == 0) == advised);
}
