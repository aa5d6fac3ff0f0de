// The limiter's loop where compactions fill the device beside reads: when they wait.
#include <string>

#include "tests/unit/policy/deferral_bench.h"

using namespace rocktune;
using namespace rocktune::test;

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
  warn_of_backlog(bench);
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

TEST_CASE("deferral: what it gains is told from the reads beside a full device",
          "[headroom][deferral]") {
  HeadroomBench bench = filled();
  bench.f.read_p99_us = 500;
  saturated(bench, AlertState::kOk);
  bench.run(8, knob::kRateLimit);  // of the device and its compactions: free, they run
  saturated(bench, AlertState::kCritical);
  bench.f.read_p99_us = 12'000;
  const Proposal first = next_limit(bench, 3, "limiter.defer");
  CHECK(first.expected.baseline == 12'000);
}

TEST_CASE("deferral: a forecast that has not proved itself is no limit that is near",
          "[headroom][deferral]") {
  HeadroomBench bench = filled();
  Indicator& backlog = warn_of_backlog(bench);
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
  SECTION("a forecast warns of a full device that has learnt from too few") {
    bench.indicators[0].event = false;
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
