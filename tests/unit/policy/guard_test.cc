// Every rule of policy/guard.h, in its order.
#include "policy/guard.h"

#include "policy/rollback.h"
#include "policy/situation.h"
#include "tests/unit/policy/guard_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

using Bench = GuardBench;

}  // namespace

TEST_CASE("what breaks no rule is allowed as it is", "[guard]") {
  Bench bench;
  Verdict verdict = bench.ask(knob::kRateLimit, 200 * kGuardMiB);
  CHECK(is(verdict, VerdictKind::kAllowed, ""));
  CHECK(verdict.value == 200 * kGuardMiB);
}

TEST_CASE("stale: without a reading nothing is changed", "[guard]") {
  Bench bench;
  bench.f.fresh = false;
  bench.pass(0.5);
  Verdict verdict = bench.ask(knob::kRateLimit, 200 * kGuardMiB);
  CHECK(is(verdict, VerdictKind::kHeld, "stale"));
  CHECK(verdict.value == 100 * kGuardMiB);
  bench.f.fresh = true;
  bench.pass(0.5);  // one missed sample is no gap
  CHECK(is(bench.ask(knob::kRateLimit, 200 * kGuardMiB), VerdictKind::kAllowed, ""));
}

TEST_CASE("stale: after two missed samples the first one is only looked at", "[guard]") {
  bool skipped_numbers = GENERATE(false, true);
  Bench bench;
  if (skipped_numbers) {
    bench.f.sequence += 2;  // polls that were due and never became a sample
  } else {
    bench.f.fresh = false;
    bench.pass(0.5);
    bench.pass(0.5);
    bench.f.fresh = true;
  }
  bench.pass(0.5);
  CHECK(is(bench.ask(knob::kRateLimit, 200 * kGuardMiB), VerdictKind::kHeld, "stale"));
  bench.pass(0.5);
  CHECK(is(bench.ask(knob::kRateLimit, 200 * kGuardMiB), VerdictKind::kAllowed, ""));
}

TEST_CASE("stale: who has its turn in every third poll misses nothing", "[guard]") {
  Bench bench;
  int held = 0;
  for (int turn = 0; turn < 20; ++turn) {
    bench.f.fresh = false;
    bench.pass(0.5);
    bench.pass(0.5);
    bench.f.fresh = true;
    bench.pass(0.5);
    if (bench.ask(knob::kRateLimit, 200 * kGuardMiB).rule == "stale") ++held;
  }
  CHECK(held == 1);
}

TEST_CASE("range: what was found below the least rate is allowed again", "[guard]") {
  Bench bench;  // rate_limit_min is 10 MiB/s
  bench.knob(knob::kRateLimit).found = 5 * kGuardMiB;
  bench.knob(knob::kRateLimit).value = 12 * kGuardMiB;
  const Verdict back = bench.ask(knob::kRateLimit, 5 * kGuardMiB);
  CHECK(is(back, VerdictKind::kAllowed, ""));
  CHECK(back.value == 5 * kGuardMiB);
  bench.pass(3);
  CHECK(is(bench.ask(knob::kRateLimit, 6 * kGuardMiB), VerdictKind::kClamped, "range"));
}

TEST_CASE("known: catalogue, sample and changeable", "[guard]") {
  Bench bench;
  Proposal proposal;
  proposal.knob = "write_buffer_size";
  CHECK(is(bench.guard.judge(proposal, bench.f), VerdictKind::kRejected, "known"));
  bench.knob(knob::kRateLimit).changeable = false;
  bench.knob(knob::kRateLimit).reason = "the database was opened without a limiter";
  Verdict verdict = bench.ask(knob::kRateLimit, 200 * kGuardMiB);
  CHECK(is(verdict, VerdictKind::kRejected, "known"));
  CHECK(verdict.reason.find("opened without a limiter") != std::string::npos);
  bench.f.knobs = {};
  proposal.knob = knob::kRateLimit;
  CHECK(is(bench.guard.judge(proposal, bench.f), VerdictKind::kRejected, "known"));
}

TEST_CASE("manual: the operator wins", "[guard]") {
  Bench bench;
  bench.knob(knob::kRateLimit).owner = KnobOwner::kManual;
  Verdict verdict = bench.ask(knob::kRateLimit, 200 * kGuardMiB);
  CHECK(is(verdict, VerdictKind::kHeld, "manual"));
  CHECK(verdict.reason.find("rocktune release") != std::string::npos);
}

TEST_CASE("believed: a proposal about another value is rejected", "[guard]") {
  Bench bench;
  Proposal proposal;
  proposal.knob = knob::kRateLimit;
  proposal.from = 90 * kGuardMiB;
  proposal.to = 200 * kGuardMiB;
  CHECK(is(bench.guard.judge(proposal, bench.f), VerdictKind::kRejected, "believed"));
}

TEST_CASE("range: budget, agent and catalogue", "[guard]") {
  Budget budget;
  budget.rate_limit_min = BytesPerSecond{50.0 * kGuardMiB};
  budget.jobs_max = 6;
  budget.memory_max = Bytes{300 * kGuardMiB};
  Bench bench(budget);
  Verdict verdict = bench.ask(knob::kRateLimit, 30 * kGuardMiB);
  CHECK(is(verdict, VerdictKind::kClamped, "range"));
  CHECK(verdict.value == 50 * kGuardMiB);
  verdict = bench.ask(knob::kBackgroundJobs, 8);
  CHECK(is(verdict, VerdictKind::kClamped, "range"));
  CHECK(verdict.value == 6);
  verdict = bench.ask(knob::kCacheCapacity, 380 * kGuardMiB);
  CHECK(is(verdict, VerdictKind::kClamped, "range"));
  CHECK(verdict.value == 300 * kGuardMiB);
}

TEST_CASE("range: unset budgets mean found cache and usable CPUs", "[guard]") {
  Bench bench;
  CHECK(is(bench.ask(knob::kCacheCapacity, 300 * kGuardMiB), VerdictKind::kHeld, "no_change"));
  CHECK(is(bench.ask(knob::kBackgroundJobs, 5), VerdictKind::kHeld, "no_change"));
  bench.f.cpus = 8;
  CHECK(is(bench.ask(knob::kBackgroundJobs, 6), VerdictKind::kAllowed, ""));
}

TEST_CASE("range: what the agent refuses is refused here, too", "[guard]") {
  Bench bench;
  bench.knob(knob::kRateLimit).max = 150 * kGuardMiB;
  CHECK(bench.ask(knob::kRateLimit, 200 * kGuardMiB).value == 150 * kGuardMiB);
  bench.knob(knob::kRateLimit).max = kGuardMiB;
  CHECK(is(bench.ask(knob::kRateLimit, 200 * kGuardMiB), VerdictKind::kRejected, "range"));
}

TEST_CASE("a clamp stops a change and never turns it round", "[guard]") {
  Budget budget;
  budget.memory_max = Bytes{128 * kGuardMiB};  // less than what was found
  Bench bench(budget);
  Verdict verdict = bench.ask(knob::kCacheCapacity, 300 * kGuardMiB);
  CHECK(is(verdict, VerdictKind::kHeld, "no_change"));
  CHECK(verdict.value == 256 * kGuardMiB);
  // The right way, and no further than asked: a budget bounds what is taken.
  CHECK(bench.ask(knob::kCacheCapacity, 200 * kGuardMiB).value == 200 * kGuardMiB);
}

TEST_CASE("a slice that shrank is reached in steps", "[guard][sharing]") {
  Bench bench;
  bench.knob(knob::kBackgroundJobs) = jobs_knob(8, 8);
  bench.f.shared = SharedBudget{};
  bench.f.shared->jobs_max = 2;
  for (const std::int64_t next : {6, 4, 2}) {
    CHECK(bench.change(knob::kBackgroundJobs, 2).value == next);
  }
}

TEST_CASE("memory above its budget may come down, whose ever it is", "[guard]") {
  Budget budget;
  budget.memory_max = Bytes{8 * kGuardMiB * 1024};
  Bench bench(budget);
  KnobReading size = cache_knob(128 * kGuardMiB, 64 * kGuardMiB);
  size.name = knob::kWriteBufferSize;
  KnobReading number = jobs_knob(4, 2);
  number.name = knob::kWriteBuffers;
  size.column_family = number.column_family = "default";
  KnobReading cache = cache_knob(20 * kGuardMiB * 1024, 4 * kGuardMiB * 1024);
  cache.owner = KnobOwner::kManual;  // an operator's, above the budget
  bench.f.knobs = {cache, size, number};
  Proposal back;
  back.knob = knob::kWriteBufferSize;
  back.column_family = "default";
  back.from = 128 * kGuardMiB;
  back.to = 64 * kGuardMiB;
  CHECK(bench.guard.judge(back, bench.f).value == 64 * kGuardMiB);
  back.to = 256 * kGuardMiB;
  CHECK(bench.guard.judge(back, bench.f).value == 128 * kGuardMiB);
}

TEST_CASE("a value found below the range may come into it in one step", "[guard]") {
  Bench bench;
  bench.knob(knob::kRateLimit) = limiter_knob(kGuardMiB, kGuardMiB);
  CHECK(bench.ask(knob::kRateLimit, 2 * kGuardMiB).value ==
        10 * kGuardMiB);  // budget.rate_limit_min
}

TEST_CASE("relation: two jobs at least, and memory that is there", "[guard]") {
  Bench bench;
  bench.knob(knob::kBackgroundJobs) = jobs_knob(3, 4);
  Verdict verdict = bench.ask(knob::kBackgroundJobs, 1);
  CHECK(is(verdict, VerdictKind::kClamped, "relation"));
  CHECK(verdict.value == 2);
  Budget budget;
  budget.memory_max = Bytes{4096 * kGuardMiB};
  Bench cache(budget);
  cache.f.memory_available_bytes = 40.0 * kGuardMiB;
  verdict = cache.ask(knob::kCacheCapacity, 300 * kGuardMiB);
  CHECK(is(verdict, VerdictKind::kClamped, "relation"));
  CHECK(verdict.value == 276 * kGuardMiB);
}

TEST_CASE("relation: unknown memory is no memory", "[guard]") {
  Budget budget;
  budget.memory_max = Bytes{4096 * kGuardMiB};
  Bench bench(budget);
  bench.f.memory_available_bytes.reset();
  CHECK(is(bench.ask(knob::kCacheCapacity, 300 * kGuardMiB), VerdictKind::kHeld, "no_change"));
}

TEST_CASE("range and relation that exclude each other leave no value", "[guard]") {
  Budget budget;
  budget.memory_max = Bytes{4096 * kGuardMiB};
  Bench bench(budget);
  bench.knob(knob::kCacheCapacity) = cache_knob(10 * kGuardMiB, 10 * kGuardMiB);
  bench.knob(knob::kCacheCapacity).min = 100 * kGuardMiB;
  bench.f.memory_available_bytes = 4.0 * kGuardMiB;
  Verdict verdict = bench.ask(knob::kCacheCapacity, 200 * kGuardMiB);
  CHECK(is(verdict, VerdictKind::kHeld, "range"));
  CHECK(verdict.value == 10 * kGuardMiB);
  bench.knob(knob::kBackgroundJobs) = jobs_knob(4, 4);
  bench.knob(knob::kBackgroundJobs).max = 1;  // but RocksDB needs two
  CHECK(is(bench.ask(knob::kBackgroundJobs, 3), VerdictKind::kHeld, "range"));
}

TEST_CASE("dwell: a knob rests after a change, others do not", "[guard]") {
  Bench bench;
  bench.change(knob::kRateLimit, 150 * kGuardMiB, 1.0);
  CHECK(is(bench.ask(knob::kRateLimit, 200 * kGuardMiB), VerdictKind::kHeld, "dwell"));
  bench.f.cpus = 8;
  CHECK(is(bench.ask(knob::kBackgroundJobs, 5), VerdictKind::kAllowed, ""));
  bench.pass(1.0);
  CHECK(is(bench.ask(knob::kRateLimit, 200 * kGuardMiB), VerdictKind::kAllowed, ""));
}

TEST_CASE("dwell: while writes stall the limiter goes up from poll to poll, and nothing else does",
          "[guard]") {
  Bench bench;
  bench.f.write_stopped = 1;
  bench.change(knob::kRateLimit, 150 * kGuardMiB, 0.5);
  CHECK(is(bench.ask(knob::kRateLimit, 120 * kGuardMiB), VerdictKind::kHeld, "dwell"));
  CHECK(is(bench.ask(knob::kRateLimit, 200 * kGuardMiB), VerdictKind::kAllowed, ""));
  CHECK(is(bench.ask(knob::kRateLimit, 200 * kGuardMiB), VerdictKind::kHeld, "dwell"));  // one each
  bench.f.cpus = 64;
  bench.change(knob::kBackgroundJobs, 5, 0.5);
  CHECK(is(bench.ask(knob::kBackgroundJobs, 6), VerdictKind::kHeld, "dwell"));
  bench.change(knob::kRateLimit, 250 * kGuardMiB, 0.5);
  bench.f.write_stopped = 0;
  bench.change(knob::kRateLimit, 300 * kGuardMiB, 0.5);
  CHECK(is(bench.ask(knob::kRateLimit, 350 * kGuardMiB), VerdictKind::kHeld, "dwell"));
}

TEST_CASE("budget: changes per hour, of all knobs together", "[guard]") {
  Budget budget;
  budget.changes_per_hour = 3;
  Bench bench(budget);
  bench.f.cpus = 64;
  CHECK(bench.change(knob::kRateLimit, 150 * kGuardMiB).kind == VerdictKind::kAllowed);
  CHECK(bench.change(knob::kBackgroundJobs, 5).kind == VerdictKind::kAllowed);
  CHECK(bench.change(knob::kRateLimit, 200 * kGuardMiB).kind == VerdictKind::kAllowed);
  CHECK(is(bench.ask(knob::kRateLimit, 250 * kGuardMiB), VerdictKind::kHeld, "budget"));
  bench.guard.reset();
  CHECK(is(bench.ask(knob::kRateLimit, 250 * kGuardMiB), VerdictKind::kHeld, "budget"));
  bench.pass(3600);
  CHECK(is(bench.ask(knob::kRateLimit, 250 * kGuardMiB), VerdictKind::kAllowed, ""));
}

TEST_CASE("budget: what is taken back was paid for", "[guard]") {
  Budget budget;
  budget.changes_per_hour = 1;
  Bench bench(budget);
  CHECK(bench.change(knob::kRateLimit, 150 * kGuardMiB).kind == VerdictKind::kAllowed);
  CHECK(is(bench.ask(knob::kRateLimit, 200 * kGuardMiB), VerdictKind::kHeld, "budget"));
  const auto back = bench.wants("2-1", kRollbackRule, knob::kRateLimit, 200 * kGuardMiB);
  CHECK(is(bench.act(back), VerdictKind::kAllowed, ""));
}

TEST_CASE("budget: a limiter goes back up to what was found", "[guard]") {
  Budget budget;
  budget.changes_per_hour = 1;
  Bench bench(budget);
  bench.knob(knob::kRateLimit).found = 100 * kGuardMiB;
  CHECK(bench.change(knob::kRateLimit, 50 * kGuardMiB).kind == VerdictKind::kAllowed);
  CHECK(is(bench.ask(knob::kRateLimit, 40 * kGuardMiB), VerdictKind::kHeld, "budget"));
  CHECK(bench.change(knob::kRateLimit, 110 * kGuardMiB).kind == VerdictKind::kAllowed);
  CHECK(is(bench.ask(knob::kRateLimit, 150 * kGuardMiB), VerdictKind::kHeld, "budget"));
}

TEST_CASE("budget: zero changes means none", "[guard]") {
  Budget budget;
  budget.changes_per_hour = 0;
  Bench bench(budget);
  CHECK(is(bench.ask(knob::kRateLimit, 150 * kGuardMiB), VerdictKind::kHeld, "budget"));
}

TEST_CASE("oscillation: the third reversal waits, the way home is free", "[guard]") {
  Budget budget;
  budget.jobs_max = 16;
  Bench bench(budget);
  bench.knob(knob::kBackgroundJobs).value = bench.knob(knob::kBackgroundJobs).found = 8;
  CHECK(bench.change(knob::kBackgroundJobs, 10).kind == VerdictKind::kAllowed);
  CHECK(bench.change(knob::kBackgroundJobs, 9).kind == VerdictKind::kAllowed);   // 1
  CHECK(bench.change(knob::kBackgroundJobs, 10).kind == VerdictKind::kAllowed);  // 2
  CHECK(bench.change(knob::kBackgroundJobs, 9).kind == VerdictKind::kAllowed);   // home
  CHECK(is(bench.ask(knob::kBackgroundJobs, 10), VerdictKind::kHeld, "oscillation"));
  CHECK(bench.ask(knob::kBackgroundJobs, 8).kind == VerdictKind::kAllowed);  // the same way
  bench.knob(knob::kBackgroundJobs).value = 8;
  bench.pass(601);
  CHECK(is(bench.ask(knob::kBackgroundJobs, 10), VerdictKind::kAllowed, ""));
}

TEST_CASE("oscillation: of the limiter lowerings wait, wherever it was found", "[guard]") {
  Bench bench;  // found at 100 MiB/s: lower than all that follows
  CHECK(bench.change(knob::kRateLimit, 200 * kGuardMiB).kind == VerdictKind::kAllowed);
  CHECK(bench.change(knob::kRateLimit, 150 * kGuardMiB).kind == VerdictKind::kAllowed);  // 1
  CHECK(bench.change(knob::kRateLimit, 200 * kGuardMiB).kind == VerdictKind::kAllowed);  // 2
  CHECK(is(bench.ask(knob::kRateLimit, 150 * kGuardMiB), VerdictKind::kHeld, "oscillation"));
  CHECK(is(bench.ask(knob::kRateLimit, 400 * kGuardMiB), VerdictKind::kAllowed, ""));
}

TEST_CASE("no_change: to the value that it has", "[guard]") {
  Bench bench;
  CHECK(is(bench.ask(knob::kRateLimit, 100 * kGuardMiB), VerdictKind::kHeld, "no_change"));
}

TEST_CASE("no_change: a knob out of range is not moved by asking for what it is", "[guard]") {
  Budget budget;
  budget.jobs_max = 2;
  Bench bench(budget);
  Verdict verdict = bench.ask(knob::kBackgroundJobs, 4);
  CHECK(verdict.kind == VerdictKind::kHeld);
  CHECK(verdict.value == 4);
}

TEST_CASE("clamps add up", "[guard]") {
  Budget budget;
  budget.memory_max = Bytes{1000 * kGuardMiB};
  Bench bench(budget);
  Verdict verdict = bench.ask(knob::kCacheCapacity, 5000 * kGuardMiB);
  CHECK(is(verdict, VerdictKind::kClamped, "range"));
  CHECK(verdict.value == 512 * kGuardMiB);
  CHECK(verdict.reason.find("; one step") != std::string::npos);
}

TEST_CASE("a cache goes down as it goes up: to half in one change", "[guard]") {
  Bench bench;
  const Verdict verdict = bench.ask(knob::kCacheCapacity, 20 * kGuardMiB);
  CHECK(is(verdict, VerdictKind::kClamped, "step"));
  CHECK(verdict.value == 128 * kGuardMiB);
}

TEST_CASE("a failed change gives its dwell and its budget back", "[guard]") {
  Budget budget;
  budget.changes_per_hour = 1;
  Bench bench(budget);
  Proposal proposal;
  proposal.knob = knob::kRateLimit;
  proposal.from = 100 * kGuardMiB;
  proposal.to = 150 * kGuardMiB;
  CHECK(bench.guard.judge(proposal, bench.f).kind == VerdictKind::kAllowed);
  CHECK(bench.guard.judge(proposal, bench.f).rule == "dwell");
  bench.guard.failed({"", proposal, {}});
  CHECK(bench.guard.judge(proposal, bench.f).kind == VerdictKind::kAllowed);
  proposal.knob = knob::kBackgroundJobs;
  bench.guard.failed({"", proposal, {}});  // of which nothing was allowed: nothing happens
  CHECK(bench.ask(knob::kRateLimit, 150 * kGuardMiB).rule == "dwell");
}

TEST_CASE("reset: another database owes no dwell", "[guard]") {
  Bench bench;
  bench.ask(knob::kRateLimit, 150 * kGuardMiB);
  bench.guard.reset();
  CHECK(is(bench.ask(knob::kRateLimit, 150 * kGuardMiB), VerdictKind::kAllowed, ""));
}

TEST_CASE("holding and rejecting leave no trace", "[guard]") {
  Budget budget;
  budget.changes_per_hour = 1;
  Bench bench(budget);
  for (int i = 0; i < 10; ++i) bench.ask(knob::kRateLimit, 100 * kGuardMiB);
  CHECK(is(bench.ask(knob::kRateLimit, 150 * kGuardMiB), VerdictKind::kAllowed, ""));
}

TEST_CASE("relation: a limit of pending bytes that is off bounds no other", "[guard]") {
  Bench bench;
  KnobReading soft =
      knob_reading(knob::kSoftPending, 64 * kGuardMiB, 64 * kGuardMiB, 0, std::int64_t{1} << 40);
  KnobReading hard = knob_reading(knob::kHardPending, 0, 0, 0, std::int64_t{1} << 40);
  soft.column_family = hard.column_family = "default";
  bench.f.knobs.edit().push_back(soft);
  bench.f.knobs.edit().push_back(hard);
  const Verdict verdict = bench.guard.judge(propose(soft, 100 * kGuardMiB, "test.rule"), bench.f);
  CHECK(verdict.kind == VerdictKind::kAllowed);
  CHECK(verdict.value == 100 * kGuardMiB);
}
