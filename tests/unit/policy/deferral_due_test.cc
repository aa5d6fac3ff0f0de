// Compactions that wait for reads: until when, and what others make of it.
#include <algorithm>
#include <tuple>

#include "tests/unit/policy/deferral_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("deferral: it is due once a limit is near, or far away in time", "[headroom][deferral]") {
  HeadroomBench bench = deferred();
  SECTION("level 0 is nearly full") {
    fill_level0(bench, 17);
  }
  SECTION("half of the soft limit is pending") {
    bench.f.pending_ratio = 0.5;
  }
  SECTION("memtables wait for their flush") {
    bench.f.memtable_ratio = 1;
    bench.run(4, knob::kRateLimit);
  }
  SECTION("what waits would take more than a minute") {
    bench.f.pending_bytes = 2e9;
  }
  SECTION("what waits is not known any more") {
    bench.f.pending_bytes.reset();
  }
  CHECK(next_limit(bench, 2, "limiter.due").to == 27'000'000);
}

TEST_CASE("deferral: a load that has stayed for half an hour is none that goes",
          "[headroom][deferral]") {
  HeadroomBench bench = deferred();
  CHECK_FALSE(bench.run(1790, knob::kRateLimit));
  const Proposal due = next_limit(bench, 15, "limiter.due");
  CHECK(due.reason.find("the load has stayed for 30 min") == 0);
  limit(bench, due);
  CHECK(next_limit(bench, 12, "limiter.unpaced").to == kUnlimitedBytesPerSecond);
}

TEST_CASE("deferral: what is lost from sight in the middle of it leaves its way back open",
          "[headroom][deferral][fault]") {
  HeadroomBench bench = deferred();
  SECTION("the device") {
    bench.f.device_read_await_ms.reset();
    bench.f.device_read_iops.reset();
    bench.f.device_queue.reset();
    bench.indicators.clear();
    CHECK_FALSE(bench.run(30, knob::kRateLimit));
  }
  SECTION("the agent") {
    bench.f.fresh = false;
    CHECK_FALSE(bench.run(30, knob::kRateLimit));
    bench.f.fresh = true;
    CHECK_FALSE(bench.run(2, knob::kRateLimit));
  }
  SECTION("reads") {
    bench.f.read_p99_us.reset();
    CHECK_FALSE(bench.run(30, knob::kRateLimit));
  }
  fill_level0(bench, 18);
  CHECK(next_limit(bench, 2, "limiter.due").to > 20'100'000);
  // Refused, or not answered: it is asked for again, and with writers that wait all of it.
  next_limit(bench, 15, "limiter.due");
  bench.f.write_stopped = 1;
  CHECK(next_limit(bench, 2, "limiter.unpaced").to == kUnlimitedBytesPerSecond);
}

TEST_CASE("deferral: what is due gets nearly all that the device gives", "[headroom][deferral]") {
  HeadroomBench bench = deferred();
  fill_level0(bench, 17);
  limit(bench, next_limit(bench, 2, "limiter.due"));
  SECTION("for as long as that does") {
    fill_level0(bench, 12);
    CHECK_FALSE(bench.run(300, knob::kRateLimit));
  }
  SECTION("all of it where it does not") {
    CHECK_FALSE(bench.run(9, knob::kRateLimit));
    CHECK(next_limit(bench, 3, "limiter.unpaced").to == kUnlimitedBytesPerSecond);
  }
  SECTION("all of it where writers wait") {
    bench.f.stalled_ratio = 0.3;
    CHECK(next_limit(bench, 1, "limiter.unpaced").to == kUnlimitedBytesPerSecond);
  }
}

TEST_CASE("deferral: a rest follows, which is longer the next time", "[headroom][deferral]") {
  HeadroomBench bench = deferred();
  for (const double rest : {600.0, 1200.0}) {
    bench.f.stalled_ratio = 0.3;
    limit(bench, next_limit(bench, 0.5, "limiter.unpaced"));
    bench.f.stalled_ratio = 0;
    free_device(bench);
    CHECK_FALSE(bench.run(rest - 30, knob::kRateLimit));
    fill_device(bench);
    CHECK_FALSE(bench.run(20, knob::kRateLimit));
    limit(bench, next_limit(bench, 30, "limiter.defer"));
    CHECK_FALSE(bench.run(1, knob::kRateLimit));
  }
}

TEST_CASE("deferral: writers that stall, or write more, end it at once", "[headroom][deferral]") {
  HeadroomBench bench = deferred();
  SECTION("stalled") {
    bench.f.stalled_ratio = 0.3;
    CHECK(next_limit(bench, 0.5, "limiter.unpaced").to == kUnlimitedBytesPerSecond);
  }
  SECTION("a burst") {
    bench.f.user_write_bytes_per_second = 40e6;
    CHECK(next_limit(bench, 1.5, "limiter.unpaced").to == kUnlimitedBytesPerSecond);
  }
  SECTION("not who waited for reads, and writes again what was written before") {
    bench.f.user_write_bytes_per_second = 4e6;
    bench.run(20, knob::kRateLimit);
    bench.f.user_write_bytes_per_second = 10e6;
    CHECK_FALSE(bench.run(20, knob::kRateLimit));
  }
}

TEST_CASE("deferral: a step that the guard allowed in part goes on", "[headroom][deferral]") {
  HeadroomBench bench = filled();
  Proposal part = next_limit(bench, 8, "limiter.defer");
  part.to = 30'000'000;
  limit(bench, part);
  CHECK_FALSE(bench.run(14, knob::kRateLimit));
  CHECK(next_limit(bench, 3, "limiter.defer").to == 20'100'000);
}

TEST_CASE("deferral: a device that is fast again is used to work off what waits",
          "[headroom][deferral]") {
  HeadroomBench bench = deferred();
  bench.f.device_read_await_ms = 0.3;
  bench.f.read_p99_us = 1'000;
  saturated(bench, AlertState::kOk);
  SECTION("first nearly all of it, which reads may not bear") {
    CHECK_FALSE(bench.run(28, knob::kRateLimit));
    const Proposal nearly = next_limit(bench, 4, "limiter.worked_off");
    CHECK(nearly.to == 27'000'000);
    limit(bench, nearly);
    CHECK_FALSE(bench.run(29, knob::kRateLimit));
    const Proposal back = next_limit(bench, 4, "limiter.worked_off");
    CHECK(back.to == kUnlimitedBytesPerSecond);
    limit(bench, back);
    CHECK_FALSE(bench.run(300, knob::kRateLimit));
  }
  SECTION("as long as they do") {
    limit(bench, next_limit(bench, 32, "limiter.worked_off"));
    bench.f.read_p99_us = 5'000;
    CHECK_FALSE(bench.run(300, knob::kRateLimit));
  }
  SECTION("not for a limit that limits nothing") {
    bench.set_limit(20'100'000, 2e6);
    CHECK_FALSE(bench.run(100, knob::kRateLimit));
    SECTION("and not at once when it does again") {
      bench.set_limit(20'100'000, 20e6);
      CHECK_FALSE(bench.run(20, knob::kRateLimit));
    }
  }
  SECTION("nor while nobody knows what reads take") {
    bench.f.read_p99_us.reset();
    CHECK_FALSE(bench.run(100, knob::kRateLimit));
  }
}

TEST_CASE("deferral: behind a limit that limits nothing for long it is a limit as any other",
          "[headroom][deferral]") {
  HeadroomBench bench = deferred();
  free_device(bench);
  bench.set_limit(20'100'000, 2e6);
  bench.run(320, knob::kRateLimit);
  fill_level0(bench, 17);
  bench.set_limit(20'100'000, 20e6);
  CHECK(next_limit(bench, 2, "limiter.unpaced").to == kUnlimitedBytesPerSecond);
}

TEST_CASE("deferral: who was given the limit back by others begins anew after a rest",
          "[headroom][deferral]") {
  HeadroomBench bench = deferred();
  bench.set_limit(kUnlimitedBytesPerSecond, 30e6);  // the lease's end
  bench.f.knobs.edit()[0].owner = KnobOwner::kFound;
  free_device(bench);
  CHECK_FALSE(bench.run(590, knob::kRateLimit));
  fill_device(bench);
  CHECK(next_limit(bench, 30, "limiter.defer").to == 20'100'000);
}

TEST_CASE("deferral: the debt that is meant to grow is not answered elsewhere",
          "[headroom][deferral]") {
  HeadroomBench bench = deferred();
  bench.budget.jobs_max = 8;
  bench.f.device_read_await_ms = 0.3;  // what the deferral is for
  saturated(bench, AlertState::kOk);
  bench.f.read_p99_us = 5'000;
  warn_of_backlog(bench);
  fill_level0(bench, 13);
  CHECK_FALSE(bench.run(60, knob::kBackgroundJobs));
  SECTION("but once it has ended") {
    bench.set_limit(kUnlimitedBytesPerSecond, 30e6);
    bench.f.knobs.edit()[0].owner = KnobOwner::kFound;
    CHECK(bench.run(30, knob::kBackgroundJobs));
  }
  SECTION("as when the limiter is no longer to be changed") {
    bench.f.knobs.edit()[0].changeable = false;
    CHECK(bench.run(30, knob::kBackgroundJobs));
  }
  SECTION("or its end is wished for in vain") {
    bench.f.write_stopped = 1;
    CHECK_FALSE(bench.run(9, knob::kBackgroundJobs));
    CHECK(bench.run(20, knob::kBackgroundJobs));
  }
}

TEST_CASE("deferral: room in level 0 is as it was", "[headroom][deferral]") {
  HeadroomBench bench = deferred();
  bench.family(64 * kHeadroomMiB, 0);
  ColumnFamilyReading& family = bench.f.column_families[0];
  family.level0_slowdown_trigger = 20;
  family.level0_stop_trigger = 36;
  family.levels[0].files = 16;
  for (const auto& [name, value, found] :
       {std::tuple(knob::kL0Slowdown, 20, 20), {knob::kBloomBits, 10, 10}}) {
    bench.f.knobs.edit().push_back(knob_reading(name, value, found, 1, 4096));
    bench.f.knobs.edit().back().column_family = "default";
  }
  bench.f.l0_files = 16;
  bench.f.l0_ratio = 0.8;
  bench.f.l0_column_family = "default";
  warn_of_backlog(bench);
  for (int i = 0; i < 16; ++i) {
    for (const Proposal& proposal : bench.tick()) {
      INFO(proposal.rule);
      CHECK(proposal.knob != knob::kL0Slowdown);
    }
  }
}
