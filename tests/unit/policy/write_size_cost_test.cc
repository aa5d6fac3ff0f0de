// What smaller single writes cost: operations, and a backlog that level 0 does not bear.
#include "tests/unit/policy/write_size_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("write size: what costs reads is compared beside such work only", "[headroom]") {
  HeadroomBench bench = behind_writes();
  bench.f.running_compactions = 0;
  bench.f.compaction_write_bytes_per_second = bench.f.flush_bytes_per_second = 0;
  bench.f.read_p99_us = 2000;
  bench.f.read_mean_us = 500;
  CHECK_FALSE(bench.run(12, knob::kWriteSize));
  bench.f.running_compactions = 1;  // one that goes on
  bench.f.read_p99_us = 20'000;
  bench.f.read_mean_us = 1300;
  bench.f.reads_per_second = 1500;
  const auto small = bench.run(8, knob::kWriteSize);
  REQUIRE(small);
  bench.apply(*small);
  bench.f.read_p99_us = 14'000;
  bench.f.read_mean_us = 1200;
  CHECK_FALSE(bench.run(600, knob::kWriteSize));
}

TEST_CASE("write size: faster reads are not to cost operations", "[headroom]") {
  HeadroomBench bench = behind_writes();
  bench.f.read_mean_us = 1000;
  const auto small = bench.run(8, knob::kWriteSize);
  REQUIRE(small);
  bench.apply(*small);
  bench.f.read_p99_us = 14'000;  // by 30%: clearly
  bench.f.read_mean_us = 1300;
  bench.f.reads_per_second = 1500;
  SECTION("an eighth of them") {
    const auto back = bench.run(33, knob::kWriteSize);
    REQUIRE(back);
    CHECK(back->rule == "write_size.futile");
    CHECK(back->reason.find("4000 operations/s before and 3500 now") != std::string::npos);
  }
  SECTION("unless they are faster by a third and more") {
    bench.f.read_p99_us = 13'000;
    CHECK_FALSE(bench.run(600, knob::kWriteSize));
  }
  SECTION("a few") {
    bench.f.reads_per_second = 1900;
    CHECK_FALSE(bench.run(600, knob::kWriteSize));
  }
  SECTION("those that nobody asked for") {
    bench.f.read_mean_us = 900;
    CHECK_FALSE(bench.run(600, knob::kWriteSize));
  }
  SECTION("what a stall costs is not the pieces'") {
    bench.f.reads_per_second = 2000;
    for (int i = 0; i < 120; ++i) {
      const bool stalls = i % 20 < 6;
      bench.f.stalled_ratio = stalls ? 0.9 : 0;
      bench.f.writes_per_second = stalls ? 100 : 2000;
      for (const Proposal& one : bench.tick()) CHECK(one.rule != "write_size.futile");
    }
  }
}

TEST_CASE("write size: for whom smaller pieces go back, alone on a device and beside others",
          "[headroom]") {
  struct Case {
    Priority first;
    bool shared;
    double stalled;  // by how much of the time; 0.9: they stand still
    bool goes_back;
  };
  const Case one = GENERATE(values<Case>({{Priority::kReadP99, false, 0.3, false},
                                          {Priority::kReadP99, false, 0.9, true},
                                          {Priority::kReadP99, true, 0.01, true},
                                          {Priority::kThroughput, false, 0.3, false},
                                          {Priority::kThroughput, false, 0.9, true},
                                          {Priority::kThroughput, true, 0.01, false},
                                          {Priority::kThroughput, true, 0.3, true},
                                          {Priority::kWriteAmplification, true, 0.01, false},
                                          {Priority::kStallSeconds, false, 0.01, true},
                                          {Priority::kWriteP99, true, 0.01, true}}));
  CAPTURE(static_cast<int>(one.first), one.shared, one.stalled);
  HeadroomBench bench = with_small_pieces();
  bench.objective.first = one.first;
  if (one.shared) bench.f.shared.emplace().device_members = 2;
  bench.f.read_p99_us = 4000;
  bench.f.knobs.edit()[1] = jobs_knob(4);
  CHECK_FALSE(bench.run(60, knob::kWriteSize));
  bench.backlog(20);
  bench.f.delayed_bytes_per_second = 16e6;  // more than is written
  bench.f.stalled_ratio = one.stalled;
  const auto back = bench.run(50, knob::kWriteSize);
  REQUIRE(back.has_value() == one.goes_back);
  if (back) CHECK(back->rule == "write_size.backlog");
}

TEST_CASE("write size: who stood still and does no longer needs no larger pieces", "[headroom]") {
  HeadroomBench bench = with_small_pieces();
  bench.f.read_p99_us = 4000;
  bench.f.knobs.edit()[1] = jobs_knob(4);
  CHECK_FALSE(bench.run(60, knob::kWriteSize));
  bench.backlog(20);
  bench.f.stalled_ratio = 1;
  CHECK_FALSE(bench.run(17, knob::kWriteSize));
  bench.backlog(2);
  bench.f.stalled_ratio = 0;  // half of the last 30 s is lost for a while yet
  CHECK_FALSE(bench.run(30, knob::kWriteSize));
}

TEST_CASE("write size: larger pieces before a backlog on a full device stalls who comes first",
          "[headroom]") {
  HeadroomBench bench = with_small_pieces();
  bench.objective.first = GENERATE(Priority::kWriteP99, Priority::kStallSeconds);
  bench.f.read_p99_us = 4000;
  CHECK_FALSE(bench.run(60, knob::kWriteSize));
  bench.backlog(18);
  SECTION("one that lasts") {
    CHECK_FALSE(bench.run(4.5, knob::kWriteSize));
    const auto back = bench.run(2, knob::kWriteSize);
    REQUIRE(back);
    CHECK(back->rule == "write_size.backlog");
    CHECK(back->to == kFoundPieces);
    CHECK(back->reason.find("L0 has 18 of 20 files") != std::string::npos);
  }
  SECTION("not where nothing warns") {
    bench.backlog(11);
    CHECK_FALSE(bench.run(60, knob::kWriteSize));
  }
  SECTION("not on a device that has room") {
    bench.f.device_queue = 1;
    CHECK_FALSE(bench.run(60, knob::kWriteSize));
  }
  SECTION("nor are they made smaller meanwhile") {
    HeadroomBench large = behind_writes();
    large.f.device_write_await_ms = 1;
    large.run(5, knob::kWriteSize);
    large.f.device_write_await_ms = 8;
    large.backlog(18);
    CHECK_FALSE(large.run(60, knob::kWriteSize));
  }
}

TEST_CASE("write size: a rest is longer only after one that went back", "[headroom]") {
  HeadroomBench bench = with_small_pieces();
  bench.objective.first = Priority::kStallSeconds;
  bench.f.knobs.edit()[1] = jobs_knob(4);
  const auto stall = [&bench](bool taken) {
    bench.f.read_p99_us = 4000;
    bench.f.stalled_ratio = 0.5;
    bench.backlog(20);
    const auto back = bench.run(8, knob::kWriteSize);
    REQUIRE(back);
    if (taken) bench.apply(*back);
    bench.f.stalled_ratio = 0;
    bench.backlog(2);
    bench.run(30, knob::kWriteSize);
  };
  stall(false);
  stall(false);
  stall(true);
  bench.f.read_p99_us = 20'000;
  CHECK_FALSE(bench.run(85, knob::kWriteSize));
  CHECK(bench.run(30, knob::kWriteSize));
}

TEST_CASE(
    "write size: after a backlog smaller pieces wait for two minutes, twice as long each time",
    "[headroom]") {
  HeadroomBench bench = with_small_pieces();
  bench.objective.first = Priority::kStallSeconds;
  bench.f.knobs.edit()[1] = jobs_knob(4);
  const auto large_again = [&bench] {
    bench.f.read_p99_us = 4000;
    bench.f.stalled_ratio = 0.5;
    bench.backlog(20);
    const auto back = bench.run(8, knob::kWriteSize);
    REQUIRE(back);
    CHECK(back->rule == "write_size.backlog");
    bench.apply(*back);
    bench.f.stalled_ratio = 0;
    bench.f.read_p99_us = 20'000;
  };
  large_again();
  bench.backlog(2);
  CHECK_FALSE(bench.run(115, knob::kWriteSize));
  const auto again = bench.run(10, knob::kWriteSize);
  REQUIRE(again);
  CHECK(again->rule == "write_size.reads");
  bench.apply(*again);
  bench.run(60, knob::kWriteSize);
  large_again();
  bench.backlog(2);
  CHECK_FALSE(bench.run(235, knob::kWriteSize));
  CHECK(bench.run(10, knob::kWriteSize));
}

TEST_CASE("write size: a stall is another reason than that nothing was gained", "[headroom]") {
  HeadroomBench bench = with_small_pieces();
  bench.objective.first = Priority::kStallSeconds;
  bench.f.knobs.edit()[1] = jobs_knob(4);
  std::optional<Proposal> back;
  for (int i = 0; i < 60 && !back; ++i) back = bench.run(1, knob::kWriteSize);
  REQUIRE(back);
  CHECK(back->rule == "write_size.futile");
  CHECK(bench.run(50, knob::kWriteSize));  // of the minute for which it is offered
  bench.f.stalled_ratio = 0.5;
  bench.backlog(20);
  const bool soon = GENERATE(true, false);  // or after the first offer would have ended
  bench.run(soon ? 1 : 15, knob::kWriteSize);
  back = bench.run(5, knob::kWriteSize);
  REQUIRE(back);
  CHECK(back->rule == "write_size.backlog");
  bench.apply(*back);
  bench.f.stalled_ratio = 0;
  bench.backlog(2);
  // It gained nothing all the same, where that is still to be seen: a stall is another load.
  CHECK(bench.run(590, knob::kWriteSize).has_value() == !soon);
}

TEST_CASE("write size: relief that comes and goes is waited for once", "[headroom]") {
  HeadroomBench bench = with_small_pieces();
  bench.objective.first = Priority::kStallSeconds;
  bench.f.read_p99_us = 4000;
  bench.f.stalled_ratio = 0.5;
  bench.f.device_queue = 1;  // the device is not full
  bench.backlog(20);
  std::optional<Proposal> back;
  for (int round = 0; round < 4 && !back; ++round) {  // more jobs would help, and then would not
    bench.f.running_compactions = 1;
    bench.run(8, knob::kWriteSize);
    bench.f.running_compactions = 0.5;
    back = bench.run(6, knob::kWriteSize);
  }
  REQUIRE(back);
  CHECK(back->rule == "write_size.backlog");
}

TEST_CASE("write size: what level 0 does not bear goes back", "[headroom]") {
  HeadroomBench bench = with_small_pieces();
  bench.objective.first = Priority::kStallSeconds;
  bench.f.read_p99_us = 4000;
  bench.f.stalled_ratio = 0.5;
  bench.backlog(20);
  SECTION("more jobs are what helps first, for a while, where the device is not full") {
    bench.f.device_queue = 1;
    CHECK_FALSE(bench.run(20, knob::kWriteSize));
    CHECK(bench.run(12, knob::kWriteSize));
    return;
  }
  bench.f.knobs.edit()[1] = jobs_knob(4);  // enough
  const auto back = bench.run(8, knob::kWriteSize);
  REQUIRE(back);
  CHECK(back->rule == "write_size.backlog");
  CHECK(back->to == kFoundPieces);
  bench.apply(*back);
  bench.f.stalled_ratio = 0;
  bench.backlog(2);
  bench.f.read_p99_us = 20'000;
  CHECK_FALSE(bench.run(110, knob::kWriteSize));
  CHECK(bench.run(15, knob::kWriteSize));
}
