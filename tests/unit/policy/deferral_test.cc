// The limiter's loop where compactions fill the device beside reads: they wait, until it is due.
#include <algorithm>
#include <cstdlib>

#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

void saturated(HeadroomBench& bench, AlertState state) {
  Indicator device;
  device.kind = IndicatorKind::kDeviceSaturation;
  device.valid = true;
  device.state = state;
  bench.indicators = {device};
}

// 30 MB/s of flushes and compactions fill the device; reads take 12 of 30 ms beside them.
HeadroomBench filled() {
  HeadroomBench bench;
  bench.objective.read_p99_seconds = 0.030;
  bench.f.knobs.edit()[0].found = kUnlimitedBytesPerSecond;
  bench.run(40, knob::kRateLimit);  // what the device takes at its idlest, and what writes cost
  bench.f.device_read_await_ms = 4;
  bench.f.running_compactions = 1;
  bench.f.read_p99_us = 12'000;
  saturated(bench, AlertState::kCritical);
  return bench;
}

void fill_level0(HeadroomBench& bench, double files) {
  bench.f.l0_files = files;
  bench.f.l0_ratio = files / 20;
}

void limit(HeadroomBench& bench, const Proposal& proposal) {
  bench.set_limit(proposal.to, std::min(static_cast<double>(proposal.to), 30e6));
  KnobReading& limiter = bench.f.knobs.edit()[0];
  limiter.owner = proposal.to == limiter.found ? KnobOwner::kFound : KnobOwner::kRocktune;
}

Proposal next_limit(HeadroomBench& bench, double seconds, std::string_view rule) {
  CAPTURE(rule);
  const auto proposal = bench.run(seconds, knob::kRateLimit);
  REQUIRE(proposal);
  INFO(proposal->reason);
  CHECK(proposal->rule == rule);
  return *proposal;
}

HeadroomBench deferred() {
  HeadroomBench bench = filled();
  limit(bench, next_limit(bench, 8, "limiter.defer"));
  CHECK_FALSE(bench.run(1, knob::kRateLimit));
  return bench;
}

}  // namespace

TEST_CASE("deferral: while no limit is near compactions wait for reads", "[headroom][deferral]") {
  HeadroomBench bench = filled();
  const Proposal first = next_limit(bench, 8, "limiter.defer");
  CHECK(first.to == 20'100'000);  // two thirds of what passes
  CHECK(first.expected.feature == "read_p99_us");
  CHECK(first.reason.find(
            "read P99 is 12 ms beside compactions that fill the device with 29 MiB/s") !=
        std::string::npos);
  limit(bench, first);
  // Debt grows, and is foreseen to: that is what was wanted.
  fill_level0(bench, 12);
  bench.indicators.push_back(bench.indicators[0]);
  bench.indicators.back().kind = IndicatorKind::kCompactionBacklog;
  bench.indicators.back().cause = "l0";
  CHECK_FALSE(bench.run(300, knob::kRateLimit));
}

TEST_CASE("deferral: nothing is deferred without need", "[headroom][deferral]") {
  HeadroomBench bench = filled();
  SECTION("reads are far from their SLO") {
    bench.f.read_p99_us = 7'000;
  }
  SECTION("reads took as long while it had room") {
    saturated(bench, AlertState::kOk);
    bench.run(60, knob::kRateLimit);
    saturated(bench, AlertState::kCritical);
  }
  SECTION("it has been full all the time that was seen") {
    HeadroomBench always;
    always.objective = bench.objective;
    always.f.device_read_await_ms = 4;
    always.f.running_compactions = 1;
    saturated(always, AlertState::kCritical);
    always.run(40, knob::kRateLimit);
    always.f.read_p99_us = 12'000;
    CHECK_FALSE(always.run(60, knob::kRateLimit));
    return;
  }
  SECTION("reads do not come first") {
    bench.objective.first = GENERATE(Priority::kThroughput, Priority::kStallSeconds);
  }
  SECTION("the device has room") {
    saturated(bench, AlertState::kOk);
  }
  SECTION("compactions run now and then only") {
    bench.f.running_compactions = 0.5;
  }
  SECTION("writes are stalled") {
    bench.f.stalled_ratio = 0.3;
  }
  SECTION("level 0 is nearly full") {
    fill_level0(bench, 15);
  }
  SECTION("half of the soft limit is pending") {
    bench.f.pending_ratio = 0.5;
  }
  SECTION("memtables wait for their flush") {
    bench.f.memtable_ratio = 1;
    bench.run(6, knob::kRateLimit);
  }
  SECTION("a burst of writes begins") {
    bench.f.user_write_bytes_per_second = 40e6;
    CHECK_FALSE(bench.run(8, knob::kRateLimit));
    return;
  }
  SECTION("several databases on the device share a budget") {
    bench.f.shared = SharedBudget{};
    bench.f.shared->device_members = 2;
  }
  SECTION("an operator has set the limit") {
    bench.f.knobs.edit()[0].changeable = false;
  }
  const auto proposal = bench.run(30, knob::kRateLimit);
  INFO((proposal ? proposal->reason : ""));
  CHECK_FALSE((proposal && proposal->rule == "limiter.defer"));
}

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
  CHECK(next_limit(bench, 2, "limiter.due").to == 27'000'000);
}

TEST_CASE("deferral: what is due gets nearly all that the device gives", "[headroom][deferral]") {
  HeadroomBench bench = deferred();
  fill_level0(bench, 17);
  limit(bench, next_limit(bench, 2, "limiter.due"));
  SECTION("for as long as that does") {
    fill_level0(bench, 12);
    CHECK_FALSE(bench.run(300, knob::kRateLimit));
  }
  SECTION("all of it where it does not, and a rest until the next") {
    CHECK_FALSE(bench.run(9, knob::kRateLimit));
    const Proposal back = next_limit(bench, 3, "limiter.unpaced");
    CHECK(back.to == kUnlimitedBytesPerSecond);
    limit(bench, back);
    fill_level0(bench, 2);
    bench.f.running_compactions = 0;
    bench.f.read_p99_us = 500;
    saturated(bench, AlertState::kOk);
    CHECK_FALSE(bench.run(1700, knob::kRateLimit));
    bench.f.running_compactions = 1;
    bench.f.read_p99_us = 12'000;
    saturated(bench, AlertState::kCritical);
    CHECK_FALSE(bench.run(30, knob::kRateLimit));
    CHECK(next_limit(bench, 120, "limiter.defer").to == 20'100'000);
  }
  SECTION("all of it where writers wait") {
    bench.f.stalled_ratio = 0.3;
    CHECK(next_limit(bench, 1, "limiter.unpaced").to == kUnlimitedBytesPerSecond);
  }
}

TEST_CASE("deferral: writers that stall end it at once", "[headroom][deferral]") {
  HeadroomBench bench = deferred();
  bench.f.stalled_ratio = 0.3;
  const Proposal back = next_limit(bench, 0.5, "limiter.unpaced");
  CHECK(back.to == kUnlimitedBytesPerSecond);
  limit(bench, back);
  bench.f.stalled_ratio = 0;
  CHECK_FALSE(bench.run(100, knob::kRateLimit));
}

TEST_CASE("deferral: a device that is fast again is used to work off what waits",
          "[headroom][deferral]") {
  HeadroomBench bench = deferred();
  bench.f.device_read_await_ms = 0.3;
  bench.f.read_p99_us = 1'000;
  saturated(bench, AlertState::kOk);
  CHECK_FALSE(bench.run(28, knob::kRateLimit));
  SECTION("while something waits for it") {
    const Proposal back = next_limit(bench, 4, "limiter.worked_off");
    CHECK(back.to == kUnlimitedBytesPerSecond);
    limit(bench, back);
    CHECK_FALSE(bench.run(300, knob::kRateLimit));
  }
  SECTION("else the limit limits nothing") {
    bench.set_limit(20'100'000, 2e6);
    bench.run(5, knob::kRateLimit);
    CHECK_FALSE(bench.run(100, knob::kRateLimit));
  }
}

TEST_CASE("deferral: who was given the limit back by others begins anew", "[headroom][deferral]") {
  HeadroomBench bench = deferred();
  bench.f.read_p99_us = 1'000;
  bench.set_limit(kUnlimitedBytesPerSecond, 30e6);  // the lease's end
  bench.f.knobs.edit()[0].owner = KnobOwner::kFound;
  fill_level0(bench, 17);
  CHECK_FALSE(bench.run(5, knob::kRateLimit));
}
