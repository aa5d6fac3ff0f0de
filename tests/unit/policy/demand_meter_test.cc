// What a database wants of what it shares with others, and how long it is remembered.
#include "policy/demand.h"
#include "policy/learnt_wish.h"
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

struct Metered {
  Demand run(double seconds) {
    Demand last;
    for (int i = 0; i < static_cast<int>(seconds * 2); ++i) {
      bench.f.at.tick += at_seconds(0.5);
      last = meter.update({bench.f, bench.indicators, bench.objective, bench.budget});
    }
    return last;
  }
  // Writers stand still for five seconds.
  Demand stall() {
    bench.f.write_stopped = 1;
    const Demand during = run(5);
    bench.f.write_stopped = 0;
    return during;
  }

  HeadroomBench bench;
  DemandMeter meter;
};

}  // namespace

TEST_CASE("a backlog is remembered, and longer where it comes again", "[sharing]") {
  Metered one;
  CHECK_FALSE(one.run(10).wants_rate);
  CHECK(one.stall().wants_rate);
  const Demand after = one.run(55);
  CHECK_FALSE(after.trouble);
  CHECK(after.wants_rate);
  CHECK_FALSE(one.run(20).wants_rate);
  one.stall();
  CHECK(one.run(115).wants_rate);
  CHECK_FALSE(one.run(20).wants_rate);
}

TEST_CASE("a forecast that has not proved itself asks nothing of others", "[sharing]") {
  Metered one;
  one.bench.backlog(2);
  Indicator& backlog = one.bench.indicators[0];
  backlog.state = AlertState::kWarning;
  const Demand foreseen = one.run(10);
  CHECK_FALSE(foreseen.trouble);
  CHECK_FALSE(foreseen.wants_rate);
  SECTION("nor is it what slow reads wait for") {
    one.bench.f.read_p99_us = 50'000;
    CHECK(one.run(30).reads_hurt);
    return;
  }
  SECTION("calibrated") {
    backlog.calibrated = true;
  }
  SECTION("half of the limit is seen") {
    one.bench.f.l0_ratio = 0.6;
  }
  const Demand trusted = one.run(10);
  CHECK(trusted.trouble);
  CHECK(trusted.wants_rate);
}

TEST_CASE("who is no longer read from its agent wants nothing of the device", "[sharing]") {
  Metered one;
  one.run(10);
  REQUIRE(one.stall().wants_rate);
  one.bench.f.fresh = false;
  CHECK(one.run(5).wants_rate);
  CHECK_FALSE(one.run(10).wants_rate);
}

TEST_CASE("jobs that were all in use in a backlog are wanted for a while", "[sharing]") {
  Metered one;
  one.bench.f.knobs = {jobs_knob(4, 4)};
  one.bench.f.running_compactions = 3;
  CHECK_FALSE(one.run(10).wants_jobs);  // no backlog
  CHECK(one.stall().wants_jobs);
  one.bench.f.running_compactions = 0;
  CHECK(one.run(50).wants_jobs);
  CHECK_FALSE(one.run(25).wants_jobs);
}

TEST_CASE("what is needed is the most of late", "[sharing]") {
  Metered one;
  const double need = one.run(120).need.value_or(0);
  REQUIRE(need > 0);
  one.bench.f.user_write_bytes_per_second = 1e6;
  one.bench.f.flush_bytes_per_second = 1e6;
  one.bench.f.compaction_write_bytes_per_second = 2e6;
  const double soon = one.run(120).need.value_or(0);
  CHECK(soon > 0.7 * need);
  CHECK(soon < need);
}

TEST_CASE("a wish that comes back late is remembered for less long again", "[sharing]") {
  LearntWish wish(60);
  double now = 0;
  const auto update = [&](bool wished, double seconds) {
    bool stands = false;
    for (const double end = now + seconds; now < end; now += 1) {
      stands = wish.update(wished, at_seconds(now));
    }
    return stands;
  };
  CHECK(update(true, 1));
  CHECK_FALSE(update(false, 100));
  CHECK(update(true, 1));
  CHECK(update(false, 100));
  CHECK_FALSE(update(false, 1000));
  CHECK(update(true, 1));  // after more than a quarter of an hour
  CHECK_FALSE(update(false, 100));
}

TEST_CASE("what is written counts as its limiter counts it", "[sharing]") {
  Metered one;
  one.bench.set_limit(100'000'000, 60e6);  // 30 MB/s are written, and as much is read for it
  CHECK(*one.run(70).background == Approx(30e6));
  one.bench.f.limiter_limits_reads = 1;
  one.bench.knob(knob::kRateLimit).min = 1 << 20;
  one.bench.knob(knob::kRateLimit).max = 1 << 30;
  CHECK(*one.run(70).background == Approx(60e6).epsilon(0.1));
}

TEST_CASE("who waits at its own control group's limit does not wait for others", "[sharing]") {
  Metered one;
  one.bench.f.io_limit_use_ratio = 0.95;
  CHECK_FALSE(one.run(10).device_busy);
}

TEST_CASE("reads that come first wait once they are near their SLO on a device that is slow",
          "[sharing][smoothing]") {
  Metered one;
  one.bench.objective.read_p99_seconds = 0.030;
  CHECK(one.run(20).reads_are_far);
  one.bench.f.device_read_await_ms = 2;
  one.bench.f.read_p99_us = 12'000;
  SECTION("for as long as they do, after the device has been so for a moment") {
    CHECK(one.run(0.5).reads_wait_seconds == 0);
    CHECK(one.run(5).reads_wait_seconds >= 3);
    CHECK_FALSE(one.run(0.5).reads_are_far);
    one.bench.f.read_p99_us = 2'000;
    CHECK(one.run(0.5).reads_wait_seconds == 0);
    CHECK(one.run(0.5).reads_are_far);
    one.bench.f.read_p99_us = 12'000;
    one.run(0.5);
    one.bench.f.read_p99_us.reset();  // nobody read between these looks
    CHECK_FALSE(one.run(0.5).reads_are_far);
    // Who still waits while all are smoothed is known for as long as that takes.
    one.bench.f.read_p99_us = 12'000;
    one.bench.f.shared = SharedBudget{};
    one.bench.f.shared->smooth_from_bytes_per_second = 4'000'000;
    CHECK(one.run(1200).reads_wait_seconds > 0);
    one.bench.objective.first = Priority::kThroughput;
    CHECK(one.run(0.5).reads_are_far);
    return;
  }
  SECTION("not far from it") {
    one.bench.f.read_p99_us = 7'000;
  }
  SECTION("not on an idle device") {
    one.bench.f.device_read_await_ms = 0.2;
  }
  SECTION("not for a backlog of their own") {
    one.bench.f.stalled_ratio = 0.3;
  }
  SECTION("not where something else comes first") {
    one.bench.objective.first = Priority::kThroughput;
  }
  SECTION("not where they took as long while it was idle") {
    Metered slow;
    slow.bench.objective.read_p99_seconds = 0.030;
    slow.bench.f.read_p99_us = 11'000;
    slow.run(20);
    slow.bench.f.device_read_await_ms = 2;
    slow.bench.f.read_p99_us = 12'000;
    CHECK(slow.run(10).reads_wait_seconds == 0);
    return;
  }
  SECTION("not where nobody could read it for ten seconds") {
    REQUIRE(one.run(5).reads_wait_seconds > 0);
    one.bench.f.fresh = false;
    one.run(11);
    CHECK(one.run(0.5).reads_are_far);
  }
  CHECK(one.run(10).reads_wait_seconds == 0);
}
