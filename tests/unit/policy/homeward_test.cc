// The way to the value that was found: neither a spent budget nor an argument holds it up, and
// neither lets pass what goes beyond it.
#include "tests/support/catch.h"
#include "tests/unit/policy/guard_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

GuardBench found_at(std::int64_t jobs, int changes_per_hour) {
  Budget budget;
  budget.jobs_max = 16;
  budget.changes_per_hour = changes_per_hour;
  GuardBench bench(budget);
  bench.knob(knob::kBackgroundJobs).value = bench.knob(knob::kBackgroundJobs).found = jobs;
  return bench;
}

}  // namespace

TEST_CASE("budget: the way to what was found is counted, and never waits", "[guard]") {
  GuardBench bench = found_at(8, 1);
  CHECK(bench.change(knob::kBackgroundJobs, 9).kind == VerdictKind::kAllowed);
  CHECK(is(bench.ask(knob::kBackgroundJobs, 10), VerdictKind::kHeld, "budget"));
  CHECK(is(bench.ask(knob::kBackgroundJobs, 7), VerdictKind::kHeld, "budget"));  // beyond it
  CHECK(bench.change(knob::kBackgroundJobs, 8).kind == VerdictKind::kAllowed);
  CHECK(is(bench.ask(knob::kBackgroundJobs, 9), VerdictKind::kHeld, "budget"));
}

TEST_CASE("budget: none at all leaves the way to what was found", "[guard]") {
  GuardBench bench = found_at(8, 0);
  bench.knob(knob::kBackgroundJobs).value = 10;
  CHECK(is(bench.ask(knob::kBackgroundJobs, 11), VerdictKind::kHeld, "budget"));
  CHECK(bench.change(knob::kBackgroundJobs, 9).kind == VerdictKind::kAllowed);
  CHECK(bench.change(knob::kBackgroundJobs, 8).kind == VerdictKind::kAllowed);
  CHECK(is(bench.ask(knob::kBackgroundJobs, 7), VerdictKind::kHeld, "budget"));
}

TEST_CASE("oscillation: across what was found is to and fro as anywhere else", "[guard]") {
  GuardBench bench = found_at(8, 120);
  CHECK(bench.change(knob::kBackgroundJobs, 9).kind == VerdictKind::kAllowed);
  CHECK(bench.change(knob::kBackgroundJobs, 7).kind == VerdictKind::kAllowed);  // 1
  CHECK(bench.change(knob::kBackgroundJobs, 9).kind == VerdictKind::kAllowed);  // 2
  CHECK(is(bench.ask(knob::kBackgroundJobs, 7), VerdictKind::kHeld, "oscillation"));
  CHECK(is(bench.ask(knob::kBackgroundJobs, 8), VerdictKind::kAllowed, ""));
}
