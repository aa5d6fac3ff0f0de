// The limiter's loop where compactions fill the device beside reads: they wait, until it is due.
#include <algorithm>
#include <tuple>

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

void fill_device(HeadroomBench& bench) {
  bench.f.device_read_await_ms = 4;
  bench.f.running_compactions = 1;
  bench.f.read_p99_us = 12'000;
  saturated(bench, AlertState::kCritical);
}

void free_device(HeadroomBench& bench) {
  bench.f.device_read_await_ms = 0.2;
  bench.f.running_compactions = 0;
  bench.f.read_p99_us = 500;
  saturated(bench, AlertState::kOk);
}

// 30 MB/s of flushes and compactions fill the device; reads take 12 of 30 ms beside them.
HeadroomBench filled() {
  HeadroomBench bench;
  bench.objective.read_p99_seconds = 0.030;
  bench.f.knobs.edit()[0].found = kUnlimitedBytesPerSecond;
  bench.run(40, knob::kRateLimit);  // what the device takes at its idlest, and what writes cost
  fill_device(bench);
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

TEST_CASE("deferral: a pause between two compactions does not end that the device is full",
          "[headroom][deferral]") {
  HeadroomBench bench = filled();
  int looks = 0;  // of which one falls into a pause
  bool defers = true;
  double beside_pause_us = 12'000;
  SECTION("one look of five") {
    looks = 5;
  }
  SECTION("one look of five, beside which reads are fast") {
    looks = 5;
    beside_pause_us = 1'000;
  }
  SECTION("one look of three: they come in bursts") {
    looks = 3;
    defers = false;
  }
  const auto last = bench.run_ticks(20, knob::kRateLimit, [&](int i) {
    bench.f.running_compactions = i % looks == looks - 1 ? 0 : 1;
    const bool beside_pause = i % looks == looks - 1 || i % looks == 0;
    bench.f.read_p99_us = beside_pause ? beside_pause_us : 12'000;
  });
  REQUIRE(last.has_value() == defers);
  if (!last) return;
  CHECK(last->rule == "limiter.defer");
  CHECK(last->reason.starts_with("read P99 is 12 ms beside compactions"));
}

TEST_CASE("deferral: a few slow looks beside pauses are not two seconds of them",
          "[headroom][deferral]") {
  // S, r: a compaction runs, and reads are slow or fast; p: a pause.
  for (const std::string looks : {"Sprpr", "SSppr", "SSSpr", "SSSpp", "SSrSS"}) {
    INFO(looks);
    HeadroomBench bench = filled();
    bench.f.read_p99_us = 1'000;
    bench.run(5, knob::kRateLimit);  // compactions fill the device, and reads are fast beside them
    const auto last = bench.run_ticks(static_cast<int>(looks.size()), knob::kRateLimit, [&](int i) {
      const char look = looks[static_cast<std::size_t>(i)];
      bench.f.running_compactions = look == 'p' ? 0 : 1;
      bench.f.read_p99_us = look == 'S' ? 12'000 : 1'000;
    });
    CHECK_FALSE(last);
  }
}

TEST_CASE("deferral: reads that are slow since the device filled are not waited for again",
          "[headroom][deferral]") {
  HeadroomBench bench = filled();
  free_device(bench);
  bench.run_ticks(8, knob::kRateLimit,
                  [&](int i) { bench.f.running_compactions = i % 2; });  // in bursts
  fill_device(bench);
  // Compactions have to run for three quarters of four seconds, and reads to be slow for two: not
  // one after the other.
  CHECK_FALSE(bench.run(1.5, knob::kRateLimit));
  const auto first = bench.run(1.5, knob::kRateLimit);
  REQUIRE(first);
  CHECK(first->rule == "limiter.defer");
}

TEST_CASE("deferral: a forecast that has not proved itself is no limit that is near",
          "[headroom][deferral]") {
  HeadroomBench bench = filled();
  bench.indicators.push_back(bench.indicators[0]);
  Indicator& backlog = bench.indicators.back();
  backlog.kind = IndicatorKind::kCompactionBacklog;
  backlog.cause = "l0";
  bool defers = true;
  SECTION("it has not") {}
  SECTION("it has: what it foresees would come sooner") {
    backlog.calibrated = true;
    defers = false;
  }
  SECTION("level 0 is not far from its limit") {
    fill_level0(bench, 9);
    defers = false;
  }
  const auto proposal = bench.run(8, knob::kRateLimit);
  CHECK((proposal && proposal->rule == "limiter.defer") == defers);
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
  SECTION("it was full for most of the last minutes") {
    bench.f.running_compactions = 0;  // and has had room for less
    bench.f.read_p99_us = 500;
    saturated(bench, AlertState::kOk);
    bench.run(100, knob::kRateLimit);
    bench.f.running_compactions = 1;
    saturated(bench, AlertState::kCritical);
    bench.run(150, knob::kRateLimit);
    bench.f.read_p99_us = 12'000;
  }
  SECTION("nobody has seen it with room") {
    bench = HeadroomBench();
    bench.objective.read_p99_seconds = 0.030;
    bench.f.read_p99_us = 12'000;
    bench.f.running_compactions = 1;
    saturated(bench, AlertState::kCritical);
  }
  SECTION("what waits already would take too long") {
    bench.f.pending_bytes = 700e6;
  }
  SECTION("the least rate allowed leaves nothing to wait") {
    bench.budget.rate_limit_min.value = 27e6;
  }
  SECTION("the limit is lowered already, for reads") {
    bench.set_limit(25'000'000, 25e6);
    bench.f.knobs.edit()[0].owner = KnobOwner::kRocktune;
  }
  SECTION("the limit is lowered already, by a daemon before this one") {
    bench = HeadroomBench();
    bench.objective.read_p99_seconds = 0.030;
    bench.f.knobs.edit()[0].found = kUnlimitedBytesPerSecond;
    bench.f.knobs.edit()[0].owner = KnobOwner::kRocktune;
    bench.set_limit(30'000'000, 25e6);
    bench.run(40, knob::kRateLimit);
    fill_device(bench);
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
  SECTION("what waits is not known any more") {
    bench.f.pending_bytes.reset();
  }
  CHECK(next_limit(bench, 2, "limiter.due").to == 27'000'000);
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
  bench.indicators.push_back(bench.indicators[0]);
  bench.indicators.back().kind = IndicatorKind::kCompactionBacklog;
  bench.indicators.back().state = AlertState::kCritical;
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

TEST_CASE("deferral: room in level 0 and smaller writes are as they were", "[headroom][deferral]") {
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
  bench.f.knobs.edit().push_back(
      knob_reading(knob::kWriteSize, 128 << 10, 1 << 20, 64 << 10, 64 << 20));
  bench.f.knobs.edit().back().owner = KnobOwner::kRocktune;
  bench.f.l0_files = 16;
  bench.f.l0_ratio = 0.8;
  bench.f.l0_column_family = "default";
  bench.indicators.push_back(bench.indicators[0]);
  bench.indicators.back().kind = IndicatorKind::kCompactionBacklog;
  for (int i = 0; i < 16; ++i) {
    for (const Proposal& proposal : bench.tick()) {
      INFO(proposal.rule);
      CHECK(proposal.knob != knob::kL0Slowdown);
      CHECK(proposal.rule != "write_size.backlog");
    }
  }
}
