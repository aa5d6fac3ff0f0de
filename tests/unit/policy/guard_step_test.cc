// How far one change goes: the guard's clamp by steps.
#include <algorithm>
#include <limits>

#include "policy/guard.h"
#include "tests/unit/policy/guard_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

using StepBench = GuardBench;

}  // namespace

TEST_CASE("step: one change moves a knob so far and no further", "[guard]") {
  StepBench bench;
  Verdict verdict = bench.ask(knob::kRateLimit, 900 * kGuardMiB);
  CHECK(is(verdict, VerdictKind::kClamped, "step"));
  CHECK(verdict.value == 400 * kGuardMiB);
  bench.f.cpus = 64;
  CHECK(bench.ask(knob::kBackgroundJobs, 64).value == 6);
}

TEST_CASE("relation: fewer than two jobs only as they were found", "[guard]") {
  const std::int64_t found = GENERATE(1, 2);
  StepBench bench;
  bench.knob(knob::kBackgroundJobs) = jobs_knob(3, found);
  CHECK(bench.ask(knob::kBackgroundJobs, 1).value == found);
}

TEST_CASE("step: unlimited is near for a limit that limits next to nothing", "[guard]") {
  StepBench bench;
  // 50 MB/s pass 100 MiB/s: the limit is within reach of the load, so unlimited is far away.
  CHECK(bench.change(knob::kRateLimit, kUnlimitedBytesPerSecond).value == 400 * kGuardMiB);
  CHECK(is(bench.ask(knob::kRateLimit, kUnlimitedBytesPerSecond), VerdictKind::kAllowed, ""));
  StepBench idle;
  idle.f.limiter_bytes_per_second = 5e6;
  idle.pass(31);
  CHECK(is(idle.ask(knob::kRateLimit, kUnlimitedBytesPerSecond), VerdictKind::kAllowed, ""));
}

TEST_CASE("step: a limit goes back to what was found at once", "[guard]") {
  const std::int64_t found = GENERATE(800 * kGuardMiB, kUnlimitedBytesPerSecond);
  StepBench bench;
  bench.knob(knob::kRateLimit).found = found;
  SECTION("there") {
    CHECK(is(bench.ask(knob::kRateLimit, found), VerdictKind::kAllowed, ""));
  }
  SECTION("and not beyond") {
    const std::int64_t beyond = 900 * kGuardMiB;
    CHECK(bench.ask(knob::kRateLimit, beyond).value == std::min(found, beyond));
  }
}

TEST_CASE("step: from unlimited it is measured from what passes", "[guard]") {
  StepBench bench;
  bench.knob(knob::kRateLimit) = limiter_knob(kUnlimitedBytesPerSecond);
  Verdict verdict = bench.ask(knob::kRateLimit, 11 * kGuardMiB);
  CHECK(is(verdict, VerdictKind::kClamped, "step"));
  CHECK(verdict.value == 12500000);
  bench.pass(10);
  CHECK(is(bench.ask(knob::kRateLimit, 60 * kGuardMiB), VerdictKind::kAllowed, ""));
  StepBench blind;
  blind.knob(knob::kRateLimit) = limiter_knob(kUnlimitedBytesPerSecond);
  blind.f.limiter_bytes_per_second.reset();
  blind.pass(31);
  CHECK(is(blind.ask(knob::kRateLimit, 60 * kGuardMiB), VerdictKind::kHeld, "step"));
}

TEST_CASE("step: while writers stand still a limiter is raised by two steps at once", "[guard]") {
  StepBench bench;
  bench.knob(knob::kRateLimit) = limiter_knob(10 * kGuardMiB, 10 * kGuardMiB);
  const std::int64_t far = 900 * kGuardMiB;
  SECTION("writes are stopped") {
    bench.f.write_stopped = 1;
    CHECK(bench.ask(knob::kRateLimit, far).value == 160 * kGuardMiB);
    bench.f.cpus = 64;
    CHECK(bench.ask(knob::kBackgroundJobs, 64).value == 6);  // the limiter alone
    bench.knob(knob::kRateLimit) = limiter_knob(900 * kGuardMiB, 900 * kGuardMiB);
    bench.pass(2);
    CHECK(bench.ask(knob::kRateLimit, 50 * kGuardMiB).value == 225 * kGuardMiB);  // and only up
  }
  SECTION("they lost most of the interval") {
    bench.f.stalled_ratio = 0.5;
    CHECK(bench.ask(knob::kRateLimit, far).value == 160 * kGuardMiB);
  }
  SECTION("they lost less, or are delayed") {
    bench.f.stalled_ratio = 0.49;
    bench.f.delayed_bytes_per_second = 16e6;
    CHECK(bench.ask(knob::kRateLimit, far).value == 40 * kGuardMiB);
  }
}

TEST_CASE("step: the largest limit that there is, is reached exactly", "[guard]") {
  using Limits = std::numeric_limits<std::int64_t>;
  const std::int64_t found = GENERATE(Limits::max(), Limits::max() - 5);
  GuardBench bench;
  KnobReading& limiter = bench.knob(knob::kRateLimit);
  limiter.found = found;
  limiter.value = 20 * kGuardMiB;
  limiter.owner = KnobOwner::kRocktune;
  bench.pass(60);
  CHECK(bench.ask(knob::kRateLimit, found).value == found);
}
