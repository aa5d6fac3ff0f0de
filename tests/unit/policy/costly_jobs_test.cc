// Raises of jobs for a backlog that nobody feels, and what they cost reads.
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// Level 0 nears its limit, nobody stalls, and the device is not loaded by what its reads take.
HeadroomBench before_a_raise() {
  HeadroomBench bench;
  bench.budget.jobs_max = 8;
  bench.f.reads_per_second = 5000;
  bench.f.read_mean_us = 800;
  bench.f.writes_per_second = 4000;
  bench.run(15, knob::kBackgroundJobs);
  bench.backlog(18);
  bench.f.running_compactions = 1;
  return bench;
}

void raise(HeadroomBench& bench) {
  const auto raised = bench.run(10, knob::kBackgroundJobs);
  REQUIRE(raised);
  CHECK(raised->rule == "jobs.backlog");
  CHECK(raised->to == 3);
  bench.apply(*raised);
}

void cost_reads(HeadroomBench& bench) {
  bench.f.reads_per_second = 3000;
  bench.f.read_mean_us = 1300;
}

}  // namespace

TEST_CASE("jobs: a raise that costs reads while nobody stalls goes back", "[headroom]") {
  HeadroomBench bench = before_a_raise();
  raise(bench);
  cost_reads(bench);
  CHECK_FALSE(bench.run(10, knob::kBackgroundJobs));
  bench.backlog(6);  // over
  CHECK_FALSE(bench.run(9, knob::kBackgroundJobs));
  const auto back = bench.run(3, knob::kBackgroundJobs);
  REQUIRE(back);
  CHECK(back->rule == "jobs.costly");
  CHECK(back->expected.feature.empty());  // no experiment: nothing takes it back
  CHECK(back->to == 2);
  CHECK(back->reason ==
        "with 3 background jobs 3000 reads/s are done, which take 1.3 ms in the mean, before they "
        "were raised it was 5000 and 800 us, and no writer stalls");
  SECTION("for a minute, then what stands stays") {
    REQUIRE(bench.run(50, knob::kBackgroundJobs));
    bench.run(15, knob::kBackgroundJobs);
    CHECK_FALSE(bench.run(60, knob::kBackgroundJobs));
  }
  SECTION("not once writers stall") {
    bench.f.stalled_ratio = 0.3;
    bench.run(3, knob::kBackgroundJobs);
    bench.f.stalled_ratio = 0;
    CHECK_FALSE(bench.run(40, knob::kBackgroundJobs));
  }
  SECTION("and rests") {
    bench.apply(*back);
    bench.backlog(18);
    CHECK_FALSE(bench.run(590, knob::kBackgroundJobs));
    SECTION("for ten minutes") {
      CHECK(bench.run(15, knob::kBackgroundJobs));
    }
    SECTION("or until writers stall") {
      bench.f.stalled_ratio = 0.3;
      const auto again = bench.run(5, knob::kBackgroundJobs);
      REQUIRE(again);
      CHECK(again->rule == "jobs.backlog");
    }
  }
}

TEST_CASE("jobs: a raise costs nothing by", "[headroom]") {
  HeadroomBench bench = before_a_raise();
  raise(bench);
  bench.backlog(6);
  SECTION("fewer reads that are as fast: nobody asked for more") {
    bench.f.reads_per_second = 3000;
  }
  SECTION("fewer, and slower: not so many are in flight") {
    cost_reads(bench);
    bench.f.read_mean_us = 1100;
  }
  SECTION("as many slower ones") {
    bench.f.read_mean_us = 1300;
  }
  SECTION("fewer writes") {
    bench.f.writes_per_second = 1;
    bench.f.read_mean_us = 1300;
  }
  SECTION("both while writers stall, and do more") {
    cost_reads(bench);
    bench.f.writes_per_second = 5500;
    bench.f.stalled_ratio = 0.3;
    bench.f.running_compactions = 0;
  }
  SECTION("both while the backlog is still there, and writers do more") {
    cost_reads(bench);
    bench.f.writes_per_second = 5500;
    bench.backlog(18);
  }
  SECTION("both while writers stall, and nobody knows what they do") {
    cost_reads(bench);
    bench.f.writes_per_second.reset();
    bench.f.stalled_ratio = 0.3;
    bench.f.running_compactions = 0;
  }
  SECTION("both beside another change") {
    cost_reads(bench);
    bench.run(5, knob::kBackgroundJobs);
    bench.f.knobs.edit()[2].value /= 2;
  }
  SECTION("what nobody can tell") {
    cost_reads(bench);
    bench.f.read_mean_us.reset();
  }
  CHECK_FALSE(bench.run(120, knob::kBackgroundJobs));
}

TEST_CASE("jobs: a raise in a stall that costs more than it brings goes back", "[headroom]") {
  HeadroomBench bench = before_a_raise();
  bench.f.knobs.edit().push_back(
      knob_reading(knob::kWriteSize, 128 << 10, 1 << 20, 64 << 10, 64 << 20));
  bench.f.stalled_ratio = 0.3;
  const auto raised = bench.run(10, knob::kBackgroundJobs);
  REQUIRE(raised);
  bench.apply(*raised);
  cost_reads(bench);
  bench.f.writes_per_second = 4500;
  bench.f.knobs.edit().back().value = 1 << 20;  // follows every backlog
  CHECK_FALSE(bench.run(19, knob::kBackgroundJobs));
  const auto back = bench.run(3, knob::kBackgroundJobs);
  REQUIRE(back);
  CHECK(back->rule == "jobs.costly");
  CHECK(back->to == raised->from);
  CHECK(
      back->reason.ends_with("before they were raised it was 5000 and 800 us, and with writes it "
                             "is 7500 operations/s of 9000"));
  bench.apply(*back);
  CHECK_FALSE(bench.run(590, knob::kBackgroundJobs));  // though writers stall
  CHECK(bench.run(15, knob::kBackgroundJobs));
}

TEST_CASE("jobs: a raise that ended a stall costs nothing where all together do more",
          "[headroom]") {
  HeadroomBench bench = before_a_raise();
  bench.f.stalled_ratio = 0.3;
  const auto raised = bench.run(10, knob::kBackgroundJobs);
  REQUIRE(raised);
  bench.apply(*raised);
  bench.f.stalled_ratio = 0;
  bench.backlog(6);
  cost_reads(bench);
  bench.f.writes_per_second = 5500;
  CHECK_FALSE(bench.run(120, knob::kBackgroundJobs));
}

TEST_CASE("jobs: where writers go first a raise costs nothing by reads", "[headroom]") {
  HeadroomBench bench = before_a_raise();
  bench.objective.first = Priority::kStallSeconds;
  raise(bench);
  cost_reads(bench);
  bench.backlog(6);
  CHECK_FALSE(bench.run(120, knob::kBackgroundJobs));
}
