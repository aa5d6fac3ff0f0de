// What util/rate_limiter.cc does with its drained intervals, step by step.
#include "tests/unit/policy/peers/peer_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

constexpr std::int64_t kAutoTunedMost = 200'000'000;

class AutoTunedBench : public PeerBench {
 public:
  AutoTunedBench()
      : PeerBench("rocksdb-auto-tuned",
                  {{"rate_limit_max_bytes_per_second", static_cast<double>(kAutoTunedMost)}}) {}
  [[nodiscard]] std::int64_t rate() const { return value(knob::kRateLimit); }
  // One tune after so long with that use.
  std::int64_t tune(double share) {
    for (int i = 0; i < 20; ++i) {
      used(share);
      tick();
    }
    return rate();
  }
  // Started, and at the beginning of an interval.
  void start() {
    tick();
    REQUIRE(rate() == kAutoTunedMost / 2);
    tick();
  }
};

}  // namespace

TEST_CASE("auto-tuned: it starts at half of the largest rate", "[peers]") {
  AutoTunedBench bench;
  const auto first = bench.tick();
  REQUIRE(first.size() == 1);
  CHECK(first[0].rule == "auto_tuned.start");
  CHECK(bench.rate() == kAutoTunedMost / 2);
  CHECK(bench.run(9).empty());
}

TEST_CASE("auto-tuned: what nobody makes is asked for every 10 s", "[peers]") {
  AutoTunedBench bench;
  bench.knob(knob::kL0Weight, 4);
  bench.act = false;
  CHECK(bench.run(30).size() == 6);  // start and weight
}

TEST_CASE("auto-tuned: 5% up above 90%, 5% down below 50%, nothing between", "[peers]") {
  AutoTunedBench bench;
  bench.start();
  CHECK(bench.tune(0.915) == 105'000'000);
  CHECK(bench.tune(0.905) == 105'000'000);
  CHECK(bench.tune(0.505) == 105'000'000);
  CHECK(bench.tune(0.495) == 100'000'000);
}

TEST_CASE("auto-tuned: every 10 s, not sooner", "[peers]") {
  AutoTunedBench bench;
  bench.start();
  bench.used(1);
  CHECK(bench.run(9.5).empty());
  CHECK(bench.run(0.5).size() == 1);
  CHECK(bench.run(9.5).empty());
}

TEST_CASE("auto-tuned: to a twentieth at 0%, and never below it nor above the largest", "[peers]") {
  AutoTunedBench bench;
  bench.start();
  CHECK(bench.tune(0.009) == kAutoTunedMost / 20);
  CHECK(bench.tune(0.2) == kAutoTunedMost / 20);
  for (int i = 0; i < 100; ++i) bench.tune(1);
  CHECK(bench.rate() == kAutoTunedMost);
}

TEST_CASE("auto-tuned: the largest rate is given, found, probed or 1 GiB/s", "[peers]") {
  PeerBench found("rocksdb-auto-tuned");
  found.f.knobs = {limiter_knob(80'000'000, 80'000'000)};
  found.objective.device_capacities.write = DirectionCapacity{500e6, 1e5};
  found.tick();
  CHECK(found.value(knob::kRateLimit) == 40'000'000);
  PeerBench probed("rocksdb-auto-tuned");
  probed.objective.device_capacities.write = DirectionCapacity{500e6, 1e5};
  probed.tick();
  CHECK(probed.value(knob::kRateLimit) == 250'000'000);
  PeerBench unknown("rocksdb-auto-tuned");
  unknown.tick();
  CHECK(unknown.value(knob::kRateLimit) == 1 << 29);
}

TEST_CASE("auto-tuned: at the limit that was found it stays, and starts no second time",
          "[peers]") {
  PeerBench bench("rocksdb-auto-tuned");
  bench.f.knobs = {limiter_knob(80'000'000, 80'000'000)};
  bench.used(1);
  for (int i = 0; i < 200; ++i) {
    bench.used(1);
    bench.run(1);
  }
  CHECK(bench.value(knob::kRateLimit) == 80'000'000);
  CHECK(bench.run(60).empty());
  bench.used(0.4);
  SECTION("nor for a change that nobody makes") {
    bench.act = false;
    for (const Proposal& proposal : bench.run(60)) CHECK(proposal.to == 76'190'476);
    return;
  }
  for (const Proposal& proposal : bench.run(60)) CHECK(proposal.rule == "auto_tuned.demand");
  // Given back by the agent, as a lease expired: it starts anew.
  bench.f.knobs = {limiter_knob(80'000'000, 80'000'000)};
  bench.tick();
  CHECK(bench.value(knob::kRateLimit) == 40'000'000);
}

TEST_CASE("auto-tuned: what was not read moves nothing", "[peers]") {
  AutoTunedBench bench;
  bench.start();
  bench.f.limiter_use_ratio.reset();
  CHECK(bench.run(30).empty());
  bench.f.fresh = false;
  bench.used(1);
  CHECK(bench.run(30).empty());
  bench.f.fresh = true;
  bench.f.knobs.edit()[0].changeable = false;
  CHECK(bench.run(30).empty());
}

TEST_CASE("auto-tuned: half an interval that was read is too little", "[peers]") {
  AutoTunedBench bench;
  bench.start();
  for (int i = 0; i < 20; ++i) {
    if (i < 9) {
      bench.used(1);
    } else {
      bench.f.limiter_use_ratio.reset();
    }
    CHECK(bench.tick().empty());
  }
}

TEST_CASE("auto-tuned: another database begins another interval", "[peers]") {
  AutoTunedBench bench;
  bench.start();
  bench.used(1);
  bench.run(9);
  bench.f.reset = true;
  CHECK(bench.run(10).empty());
  CHECK(bench.run(0.5).size() == 1);
}

TEST_CASE("auto-tuned: flushes wait too, and all compactions are served alike", "[peers]") {
  AutoTunedBench bench;
  bench.knob(knob::kLimitFlushes, 0);
  bench.knob(knob::kL0Weight, 4);
  bench.tick();
  CHECK(bench.value(knob::kLimitFlushes) == 1);
  CHECK(bench.value(knob::kL0Weight) == 1);
  for (const Proposal& proposal : bench.run(30)) CHECK(proposal.knob == knob::kRateLimit);
}
