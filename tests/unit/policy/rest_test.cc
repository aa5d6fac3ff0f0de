// At rest: what goes back after minutes of peace does so beside a large tree's compactions, too.
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// Two jobs more than were found, which nobody uses.
HeadroomBench raised_jobs() {
  HeadroomBench bench;
  KnobReading& jobs = bench.knob(knob::kBackgroundJobs);
  jobs.value = 4;
  jobs.owner = KnobOwner::kRocktune;
  return bench;
}

// Minutes in which what waits rises from `low` to `high`, shares of its limit, and falls again.
std::optional<Proposal> run_minutes(HeadroomBench& bench, int minutes, double low, double high) {
  return bench.run_ticks(minutes * 120, knob::kBackgroundJobs, [&](int i) {
    bench.f.pending_ratio = low + (high - low) * (i % 120) / 120;
  });
}

}  // namespace

TEST_CASE("rest: what waits between two ends of compactions is no backlog", "[headroom]") {
  HeadroomBench bench = raised_jobs();
  CHECK_FALSE(run_minutes(bench, 4, 0.05, 0.45));
  const auto back = run_minutes(bench, 2, 0.05, 0.45);
  REQUIRE(back);
  CHECK(back->rule == "jobs.idle");
  CHECK(back->to == 3);
}

TEST_CASE("rest: not while as much waits at its least, nor near the limit", "[headroom]") {
  HeadroomBench bench = raised_jobs();
  CHECK_FALSE(run_minutes(bench, 10, 0.3, 0.45));
  CHECK_FALSE(run_minutes(bench, 10, 0.05, 0.55));
  CHECK(run_minutes(bench, 6, 0.05, 0.45));
}
