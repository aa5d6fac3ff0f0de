// A read once a second is a health check: nothing is lowered, nor taken back, for its sake; nor is
// anything for who does not answer.
#include "policy/demand.h"
#include "policy/outcomes.h"
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"
#include "tests/unit/policy/one_compaction_bench.h"
#include "tests/unit/policy/write_size_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// Compactions keep the device busy, and what is read waits beyond its objective.
void disturb(HeadroomBench& bench, double reads_per_second) {
  bench.objective.read_p99_seconds = 0.010;
  bench.f.reads_per_second = reads_per_second;
  bench.f.seeks_per_second = 0;
  bench.f.read_p99_us = 15000;
  bench.f.running_compactions = 1;
  bench.f.device_queue = bench.objective.device_queue_limit;
  bench.f.device_read_await_ms = 12;
  bench.set_limit(200'000'000, 60e6);
}

bool slo_broken_by(double reads_per_second) {
  Objective objective;
  objective.read_p99_seconds = 0.010;
  Outcomes outcomes(objective);
  Features f;
  f.fresh = true;
  f.reads_per_second = reads_per_second;
  f.seeks_per_second = 0;
  f.read_p99_us = 1000;
  f.l0_ratio = 0.2;
  const auto pass = [&](double seconds) {
    std::vector<Finished> all;
    for (int i = 0; i < static_cast<int>(2 * seconds); ++i) {
      f.at.tick += at_seconds(0.5);
      for (Finished& one : outcomes.observe(f)) all.push_back(std::move(one));
    }
    return all;
  };
  pass(10);
  Decision made;
  made.id = "1-1";
  made.proposal.knob = knob::kBackgroundJobs;
  made.proposal.from = 2;
  made.proposal.to = 4;
  made.proposal.rule = "jobs.backlog";
  made.proposal.expected = {"cache_hit_ratio", false, 0.9, 10};
  made.verdict = {VerdictKind::kAllowed, 4, "", ""};
  f.cache_hit_ratio = 0.9;
  f.knobs = {jobs_knob(4)};
  outcomes.begin(made, {"1-1", "applied", "", 2, 4}, f);
  f.read_p99_us = 50000;
  const auto finished = pass(11);
  REQUIRE(finished.size() == 1);
  return finished[0].slo_broken;
}

}  // namespace

TEST_CASE("the limiter is lowered for readers, not for a health check", "[headroom]") {
  HeadroomBench bench;
  disturb(bench, 1000);
  CHECK(bench.run(60, knob::kRateLimit));
  HeadroomBench checked;
  disturb(checked, 1);
  checked.run(15, knob::kRateLimit);  // in its first seconds it may be read, for all that is known
  CHECK_FALSE(checked.run(120, knob::kRateLimit));
}

TEST_CASE("others' writing is not divided for a health check", "[headroom]") {
  const auto hurt = [](double reads_per_second) {
    HeadroomBench bench;
    disturb(bench, reads_per_second);
    DemandMeter meter;
    Demand demand;
    for (int i = 0; i < 120; ++i) {
      bench.f.at.tick += at_seconds(0.5);
      demand = meter.update({bench.f, bench.indicators, bench.objective, bench.budget});
    }
    return demand.reads_hurt;
  };
  CHECK(hurt(1000));
  CHECK_FALSE(hurt(1));
}

TEST_CASE("a database that does not answer suffers no longer than ten seconds", "[headroom]") {
  HeadroomBench bench;
  disturb(bench, 1000);
  DemandMeter meter;
  const auto run = [&](double seconds) {
    Demand last;
    for (int i = 0; i < static_cast<int>(seconds * 2); ++i) {
      bench.f.at.tick += at_seconds(0.5);
      last = meter.update({bench.f, bench.indicators, bench.objective, bench.budget});
    }
    return last;
  };
  const Demand hurt = run(60);
  REQUIRE(hurt.reads_hurt);
  REQUIRE(hurt.device_busy);
  bench.f.fresh = false;
  CHECK(run(8).reads_hurt);
  const Demand silent = run(5);
  CHECK_FALSE(silent.reads_hurt);
  CHECK_FALSE(silent.device_busy);
  CHECK_FALSE(silent.reads);
  CHECK(silent.need == hurt.need);  // its claim stays
}

TEST_CASE("a service level is one of readers", "[outcomes]") {
  CHECK(slo_broken_by(1000));
  CHECK_FALSE(slo_broken_by(1));
}

TEST_CASE("write size: a health check is no reader", "[headroom]") {
  HeadroomBench bench = following();
  for (int i = 0; i < 5; ++i) {
    bench.f.reads_per_second = 20;
    CHECK_FALSE(bench.run(0.5, knob::kWriteSize));
    bench.f.reads_per_second = 0;
    CHECK_FALSE(bench.run(70, knob::kWriteSize));
  }
}

TEST_CASE("write size: what a health check meets judges nobody who follows a neighbour",
          "[headroom]") {
  HeadroomBench bench = beside_a_reader();
  bench.f.reads_per_second = 2;
  bench.f.read_p99_us = 20;  // of one key, from the cache
  const auto follows = bench.run(60, knob::kWriteSize);
  REQUIRE(follows);
  CHECK(follows->rule == "write_size.neighbours");
  bench.apply(*follows);
  CHECK_FALSE(bench.run(1200, knob::kWriteSize));
}

TEST_CASE("write size: no smaller writes for a health check that waits behind them", "[headroom]") {
  HeadroomBench bench = behind_writes();
  bench.f.reads_per_second = 0.5;
  bench.run(12, knob::kWriteSize);
  CHECK_FALSE(bench.run(120, knob::kWriteSize));
  bench.f.reads_per_second = 2000;
  CHECK(bench.run(10, knob::kWriteSize)->rule == "write_size.reads");
}

TEST_CASE("write size: a pause of one's own readers leaves the small writes", "[headroom]") {
  HeadroomBench bench = with_small_pieces();
  bench.f.read_p99_us = 4000;
  CHECK_FALSE(bench.run(60, knob::kWriteSize));
  bench.f.reads_per_second = 0;
  bench.f.read_p99_us.reset();
  CHECK_FALSE(bench.run(600, knob::kWriteSize));
}

TEST_CASE("a pause of writes beside a health check takes back no room, nor spared jobs",
          "[headroom][one_compaction]") {
  HeadroomBench bench = full_device(4);
  bench.knob(knob::kBloomBits).value = 0;
  bench.f.reads_per_second = 1;
  bench.run(70, knob::kBackgroundJobs);
  const auto fewer = bench.run(1, knob::kBackgroundJobs);
  REQUIRE(fewer);
  CHECK(fewer->rule == "jobs.spared");
  bench.apply(*fewer);
  bench.f.running_compactions = 1;
  level0(bench, 10);
  const auto room = bench.run(5, knob::kL0Slowdown);
  REQUIRE(room);
  CHECK(room->rule == "l0_room.writes");
  bench.apply(*room);
  level0(bench, 10);
  const auto pause = [&](double reads) {
    bench.f.reads_per_second = reads;
    bench.f.writes_per_second = 0;
  };
  SECTION("of a health check") {
    pause(1);
    CHECK_FALSE(bench.run(10, knob::kL0Slowdown));
    CHECK_FALSE(bench.run(10, knob::kBackgroundJobs));
  }
  SECTION("of readers, it takes back the room") {
    pause(2000);
    const auto back = bench.run(6, knob::kL0Slowdown);
    REQUIRE(back);
    CHECK(back->rule == "l0_room.idle");
    CHECK(back->reason.starts_with("reads have come"));
  }
  SECTION("of readers, it takes back the jobs") {
    pause(2000);
    const auto back = bench.run(6, knob::kBackgroundJobs);
    REQUIRE(back);
    CHECK(back->rule == "jobs.wanted");
  }
}
