// The guard's rules that make a change wait for others: canary and blamed.
#include <utility>

#include "policy/urgent.h"
#include "tests/unit/policy/guard_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

using WaitBench = GuardBench;

// Writers are held up from now on.
void stall(WaitBench& bench) {
  bench.f.stalled_ratio = 0.5;
  bench.pass(0.5);
}

}  // namespace

TEST_CASE("canary: one change of a loop at a time, until it is judged", "[guard]") {
  WaitBench bench(roomy());
  CHECK(bench.act(bench.wants("1-1", "memory.shift", knob::kBackgroundJobs, 5)).kind ==
        VerdictKind::kAllowed);
  Verdict verdict = bench.act(bench.wants("1-2", "memory.grow", knob::kCacheCapacity, 300 << 20));
  CHECK(is(verdict, VerdictKind::kHeld, "canary"));
  CHECK(verdict.reason.find("decision 1-1 changed max_background_jobs") != std::string::npos);
  SECTION("another loop does not wait") {
    auto other = bench.wants("1-2", "cache.grow", knob::kCacheCapacity, 300 << 20);
    CHECK(is(bench.act(other), VerdictKind::kAllowed, ""));
  }
  SECTION("the same knob may go on") {
    bench.pass(6);
    auto more = bench.wants("7-1", "memory.shift", knob::kBackgroundJobs, 6);
    CHECK(is(bench.act(more), VerdictKind::kAllowed, ""));
    bench.pass(25);  // its own window, not that of the first
    auto other = bench.wants("9-1", "memory.grow", knob::kCacheCapacity, 300 << 20);
    CHECK(is(bench.act(other), VerdictKind::kHeld, "canary"));
  }
  SECTION("judged before its time") {
    bench.guard.judged("1-1");
    auto other = bench.wants("1-2", "memory.grow", knob::kCacheCapacity, 300 << 20);
    CHECK(is(bench.act(other), VerdictKind::kAllowed, ""));
  }
  SECTION("a window that waits, since nothing is read, for five minutes at most") {
    auto other = bench.wants("1-2", "memory.grow", knob::kCacheCapacity, 300 << 20);
    for (const double absent : {299, 299, 302}) {
      bench.look_unread(absent);
      for (int i = 0; i < 2; ++i) bench.pass(0.5);
      const bool waits = absent < 300;
      CHECK(is(bench.act(other), waits ? VerdictKind::kHeld : VerdictKind::kAllowed,
               waits ? "canary" : ""));
    }
  }
  SECTION("judged a second time") {
    Decision first = bench.wants("1-1", "memory.shift", knob::kBackgroundJobs, 5);
    bench.guard.judged("1-1");
    bench.guard.judged_again(first, bench.f.at.tick);
    auto other = bench.wants("1-2", "memory.grow", knob::kCacheCapacity, 300 << 20);
    CHECK(is(bench.act(other), VerdictKind::kHeld, "canary"));
    bench.guard.judged("1-1");
    CHECK(is(bench.act(other), VerdictKind::kAllowed, ""));
  }
  SECTION("another database") {
    bench.guard.reset();
    auto other = bench.wants("1-2", "memory.grow", knob::kCacheCapacity, 300 << 20);
    CHECK(is(bench.act(other), VerdictKind::kAllowed, ""));
  }
}

TEST_CASE("canary: where databases take turns a window takes longer", "[guard]") {
  WaitBench bench(roomy());
  bench.act(bench.wants("1-1", "memory.shift", knob::kBackgroundJobs, 5, "cache_hit_ratio", 600));
  auto other = bench.wants("1-2", "memory.grow", knob::kCacheCapacity, 300 << 20);
  for (int i = 1; i < 1200; ++i) {
    bench.look_unread(0.5);
    bench.pass(0.5);
    if (i % 200 == 0) CHECK(is(bench.act(other), VerdictKind::kHeld, "canary"));
  }
  bench.pass(0.5);
  CHECK(is(bench.act(other), VerdictKind::kAllowed, ""));
}

TEST_CASE("canary: the same knob of another column family is another knob", "[guard]") {
  WaitBench bench(roomy());
  KnobReading family = bench.knob(knob::kBackgroundJobs);
  family.column_family = "two";
  bench.f.knobs.edit().push_back(family);
  bench.act(bench.wants("1-1", "shape.size", knob::kBackgroundJobs, 5));
  Decision other = bench.wants("1-2", "shape.size", knob::kBackgroundJobs, 6);
  other.proposal.column_family = "two";
  other.proposal.from = 4;
  CHECK(is(bench.guard.judge(other.proposal, bench.f), VerdictKind::kHeld, "canary"));
}

TEST_CASE("canary: a change that is not made holds nobody", "[guard]") {
  WaitBench bench(roomy());
  Decision first = bench.wants("1-1", "memory.shift", knob::kBackgroundJobs, 5);
  first.verdict = bench.guard.judge(first.proposal, bench.f);
  bench.guard.decided(first, bench.f.at.tick);
  auto other = bench.wants("1-2", "memory.grow", knob::kCacheCapacity, 300 << 20);
  CHECK(is(bench.act(other), VerdictKind::kHeld, "canary"));  // it may be under way
  SECTION("failed") {
    bench.guard.failed(first);
  }
  SECTION("only advised") {
    bench.guard.advised(first);
  }
  CHECK(is(bench.act(other), VerdictKind::kAllowed, ""));
}

TEST_CASE("canary: a change that failed leaves the one before it to be judged", "[guard]") {
  WaitBench bench(roomy());
  bench.act(bench.wants("1-1", "memory.shift", knob::kBackgroundJobs, 5));
  bench.pass(6);
  Decision second = bench.wants("2-1", "memory.shift", knob::kBackgroundJobs, 6);
  second.verdict = bench.guard.judge(second.proposal, bench.f);
  bench.guard.decided(second, bench.f.at.tick);
  bench.guard.failed(second);
  auto other = bench.wants("2-2", "memory.grow", knob::kCacheCapacity, 300 << 20);
  Verdict verdict = bench.act(other);
  CHECK(is(verdict, VerdictKind::kHeld, "canary"));
  CHECK(verdict.reason.find("decision 1-1") != std::string::npos);
}

TEST_CASE("canary: relief of a stall and protection never wait", "[guard]") {
  WaitBench bench(roomy());
  bench.act(bench.wants("1-1", "memory.shift", knob::kBackgroundJobs, 5));
  auto relief = bench.wants("1-2", "memory.relief", knob::kCacheCapacity, 300 << 20, "l0_ratio");
  SECTION("no stall, no hurry") {
    CHECK(is(bench.act(relief), VerdictKind::kHeld, "canary"));
  }
  SECTION("in a stall, and shortly after it") {
    stall(bench);
    bench.f.stalled_ratio = 0;
    bench.pass(9);
    CHECK(is(bench.act(relief), VerdictKind::kAllowed, ""));
  }
  SECTION("what would not help a stall waits in a stall, too") {
    stall(bench);
    auto other = bench.wants("1-2", "memory.grow", knob::kCacheCapacity, 300 << 20);
    CHECK(is(bench.act(other), VerdictKind::kHeld, "canary"));
  }
  SECTION("raising the limiter waits for nobody, lowering it does") {
    auto raise = bench.wants("1-2", "memory.limit", knob::kRateLimit, 200 << 20, "stalled_ratio");
    CHECK(is(bench.act(raise), VerdictKind::kAllowed, ""));
    WaitBench again(roomy());
    again.act(again.wants("1-1", "memory.shift", knob::kBackgroundJobs, 5));
    auto lower = again.wants("1-2", "memory.limit", knob::kRateLimit, 50 << 20, "read_p99_us");
    CHECK(is(again.act(lower), VerdictKind::kHeld, "canary"));
  }
  SECTION("memory that is short") {
    auto shrink = bench.wants("1-2", "memory.short", knob::kCacheCapacity, 200 << 20,
                              "memory_pressure_ratio");
    CHECK(is(bench.act(shrink), VerdictKind::kAllowed, ""));
  }
  SECTION("a rollback") {
    auto back = bench.wants("1-2", "rollback.regression", knob::kCacheCapacity, 200 << 20);
    CHECK(is(bench.act(back), VerdictKind::kAllowed, ""));
  }
}

TEST_CASE("canary: what changes writes over minutes relieves no stall", "[guard]") {
  Proposal proposal;
  proposal.from = 1;
  proposal.to = 2;
  proposal.expected = {"stalled_ratio", true, 0.5, 60};
  for (const auto& [name, relieves] :
       {std::pair(knob::kL0Slowdown, true), {knob::kL0Trigger, false}, {knob::kLevelBase, false}}) {
    proposal.knob = name;
    CHECK(relieves_stall(proposal) == relieves);
  }
  std::swap(proposal.from, proposal.to);  // a slower delay, or one that begins sooner
  for (const auto name : {knob::kL0Slowdown, knob::kSoftPending, knob::kDelayedWriteRate}) {
    proposal.knob = name;
    CHECK_FALSE(relieves_stall(proposal));
  }
}

TEST_CASE("canary: a rollback is a change of the loop whose change it takes back", "[guard]") {
  WaitBench bench(roomy());
  bench.act(bench.wants("1-1", "memory.shift", knob::kBackgroundJobs, 5));
  bench.pass(31);
  auto back = bench.wants("2-1", "rollback.regression", knob::kBackgroundJobs, 4);
  CHECK(is(bench.act(back), VerdictKind::kAllowed, ""));
  auto other = bench.wants("2-2", "memory.grow", knob::kCacheCapacity, 300 << 20);
  CHECK(is(bench.act(other), VerdictKind::kHeld, "canary"));
}

TEST_CASE("blamed: the rule rests, longer each time", "[guard]") {
  WaitBench bench(roomy());
  const Decision raise = bench.wants("1-1", "jobs.backlog", knob::kBackgroundJobs, 5);
  double rest = 600;
  for (int i = 0; i < 6; ++i) {
    bench.guard.blame(raise.proposal, "1-1", bench.f.at.tick);
    bench.pass(rest - 1);
    Verdict verdict = bench.guard.judge(raise.proposal, bench.f);
    CHECK(is(verdict, VerdictKind::kHeld, "blamed"));
    CHECK(verdict.reason.find("decision 1-1") != std::string::npos);
    bench.pass(1);
    CHECK(is(bench.guard.judge(raise.proposal, bench.f), VerdictKind::kAllowed, ""));
    bench.pass(10);
    rest = std::min(2 * rest, 4.0 * 3600);
  }
  bench.pass(9 * 3600);  // long ago: it begins anew
  bench.guard.blame(raise.proposal, "1-1", bench.f.at.tick);
  bench.pass(600);
  CHECK(is(bench.guard.judge(raise.proposal, bench.f), VerdictKind::kAllowed, ""));
}

TEST_CASE("blamed: only that rule, that way, that knob; never relief in a stall", "[guard]") {
  WaitBench bench(roomy());
  const Decision raise =
      bench.wants("1-1", "jobs.backlog", knob::kBackgroundJobs, 5, "stalled_ratio");
  bench.guard.blame(raise.proposal, "1-1", bench.f.at.tick);
  CHECK(is(bench.guard.judge(raise.proposal, bench.f), VerdictKind::kHeld, "blamed"));
  SECTION("the other way") {
    auto lower = bench.wants("1-2", "jobs.backlog", knob::kBackgroundJobs, 3);
    CHECK(is(bench.act(lower), VerdictKind::kAllowed, ""));
  }
  SECTION("another rule") {
    auto other = bench.wants("1-2", "jobs.probe", knob::kBackgroundJobs, 5);
    CHECK(is(bench.act(other), VerdictKind::kAllowed, ""));
  }
  SECTION("in a stall") {
    stall(bench);
    CHECK(is(bench.act(raise), VerdictKind::kAllowed, ""));
  }
  SECTION("a slower delay is no relief, whatever is expected of it") {
    bench.f.knobs.edit().push_back(
        knob_reading(knob::kDelayedWriteRate, 16 << 20, 16 << 20, 1 << 20, std::int64_t{1} << 40));
    auto slower =
        bench.wants("1-2", "flow.even", knob::kDelayedWriteRate, 8 << 20, "stalled_ratio");
    bench.guard.blame(slower.proposal, "1-2", bench.f.at.tick);
    stall(bench);
    CHECK(is(bench.act(slower), VerdictKind::kHeld, "blamed"));
    auto faster =
        bench.wants("1-3", "flow.collapse", knob::kDelayedWriteRate, 24 << 20, "stalled_ratio");
    bench.guard.blame(faster.proposal, "1-3", bench.f.at.tick);
    CHECK(is(bench.act(faster), VerdictKind::kAllowed, ""));
  }
  SECTION("the limiter rests like any other, but not in a stall") {
    auto limiter = bench.wants("1-2", "limiter.backlog", knob::kRateLimit, 200 << 20, "l0_ratio");
    bench.guard.blame(limiter.proposal, "1-2", bench.f.at.tick);
    CHECK(is(bench.act(limiter), VerdictKind::kHeld, "blamed"));
    stall(bench);
    CHECK(is(bench.act(limiter), VerdictKind::kAllowed, ""));
  }
}

TEST_CASE("memory that the host lacks is given back whatever came of it before", "[guard]") {
  Budget budget = roomy();
  budget.changes_per_hour = 6;
  WaitBench bench(budget);
  const auto shrink = [&] {
    return bench.wants("1-1", "cache.memory", knob::kCacheCapacity,
                       bench.knob(knob::kCacheCapacity).value * 8 / 10, "memory_pressure_ratio");
  };
  bench.guard.blame(shrink().proposal, "1-1", bench.f.at.tick);
  for (int i = 0; i < 4; ++i) {
    bench.pass(61);
    CHECK(is(bench.act(shrink()), VerdictKind::kAllowed, ""));
    bench.pass(61);
    bench.act(bench.wants("1-2", "cache.miss", knob::kCacheCapacity, 256 << 20));
  }
  bench.pass(61);
  // Not so what is lowered for another reason.
  auto other = shrink();
  other.proposal.expected.feature = "cache_hit_ratio";
  CHECK(bench.act(other).kind == VerdictKind::kHeld);
  CHECK(is(bench.act(shrink()), VerdictKind::kAllowed, ""));
}

TEST_CASE("dwell: a job that came with a limit that smooths goes with it", "[guard]") {
  GuardBench bench;
  bench.f.cpus = 64;
  bench.change(knob::kBackgroundJobs, 5, 0.5);
  const auto verdict = [&bench](std::string_view rule, std::int64_t to) {
    return bench.guard.judge(bench.wants("2-1", rule, knob::kBackgroundJobs, to).proposal, bench.f);
  };
  CHECK(is(verdict("jobs.loaded", 4), VerdictKind::kHeld, "dwell"));
  CHECK(is(verdict("jobs.smoothed", 6), VerdictKind::kHeld, "dwell"));
  CHECK(is(verdict("jobs.smoothed", 4), VerdictKind::kAllowed, ""));
}
