// Single loops of headroom on hand-made features; the closed loop is tested on its own.
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("comfort: nothing is proposed", "[headroom]") {
  HeadroomBench bench;
  for (int i = 0; i < 2000; ++i) CHECK(bench.tick().empty());
}

TEST_CASE("limiter: doubled when a backlog warns behind it, fourfold in a stall", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(40 * kHeadroomMiB, 39.0 * kHeadroomMiB);
  bench.backlog(18);
  auto proposal = bench.run(2, knob::kRateLimit);
  REQUIRE(proposal);
  CHECK(proposal->rule == "limiter.backlog");
  CHECK(proposal->from == 40 * kHeadroomMiB);
  CHECK(proposal->to == 80 * kHeadroomMiB);
  CHECK(proposal->expected.feature == "l0_ratio");
  CHECK(proposal->expected.lower_is_better);
  bench.f.delayed_bytes_per_second = 16e6;
  CHECK(bench.run(1, knob::kRateLimit)->to == 160 * kHeadroomMiB);
}

TEST_CASE("limiter: a stall that lasted a part of one poll counts as one", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(40 * kHeadroomMiB, 39.0 * kHeadroomMiB);
  bench.backlog(18);
  bench.run(5, knob::kRateLimit);
  bench.indicators[0].event = true;
  CHECK(bench.run(0.5, knob::kRateLimit)->to == 160 * kHeadroomMiB);
}

TEST_CASE("limiter: sixteenfold where writers stand still behind it", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(40 * kHeadroomMiB, 39.0 * kHeadroomMiB);
  bench.backlog(36);
  bench.run(5, knob::kRateLimit);
  SECTION("writes are stopped") {
    bench.f.write_stopped = 1;
  }
  SECTION("most of the interval was lost") {
    bench.f.stalled_ratio = 0.6;
  }
  CHECK(bench.run(0.5, knob::kRateLimit)->to == 640 * kHeadroomMiB);
}

TEST_CASE("limiter: fourfold where writers stand still, but hardly behind it", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(30 * kHeadroomMiB, 15.0 * kHeadroomMiB);  // half of it used, below the need
  bench.backlog(36);
  bench.run(5, knob::kRateLimit);
  bench.f.write_stopped = 1;
  CHECK(bench.run(0.5, knob::kRateLimit)->to == 120 * kHeadroomMiB);
}

TEST_CASE("limiter: near 1 GiB/s it becomes unlimited", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(600 * kHeadroomMiB, 590.0 * kHeadroomMiB);
  bench.backlog(18);
  CHECK(bench.run(2, knob::kRateLimit)->to == kUnlimitedBytesPerSecond);
}

TEST_CASE("limiter: a backlog that does not wait for it does not move it", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(400 * kHeadroomMiB, 30.0 * kHeadroomMiB);
  bench.backlog(18);
  CHECK_FALSE(bench.run(10, knob::kRateLimit));
}

TEST_CASE("limiter: a debt of minutes behind it is a backlog, too", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(40 * kHeadroomMiB, 39.0 * kHeadroomMiB);
  bench.f.pending_bytes = 24e9;
  bench.f.pending_ratio = 0.35;
  CHECK(bench.run(2, knob::kRateLimit)->rule == "limiter.backlog");
}

TEST_CASE("limiter: short of the need it follows without waiting for trouble", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(31000000, 30e6);  // 30 MB/s are needed
  bench.backlog(9);                 // no trouble, no comfort
  CHECK_FALSE(bench.run(4, knob::kRateLimit));
  auto proposal = bench.run(4, knob::kRateLimit);
  REQUIRE(proposal);
  CHECK(proposal->rule == "limiter.need");
  CHECK(proposal->to == Approx(45e6).epsilon(0.01));
}

TEST_CASE("limiter: in comfort what a long compaction uses up is no need", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(62000000, 62e6);
  bench.f.flush_bytes_per_second = 10e6;
  bench.f.compaction_write_bytes_per_second = 52e6;
  CHECK_FALSE(bench.run(1200, knob::kRateLimit));
  bench.f.user_write_bytes_per_second = 15e6;  // more writes are
  CHECK(bench.run(20, knob::kRateLimit)->rule == "limiter.need");
}

TEST_CASE("limiter: where more than 1 GiB/s passes that is a limit like another", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(900 * kHeadroomMiB, 890.0 * kHeadroomMiB);
  bench.backlog(9);
  bench.f.user_write_bytes_per_second = 20e6;
  bench.f.compaction_write_bytes_per_second = 880e6;  // what is needed
  const auto follows = bench.run(20, knob::kRateLimit);
  REQUIRE(follows);
  CHECK(follows->rule == "limiter.need");
  CHECK(follows->to > 1'300'000'000);
  CHECK(follows->to < 1'400'000'000);
}

namespace {
void disturbed_reads(HeadroomBench& bench) {
  bench.f.read_p99_us = 9000;
  bench.f.device_queue = 40;
  bench.f.running_compactions = 1;
}
}  // namespace

TEST_CASE("limiter: slow reads in comfort lower it, first to what passes", "[headroom]") {
  HeadroomBench bench;
  disturbed_reads(bench);
  bench.set_limit(kUnlimitedBytesPerSecond, 80e6);
  CHECK_FALSE(bench.run(9, knob::kRateLimit));
  auto proposal = bench.run(4, knob::kRateLimit);
  REQUIRE(proposal);
  CHECK(proposal->rule == "limiter.reads");
  CHECK(proposal->to == 80000000);
  CHECK(proposal->expected.feature == "read_p99_us");
  bench.set_limit(80000000, 50e6);
  CHECK_FALSE(bench.run(14, knob::kRateLimit));
  CHECK(bench.run(4, knob::kRateLimit)->to == 68000000);
  bench.set_limit(39000000, 20e6);  // 1.3 times the need: enough is enough
  CHECK_FALSE(bench.run(60, knob::kRateLimit));
}

TEST_CASE("limiter: a load that comes and goes is left what it needs when it is there",
          "[headroom]") {
  HeadroomBench bench;
  disturbed_reads(bench);
  bench.f.read_p99_us = 500;
  bench.f.user_write_bytes_per_second = 40e6;  // each three times, 30 s on end
  bench.f.flush_bytes_per_second = 40e6;
  bench.f.compaction_write_bytes_per_second = 80e6;
  bench.set_limit(kUnlimitedBytesPerSecond, 120e6);
  CHECK_FALSE(bench.run(40, knob::kRateLimit));
  bench.f.user_write_bytes_per_second = 5e6;
  bench.f.flush_bytes_per_second = 5e6;
  bench.f.compaction_write_bytes_per_second = 10e6;
  bench.f.read_p99_us = 9000;
  bench.set_limit(200e6, 60e6);
  const auto proposal = bench.run(60, knob::kRateLimit);
  REQUIRE(proposal);
  CHECK(proposal->rule == "limiter.reads");
  CHECK(proposal->to == 170'000'000);
  bench.set_limit(static_cast<std::int64_t>(1.25 * 110e6), 60e6);
  CHECK_FALSE(bench.run(30, knob::kRateLimit));
}

TEST_CASE("limiter: what a burst seemed to need, and nobody saw pass, is not left to it",
          "[headroom]") {
  HeadroomBench bench;
  disturbed_reads(bench);
  bench.f.read_p99_us = 500;
  CHECK_FALSE(bench.run(40, knob::kRateLimit));
  bench.f.user_write_bytes_per_second = 200e6;  // three times is what writes cost so far
  CHECK_FALSE(bench.run(3, knob::kRateLimit));
  bench.f.user_write_bytes_per_second = 10e6;
  bench.f.read_p99_us = 9000;
  bench.set_limit(60'000'000, 30e6);
  const auto proposal = bench.run(60, knob::kRateLimit);
  REQUIRE(proposal);
  CHECK(proposal->rule == "limiter.reads");
  CHECK(proposal->to == 51'000'000);
}

TEST_CASE(
    "limiter: reads that are foreseen to be slow are answered where that has come true before",
    "[headroom]") {
  HeadroomBench bench;
  disturbed_reads(bench);
  bench.f.read_p99_us = 3000;  // 5 ms are allowed
  bench.set_limit(kUnlimitedBytesPerSecond, 80e6);
  Indicator& p99 = bench.foresee_slow("read");
  bool answered = false;
  SECTION("it has") {
    answered = true;
  }
  SECTION("nobody knows") {
    p99.calibrated = false;
  }
  SECTION("it is writes that are") {
    p99.cause = "write";
  }
  SECTION("nothing warns any more") {
    p99.state = AlertState::kOk;
  }
  SECTION("the forecast is not valid") {
    p99.valid = false;
  }
  const auto proposal = bench.run(13, knob::kRateLimit);
  REQUIRE(proposal.has_value() == answered);
  if (!answered) return;
  CHECK(proposal->rule == "limiter.reads");
  CHECK(proposal->reason.find("3 ms, and foreseen to break its objective, without any backlog") !=
        std::string::npos);
}

TEST_CASE("limiter: where reads do not come first, a lowered limit leaves writes more",
          "[headroom]") {
  HeadroomBench bench;
  disturbed_reads(bench);
  bench.objective.first = Priority::kWriteP99;
  bench.set_limit(kUnlimitedBytesPerSecond, 50e6);
  const auto proposal = bench.run(13, knob::kRateLimit);
  REQUIRE(proposal);
  CHECK(proposal->to == Approx(1.3 * 1.5 * 30e6).epsilon(0.01));
}

TEST_CASE("limiter: slow reads are not its matter when a cause is missing", "[headroom]") {
  HeadroomBench bench;
  disturbed_reads(bench);
  bench.set_limit(kUnlimitedBytesPerSecond, 80e6);
  SECTION("the backlog slows the reads") {
    bench.backlog(10);
  }
  SECTION("no compaction runs") {
    bench.f.running_compactions = 0;
  }
  SECTION("the device is calm") {
    bench.f.device_queue = 2;
  }
  SECTION("the device is unknown") {
    bench.f.device_queue.reset();
    bench.f.device_read_await_ms.reset();
  }
  SECTION("the shape of the tree is unknown") {
    bench.f.l0_ratio.reset();
  }
  SECTION("the limiter is gone") {
    bench.f.knobs.edit()[0].changeable = false;
  }
  CHECK_FALSE(bench.run(60, knob::kRateLimit));
}

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
