// The loop of the compaction jobs on hand-made features.
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("jobs: raised when the slots are full, to where there is one more", "[headroom]") {
  HeadroomBench bench;
  bench.f.knobs.edit()[1] = jobs_knob(1, 1);
  bench.f.running_compactions = 1;
  // A forecast alone, far from every limit, is no reason.
  bench.backlog(8);
  bench.indicators[0].state = AlertState::kWarning;
  CHECK_FALSE(bench.run(10, knob::kBackgroundJobs));
  // Nor is a backlog on a device that answers more requests at once with longer queues.
  bench.f.device_read_await_ms = 3;
  CHECK_FALSE(bench.run(10, knob::kBackgroundJobs));
  bench.backlog(18);
  CHECK_FALSE(bench.run(10, knob::kBackgroundJobs));
  bench.f.device_read_await_ms = 0.2;
  auto proposal = bench.run(6, knob::kBackgroundJobs);
  REQUIRE(proposal);
  CHECK(proposal->rule == "jobs.backlog");
  CHECK(proposal->to == 3);  // with 2 RocksDB still runs one compaction
  bench.f.knobs.edit()[1] = jobs_knob(4, 1);
  bench.f.running_compactions = 3;
  CHECK_FALSE(bench.run(10, knob::kBackgroundJobs));  // 4 CPUs
  bench.budget.jobs_max = 8;
  CHECK(bench.run(1, knob::kBackgroundJobs)->to == 5);
  bench.f.cpu_busy_ratio = 1;
  bench.run(5, knob::kBackgroundJobs);
  CHECK_FALSE(bench.run(1, knob::kBackgroundJobs));
}

TEST_CASE("jobs: free slots, or a limiter in the way, need no more jobs", "[headroom]") {
  HeadroomBench bench;
  bench.backlog(18);
  SECTION("free slots") {
    bench.f.running_compactions = 0;
    CHECK_FALSE(bench.run(20, knob::kBackgroundJobs));
  }
  SECTION("the limiter first, for 10 s") {
    bench.f.running_compactions = 1;
    bench.set_limit(40 * kHeadroomMiB, 39.0 * kHeadroomMiB);
    CHECK_FALSE(bench.run(9.5, knob::kBackgroundJobs));
    CHECK(bench.run(2, knob::kBackgroundJobs));
  }
}

TEST_CASE("jobs: one slot at a time while a raised limiter may still end the stall", "[headroom]") {
  HeadroomBench bench;
  bench.backlog(18);
  bench.f.running_compactions = 1;
  bench.f.stalled_ratio = 0.3;
  SECTION("nothing was in the way") {
    REQUIRE(bench.run(2, knob::kBackgroundJobs));
    CHECK(bench.run(1, knob::kBackgroundJobs)->to == 4);
  }
  SECTION("the limiter was") {
    bench.set_limit(40 * kHeadroomMiB, 39.0 * kHeadroomMiB);
    CHECK_FALSE(bench.run(2, knob::kBackgroundJobs));
    bench.set_limit(160 * kHeadroomMiB, 39.0 * kHeadroomMiB);
    REQUIRE(bench.run(2, knob::kBackgroundJobs));
    CHECK(bench.run(1, knob::kBackgroundJobs)->to == 3);
    CHECK(bench.run(5, knob::kBackgroundJobs)->to == 4);
  }
  SECTION("the limiter is, and nobody raises it") {
    bench.set_limit(40 * kHeadroomMiB, 39.0 * kHeadroomMiB);
    CHECK_FALSE(bench.run(9.5, knob::kBackgroundJobs));
    REQUIRE(bench.run(2, knob::kBackgroundJobs));
    CHECK(bench.run(1, knob::kBackgroundJobs)->to == 3);
    CHECK(bench.run(4, knob::kBackgroundJobs)->to == 4);
  }
}

TEST_CASE("jobs: unused ones are given back one by one, ours only", "[headroom]") {
  HeadroomBench bench;
  bench.f.knobs.edit()[1] = jobs_knob(4, 2);
  bench.f.running_compactions = 1;
  CHECK_FALSE(bench.run(299, knob::kBackgroundJobs));
  auto proposal = bench.run(4, knob::kBackgroundJobs);
  REQUIRE(proposal);
  CHECK(proposal->rule == "jobs.idle");
  CHECK(proposal->to == 3);
  SECTION("used ones stay") {
    bench.f.running_compactions = 3;
    CHECK_FALSE(bench.run(900, knob::kBackgroundJobs));
  }
  SECTION("those that were found stay") {
    bench.f.knobs.edit()[1] = jobs_knob(4, 4);
    CHECK_FALSE(bench.run(900, knob::kBackgroundJobs));
  }
}

TEST_CASE("jobs: a stall that the limiter ended counts, too", "[headroom]") {
  HeadroomBench bench;
  bench.run(10, knob::kBackgroundJobs);
  bench.f.knobs.edit()[1] = jobs_knob(4, 2);
  bench.f.running_compactions = 3;
  bench.f.device_read_await_ms = 3;
  bench.run(8, knob::kBackgroundJobs);
  bench.set_limit(40 * kHeadroomMiB, 40.0 * kHeadroomMiB);  // binds, and is raised first
  bench.f.stalled_ratio = 0.5;
  CHECK_FALSE(bench.run(4, knob::kBackgroundJobs));
  bench.set_limit(kUnlimitedBytesPerSecond, 50e6);
  bench.f.stalled_ratio = 0;
  CHECK_FALSE(bench.run(9, knob::kBackgroundJobs));
  CHECK(bench.run(6, knob::kBackgroundJobs)->rule == "jobs.loaded");
}

TEST_CASE("jobs: what others take away is no mistake to learn from", "[headroom]") {
  HeadroomBench bench;
  bench.run(10, knob::kBackgroundJobs);
  bench.f.knobs.edit()[1] = jobs_knob(6, 2);
  bench.f.running_compactions = 3;
  bench.f.device_read_await_ms = 3;
  bench.run(3, knob::kBackgroundJobs);
  for (int i = 0; i < 5; ++i) {  // other databases' due, and back
    bench.knob(knob::kBackgroundJobs).value = 4;
    bench.run(3, knob::kBackgroundJobs);
    bench.knob(knob::kBackgroundJobs).value = 6;
    bench.run(3, knob::kBackgroundJobs);
  }
  const auto back = bench.run(12, knob::kBackgroundJobs);
  REQUIRE(back);
  CHECK(back->rule == "jobs.loaded");
}

TEST_CASE("jobs: what goes back where nobody reads is not judged by the first reads",
          "[headroom]") {
  HeadroomBench bench;
  bench.f.read_p99_us.reset();
  bench.f.reads_per_second = 0;
  bench.run(10, knob::kBackgroundJobs);
  bench.f.knobs.edit()[1] = jobs_knob(6, 2);
  bench.f.running_compactions = 3;
  bench.f.device_read_await_ms = 3;
  const auto back = bench.run(15, knob::kBackgroundJobs);
  REQUIRE(back);
  CHECK(back->rule == "jobs.loaded");
  CHECK(back->expected == Expectation{"stalled_ratio", true, 0, 30});
}

TEST_CASE("jobs: a warning alone raises nothing where level 0 is not known", "[headroom]") {
  HeadroomBench bench;
  bench.backlog(18);
  bench.f.running_compactions = 1;
  REQUIRE(bench.run(1, knob::kBackgroundJobs));
  HeadroomBench blind;
  blind.backlog(18);
  blind.f.running_compactions = 1;
  blind.f.l0_files.reset();
  blind.f.l0_ratio.reset();
  CHECK_FALSE(blind.run(20, knob::kBackgroundJobs));
}

TEST_CASE("jobs: on a loaded device those that ended a stall are given back", "[headroom]") {
  HeadroomBench bench;
  bench.run(10, knob::kBackgroundJobs);  // what the device takes at its idlest
  bench.f.knobs.edit()[1] = jobs_knob(4, 2);
  bench.f.running_compactions = 3;
  bench.f.compaction_write_bytes_per_second = 40e6;  // twice as much as before
  bench.f.device_read_await_ms = 3;
  SECTION("one at a time, down to what was found") {
    auto back = bench.run(20, knob::kBackgroundJobs);
    REQUIRE(back);
    CHECK(back->rule == "jobs.loaded");
    CHECK(back->to == 3);
    bench.apply(*back);
    CHECK_FALSE(bench.run(9, knob::kBackgroundJobs));
    back = bench.run(3, knob::kBackgroundJobs);
    REQUIRE(back);
    CHECK(back->to == 2);
    bench.apply(*back);
    CHECK_FALSE(bench.run(60, knob::kBackgroundJobs));
    SECTION("a moment of delay is no reason to have it again") {
      bench.f.running_compactions = 1;
      bench.f.stalled_ratio = 0.14;
      CHECK_FALSE(bench.run(0.5, knob::kBackgroundJobs));
      bench.f.stalled_ratio = 0;
      CHECK_FALSE(bench.run(10, knob::kBackgroundJobs));
      bench.f.write_stopped = 1;
      CHECK(bench.run(1.5, knob::kBackgroundJobs));
    }
    SECTION("wanted again soon, one is kept four times as long") {
      bench.f.write_stopped = 1;
      bench.f.running_compactions = 1;
      auto again = bench.run(5, knob::kBackgroundJobs);
      REQUIRE(again);
      CHECK(again->rule == "jobs.backlog");
      CHECK(again->to == 3);
      bench.apply(*again);
      SECTION("one mistake, however many steps it takes to mend it") {
        bench.f.running_compactions = 2;
        bench.f.compaction_write_bytes_per_second = 60e6;  // it helped, and so will the next
        again = bench.run(32, knob::kBackgroundJobs);
        REQUIRE(again);
        CHECK(again->to == 4);
        bench.apply(*again);
      }
      bench.f.compaction_write_bytes_per_second = 90e6;
      bench.f.write_stopped = 0;
      CHECK_FALSE(bench.run(39, knob::kBackgroundJobs));
      CHECK(bench.run(10, knob::kBackgroundJobs)->rule == "jobs.loaded");
    }
  }
  SECTION("not while a backlog warns") {
    bench.backlog(18);
    CHECK_FALSE(bench.run(60, knob::kBackgroundJobs));
  }
  SECTION("nor while writers stall") {
    bench.f.stalled_ratio = 0.2;
    CHECK_FALSE(bench.run(60, knob::kBackgroundJobs));
  }
  SECTION("nor on a device that answers as fast as ever") {
    bench.f.device_read_await_ms = 0.2;
    CHECK_FALSE(bench.run(60, knob::kBackgroundJobs));
  }
}
