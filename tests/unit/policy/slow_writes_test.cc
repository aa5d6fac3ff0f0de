// The limiter's loop for writes that wait for the log beside compactions: docs/control.md, "The
// limiter".
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// Writes take 30 ms, 20 are allowed, while a compaction fills the device. Reads are fast.
void disturbed_writes(HeadroomBench& bench) {
  bench.f.writes_per_second = 2000;
  bench.f.write_p99_us = 30'000;
  bench.f.device_queue = 40;
  bench.f.running_compactions = 1;
}

// A compaction for twelve of every fourteen seconds.
std::optional<Proposal> in_turns(HeadroomBench& bench, double beside_us, double without_us) {
  return bench.run_ticks(120, knob::kRateLimit, [&](int i) {
    const bool works = i % 28 >= 4;
    bench.f.running_compactions = works ? 1 : 0;
    bench.f.compaction_write_bytes_per_second = works ? 23e6 : 0;
    bench.f.write_p99_us = works ? beside_us : without_us;
  });
}

}  // namespace

TEST_CASE("slow writes: in comfort they lower the limit, first to what passes", "[headroom]") {
  HeadroomBench bench;
  disturbed_writes(bench);
  bench.set_limit(kUnlimitedBytesPerSecond, 80e6);
  CHECK_FALSE(bench.run(24, knob::kRateLimit));
  const auto proposal = bench.run(4, knob::kRateLimit);
  REQUIRE(proposal);
  CHECK(proposal->rule == "limiter.writes");
  CHECK(proposal->to == 80'000'000);
  CHECK(proposal->expected.feature == "write_p99_us");
  CHECK(proposal->expected.baseline == 30'000);
  CHECK(proposal->reason.starts_with("write P99 is 30 ms without any backlog"));
  bench.set_limit(80'000'000, 50e6);
  CHECK_FALSE(bench.run(59, knob::kRateLimit));
  CHECK(bench.run(4, knob::kRateLimit)->to == 58'500'001);  // 1.95 times the need
}

TEST_CASE("slow writes: reads that are slow, too, go first", "[headroom]") {
  HeadroomBench bench;
  disturbed_writes(bench);
  bench.f.read_p99_us = 9000;
  bench.set_limit(kUnlimitedBytesPerSecond, 80e6);
  const auto proposal = bench.run(30, knob::kRateLimit);  // as long as writes have to be slow
  REQUIRE(proposal);
  CHECK(proposal->rule == "limiter.reads");
}

TEST_CASE("slow writes: those that are slow for a third of the time are slow", "[headroom]") {
  HeadroomBench bench;
  disturbed_writes(bench);
  bench.set_limit(kUnlimitedBytesPerSecond, 80e6);
  int slow_of_ten = 0;
  SECTION("a third") {
    slow_of_ten = 4;
  }
  SECTION("less, however slow") {
    slow_of_ten = 2;
  }
  const auto last = bench.run_ticks(120, knob::kRateLimit, [&](int i) {
    bench.f.write_p99_us = i % 10 < slow_of_ten ? 500'000 : 5000;
  });
  REQUIRE(last.has_value() == (slow_of_ten == 4));
  if (last) CHECK(last->rule == "limiter.writes");
}

TEST_CASE("slow writes: where they come first less is left of the need", "[headroom]") {
  HeadroomBench bench;
  disturbed_writes(bench);
  bench.set_limit(50'000'000, 30e6);
  CHECK_FALSE(bench.run(40, knob::kRateLimit));  // 1.95 times 30 MB/s, as reads come first
  bench.objective.first = Priority::kWriteP99;
  const auto proposal = bench.run(1, knob::kRateLimit);
  REQUIRE(proposal);
  CHECK(proposal->to == 39'000'000);
}

TEST_CASE("slow writes: what nobody waits for, or waits for something else, lowers nothing",
          "[headroom]") {
  HeadroomBench bench;
  disturbed_writes(bench);
  bench.set_limit(kUnlimitedBytesPerSecond, 80e6);
  SECTION("a stall is what they wait for") {
    bench.f.stalled_ratio = 0.2;
  }
  SECTION("a backlog is near") {
    bench.backlog(12);
  }
  SECTION("hardly anybody writes") {
    bench.f.writes_per_second = 3;
  }
  SECTION("they are fast enough") {
    bench.f.write_p99_us = 19'000;
  }
  SECTION("no compaction runs") {
    bench.f.running_compactions = 0;
  }
  SECTION("the device is idle, and they were never seen without compactions") {
    bench.f.device_queue = 1;
  }
  const auto proposal = bench.run(60, knob::kRateLimit);
  CHECK((!proposal || proposal->rule != "limiter.writes"));
}

TEST_CASE("slow writes: beside compactions they need no full device to be seen to wait",
          "[headroom]") {
  HeadroomBench bench;
  disturbed_writes(bench);
  bench.f.device_queue = 2;
  bench.set_limit(kUnlimitedBytesPerSecond, 80e6);
  SECTION("they are faster without") {
    const auto proposal = in_turns(bench, 30'000, 2000);
    REQUIRE(proposal);
    CHECK(proposal->rule == "limiter.writes");
  }
  SECTION("they are as slow without") {
    CHECK_FALSE(in_turns(bench, 30'000, 25'000));
  }
}

TEST_CASE("slow writes: what stalled tells nothing about compactions", "[headroom]") {
  HeadroomBench bench;
  disturbed_writes(bench);
  bench.f.device_queue = 2;
  bench.set_limit(kUnlimitedBytesPerSecond, 80e6);
  bench.f.write_p99_us = 21'000;  // a little too slow, compactions or not
  for (int i = 0; i < 160; ++i) {
    const bool works = i % 28 >= 4, stalls = i >= 28 && i < 32;
    bench.f.running_compactions = works ? 1 : 0;
    bench.f.compaction_write_bytes_per_second = works ? 23e6 : 0;
    bench.f.stalled_ratio = stalls ? 0.5 : 0;
    bench.f.write_p99_us = stalls ? 1'000'000 : 21'000;
    for (const Proposal& proposal : bench.tick()) CHECK(proposal.rule != "limiter.writes");
  }
}

TEST_CASE("slow writes: the slowest are fewest, and count all the same", "[headroom]") {
  HeadroomBench bench;
  disturbed_writes(bench);
  bench.set_limit(kUnlimitedBytesPerSecond, 80e6);
  const auto last = bench.run_ticks(80, knob::kRateLimit, [&](int i) {
    const bool slow = i % 2 == 0;
    bench.f.writes_per_second = slow ? 4 : 40;
    bench.f.write_p99_us = slow ? 400'000 : 5000;
  });
  REQUIRE(last);
  CHECK(last->rule == "limiter.writes");
}

TEST_CASE("slow writes: what a lowering for reads does for them is waited for", "[headroom]") {
  HeadroomBench bench;
  disturbed_writes(bench);
  bench.objective.first = Priority::kReadP99;
  bench.set_limit(100'000'000, 95e6);
  bench.knob(knob::kRateLimit).owner = KnobOwner::kRocktune;
  bench.f.write_p99_us = 5000;
  bench.f.read_p99_us = 9000;
  const auto first = bench.run(20, knob::kRateLimit);
  REQUIRE(first);
  CHECK(first->rule == "limiter.reads");
  bench.set_limit(first->to, 0.95 * static_cast<double>(first->to));
  bench.f.read_p99_us = 500;
  bench.f.write_p99_us = 30'000;
  CHECK_FALSE(bench.run(59, knob::kRateLimit));
  const auto next = bench.run(3, knob::kRateLimit);
  REQUIRE(next);
  CHECK(next->rule == "limiter.writes");
}

TEST_CASE("slow writes: lowerings that nobody could judge are not judged by the next load",
          "[headroom]") {
  HeadroomBench bench;
  disturbed_writes(bench);
  bench.set_limit(200'000'000, 190e6);
  bench.knob(knob::kRateLimit).owner = KnobOwner::kRocktune;
  for (int i = 0; i < 3; ++i) {
    const auto step = bench.run(61, knob::kRateLimit);
    REQUIRE(step);
    bench.set_limit(step->to, 0.95 * static_cast<double>(step->to));
  }
  bench.f.writes_per_second = 0;  // the batch is over
  bench.f.write_p99_us.reset();
  CHECK_FALSE(bench.run(15, knob::kRateLimit));
  const double pause = GENERATE(0, 900);
  CHECK_FALSE(bench.run(pause, knob::kRateLimit));
  bench.f.writes_per_second = 2000;
  bench.f.write_p99_us = 30'000;
  bool futile = false;
  for (int i = 0; i < 90; ++i) {
    for (const Proposal& proposal : bench.tick()) futile |= proposal.rule == "limiter.futile";
  }
  CHECK(futile == (pause == 0));
}

TEST_CASE("slow writes: reads and writes that are slow in turns have one probe", "[headroom]") {
  HeadroomBench bench;
  disturbed_writes(bench);
  bench.set_limit(400'000'000, 380e6);
  bench.knob(knob::kRateLimit).owner = KnobOwner::kRocktune;
  for (int i = 0; i < 3; ++i) {
    bench.f.read_p99_us = i % 2 == 0 ? 5100 : 4900;  // 5 ms are allowed
    const auto step = bench.run(75, knob::kRateLimit);
    REQUIRE(step);
    CHECK(step->rule == (i % 2 == 0 ? "limiter.reads" : "limiter.writes"));
    bench.set_limit(step->to, 0.95 * static_cast<double>(step->to));
  }
  const auto last = bench.run(40, knob::kRateLimit);
  REQUIRE(last);
  CHECK(last->rule == "limiter.futile");
  CHECK(last->to == 400'000'000);
}

TEST_CASE("slow writes: a forecast that has come true before is enough", "[headroom]") {
  HeadroomBench bench;
  disturbed_writes(bench);
  bench.f.write_p99_us = 12'000;
  bench.set_limit(kUnlimitedBytesPerSecond, 80e6);
  Indicator& p99 = bench.foresee_slow("write");
  bool answered = true;
  SECTION("it is") {}
  SECTION("it is not calibrated") {
    p99.calibrated = answered = false;
  }
  SECTION("now and then they are slower than it is worth mentioning") {
    // The mean is above the SLO, though they are fast for most of the time.
    for (int i = 0; i < 60; ++i) {
      bench.f.write_p99_us = i % 5 == 0 ? 200'000 : 5000;
      bench.tick();
    }
    bench.f.write_p99_us = 5000;
    const auto proposal = bench.run(1, knob::kRateLimit);
    REQUIRE(proposal);
    CHECK(proposal->expected.baseline > 40'000);
    return;
  }
  const auto proposal = bench.run(13, knob::kRateLimit);
  REQUIRE(proposal.has_value() == answered);
  if (!answered) return;
  CHECK(proposal->rule == "limiter.writes");
  CHECK(proposal->expected.baseline == 20'000);  // they are to stay below their SLO
  CHECK(proposal->reason.find("and foreseen to break its objective") != std::string::npos);
}

TEST_CASE("slow writes: three lowerings that gain them nothing are taken back", "[headroom]") {
  HeadroomBench bench;
  disturbed_writes(bench);
  bench.set_limit(200'000'000, 190e6);
  bench.knob(knob::kRateLimit).owner = KnobOwner::kRocktune;
  std::optional<Proposal> last;
  for (int i = 0; i < 3; ++i) {
    last = bench.run(61, knob::kRateLimit);
    REQUIRE(last);
    CHECK(last->rule == "limiter.writes");
    bench.set_limit(last->to, 0.95 * static_cast<double>(last->to));
  }
  bool gains = false;
  SECTION("they are as slow") {}
  SECTION("they are faster, though not fast enough") {
    bench.f.write_p99_us = 24'000;
    gains = true;
  }
  last = bench.run(61, knob::kRateLimit);
  REQUIRE(last);
  CHECK(last->rule == (gains ? "limiter.writes" : "limiter.futile"));
  if (gains) return;
  CHECK(last->to == 200'000'000);
  CHECK(last->reason ==
        "write P99 was 30 ms when the limit was 191 MiB/s and is 30 ms now: compactions are not "
        "what slows writes");
  CHECK(last->expected.feature == "write_p99_us");
}
