// Raises of the limiter for a delay that costs nobody any time, and on a device that is full.
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("limiter: a delay at which nobody loses time is no haste", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(40 * kHeadroomMiB, 39.0 * kHeadroomMiB);
  bench.backlog(21);
  bench.f.delayed_bytes_per_second = 16e6;
  SECTION("twofold") {
    CHECK(bench.run(2, knob::kRateLimit)->to == 80 * kHeadroomMiB);
  }
  SECTION("fourfold where writers come first") {
    bench.objective.first = Priority::kStallSeconds;
    CHECK(bench.run(2, knob::kRateLimit)->to == 160 * kHeadroomMiB);
  }
  SECTION("fourfold where nobody knows what they lose") {
    bench.f.stalled_ratio.reset();
    CHECK(bench.run(2, knob::kRateLimit)->to == 160 * kHeadroomMiB);
  }
}

TEST_CASE("limiter: a forecast alone moves no more in the pauses between two steps", "[headroom]") {
  HeadroomBench bench;
  bench.f.compaction_write_bytes_per_second = 70e6;  // needs twice as much as may pass
  bench.set_limit(40 * kHeadroomMiB, 41e6);
  bench.run(70, knob::kRateLimit);
  bench.backlog(18);
  bench.f.l0_ratio = 0.2;
  for (int step = 0; step < 4; ++step) {
    const auto raise = bench.run(2.5, knob::kRateLimit);
    REQUIRE(raise);
    CHECK(raise->rule == "limiter.backlog");
    CHECK(static_cast<double>(raise->to) <= 1.26 * static_cast<double>(raise->from));
    bench.apply(*raise);
    bench.set_limit(raise->to, static_cast<double>(raise->to));
  }
}

TEST_CASE("jobs: the limiter goes first in the pauses between its steps, too", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(40 * kHeadroomMiB, 39.0 * kHeadroomMiB);
  bench.backlog(18);
  bench.f.delayed_bytes_per_second = 16e6;
  bench.f.running_compactions = 1;
  double seconds = 0;
  for (bool raised = false; !raised && seconds < 20; seconds += 0.5) {
    for (const Proposal& proposal : bench.tick()) {
      raised = raised || proposal.knob == knob::kBackgroundJobs;
      if (proposal.knob != knob::kRateLimit) continue;
      bench.set_limit(proposal.to, static_cast<double>(proposal.to));  // used up at once
    }
  }
  CHECK(seconds >= 9.5);
  CHECK(seconds < 20);
}

TEST_CASE("limiter: on a full device a raise is for what is lost, or near a limit", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(40 * kHeadroomMiB, 39.0 * kHeadroomMiB);
  bench.f.running_compactions = 1;
  bench.run(10, knob::kRateLimit);  // what the device takes at its idlest
  bench.f.device_read_await_ms = 3;
  bench.run(5, knob::kRateLimit);
  SECTION("not for a delay at which nobody loses time") {
    bench.backlog(21);
    bench.f.delayed_bytes_per_second = 16e6;
    bench.f.l0_stop_files = 36;
    CHECK_FALSE(bench.run(10, knob::kRateLimit));
    SECTION("until they do") {
      bench.f.stalled_ratio = 0.1;
      CHECK(bench.run(1, knob::kRateLimit)->to == 160 * kHeadroomMiB);
    }
    SECTION("until level 0 nears its stop") {
      bench.f.l0_files = 32;
      CHECK(bench.run(1, knob::kRateLimit)->to == 80 * kHeadroomMiB);
    }
    SECTION("until pending bytes near theirs") {
      bench.f.pending_soft_bytes = 1e8;
      bench.f.pending_hard_bytes = 5e8;
      bench.f.pending_bytes = 3.9e8;
      CHECK_FALSE(bench.run(1, knob::kRateLimit));
      bench.f.pending_bytes = 4e8;
      CHECK(bench.run(1, knob::kRateLimit)->to == 80 * kHeadroomMiB);
    }
    SECTION("until memtables are one short of it, where they delay at all") {
      bench.f.max_write_buffers = 3;
      bench.f.immutable_memtables = 2;
      CHECK_FALSE(bench.run(1, knob::kRateLimit));
      bench.f.max_write_buffers = 4;
      bench.f.immutable_memtables = 3;
      CHECK(bench.run(1, knob::kRateLimit)->to == 80 * kHeadroomMiB);
    }
    SECTION("until nobody reads any more") {
      bench.f.reads_per_second = 0;
      CHECK_FALSE(bench.run(59, knob::kRateLimit));
      CHECK(bench.run(2, knob::kRateLimit)->to == 80 * kHeadroomMiB);
    }
    SECTION("but behind a limit that was lowered, up to what was found") {
      bench.knob(knob::kRateLimit).owner = KnobOwner::kRocktune;
      bench.knob(knob::kRateLimit).found = 60 * kHeadroomMiB;
      CHECK(bench.run(1, knob::kRateLimit)->to == 60 * kHeadroomMiB);
    }
    SECTION("but the need is followed") {
      bench.f.user_write_bytes_per_second = 100e6;
      const auto follows = bench.run(20, knob::kRateLimit);
      REQUIRE(follows);
      CHECK(follows->rule == "limiter.need");
    }
  }
  SECTION("for it where writers come first") {
    bench.objective.first = Priority::kWriteP99;
    bench.backlog(21);
    bench.f.delayed_bytes_per_second = 16e6;
    CHECK(bench.run(2, knob::kRateLimit));
  }
  SECTION("not for a forecast alone") {
    bench.backlog(18);
    bench.indicators[0].calibrated = true;
    bench.f.l0_ratio = 0.2;
    CHECK_FALSE(bench.run(10, knob::kRateLimit));
    bench.f.l0_ratio = 0.9;
    CHECK(bench.run(2, knob::kRateLimit)->to == 80 * kHeadroomMiB);
  }
  SECTION("nor does a forecast alone follow a need, but for more writes") {
    bench.f.compaction_write_bytes_per_second = 40e6;
    bench.run(70, knob::kRateLimit);
    bench.backlog(18);
    bench.f.l0_ratio = 0.2;
    CHECK_FALSE(bench.run(60, knob::kRateLimit));
    bench.indicators[0].calibrated = true;
    CHECK(bench.run(6, knob::kRateLimit)->rule == "limiter.need");
  }
  SECTION("for a debt of minutes") {
    bench.f.pending_bytes = 24e9;
    bench.f.pending_ratio = 0.35;
    CHECK(bench.run(2, knob::kRateLimit));
  }
}
