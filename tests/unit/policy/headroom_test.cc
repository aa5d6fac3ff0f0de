// What holds for all of headroom's loops, on hand-made features.
#include "policy/situation.h"
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("comfort: nothing is proposed", "[headroom]") {
  HeadroomBench bench;
  for (int i = 0; i < 2000; ++i) CHECK(bench.tick().empty());
}

TEST_CASE("comfort: level 0 may rest where it was found to begin its compactions", "[headroom]") {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 0);
  bench.f.l0_column_family = "default";
  bench.f.column_families[0].level0_slowdown_trigger = 20;
  bench.f.column_families[0].level0_compaction_trigger = 10;
  bench.knob(knob::kBackgroundJobs).value = 6;
  bench.knob(knob::kBackgroundJobs).owner = KnobOwner::kRocktune;
  bench.backlog(9);
  CHECK(bench.run(400, knob::kBackgroundJobs));  // what nobody uses goes back, in comfort
  bench.backlog(13);
  bench.run(20, knob::kBackgroundJobs);
  CHECK_FALSE(bench.run(400, knob::kBackgroundJobs));
}

TEST_CASE("without a reading nothing is proposed", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(40 * kHeadroomMiB, 39.0 * kHeadroomMiB);
  bench.backlog(18);
  bench.f.fresh = false;
  CHECK_FALSE(bench.run(5, knob::kRateLimit));
}

TEST_CASE("what one column family may gather is no comfort for another", "[headroom]") {
  HeadroomBench bench;
  bench.f.l0_column_family = "index";
  bench.f.l0_slowdown_files = 10;
  bench.f.l0_files = 7;
  bench.f.l0_ratio = 0.7;
  KnobReading trigger = knob_reading(knob::kL0Trigger, 8, 4, 1, 100);
  trigger.owner = KnobOwner::kRocktune;
  trigger.column_family = "default";
  SECTION("that of another one was raised") {
    bench.f.knobs.edit().push_back(trigger);
    Observer observer;
    const Situation seen =
        observer.observe({bench.f, bench.indicators, bench.objective, bench.budget});
    CHECK_FALSE(seen.comfortable);
  }
  SECTION("its own") {
    trigger.column_family = "index";
    bench.f.knobs.edit().push_back(trigger);
    Observer observer;
    const Situation seen =
        observer.observe({bench.f, bench.indicators, bench.objective, bench.budget});
    CHECK(seen.comfortable);
  }
}
