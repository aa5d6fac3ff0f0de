// The limiter's loop where a backlog short of every limit slows reads: raises are probes.
#include "policy/read_burden.h"

#include <string>

#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

constexpr std::int64_t kBurdenLimit = 70'000'000;

void limit_to(HeadroomBench& bench, std::int64_t rate, double used) {
  bench.set_limit(rate, used * static_cast<double>(rate));
  KnobReading& limiter = bench.f.knobs.edit()[0];
  limiter.found = kBurdenLimit;
  limiter.owner = rate == kBurdenLimit ? KnobOwner::kFound : KnobOwner::kRocktune;
}

// 30 MB/s are needed and 70 pass, which is all that may; level 0 has 9 of 20 files, nothing warns,
// and reads take 9 ms where 5 are allowed.
HeadroomBench burdened() {
  HeadroomBench bench;
  bench.f.read_p99_us = 9000;
  bench.f.running_compactions = 1;
  bench.f.knobs.edit()[1] = jobs_knob(4);
  bench.backlog(9);
  limit_to(bench, kBurdenLimit, 1);
  return bench;
}

}  // namespace

TEST_CASE("limiter: a backlog that slows reads is worked off before it slows writers",
          "[headroom]") {
  HeadroomBench bench = burdened();
  CHECK_FALSE(bench.run(5, knob::kRateLimit));
  const auto raise = bench.run(4, knob::kRateLimit);
  REQUIRE(raise);
  CHECK(raise->rule == "limiter.runs");
  CHECK(raise->to == 2 * kBurdenLimit);
  CHECK(raise->expected.feature == "read_p99_us");
  CHECK(raise->expected.baseline == 9000);
  CHECK(raise->reason.find("L0 has 9 of 20 files, each of which reads look into") !=
        std::string::npos);
  bool await = false;
  for (const Driver& driver : raise->evidence) await |= driver.feature == "device_read_await_ms";
  CHECK(await);
  limit_to(bench, raise->to, 1);
  CHECK_FALSE(bench.run(14, knob::kRateLimit));  // it is given its time
  SECTION("further, as long as it gains") {
    for (std::int64_t limit = 4 * kBurdenLimit; limit <= 8 * kBurdenLimit; limit *= 2) {
      *bench.f.read_p99_us *= 0.9;
      const auto next = bench.run(20, knob::kRateLimit);
      REQUIRE(next);
      CHECK(next->rule == "limiter.runs");
      CHECK(next->to == limit);
      limit_to(bench, limit, 1);
    }
  }
  SECTION("as far as it takes") {
    bench.backlog(4);
    CHECK_FALSE(bench.run(250, knob::kRateLimit));
  }
  SECTION("and back where it gains nothing") {
    for (int step = 2; step <= 3; ++step) {
      const auto next = bench.run(10, knob::kRateLimit);
      REQUIRE(next);
      CHECK(next->rule == "limiter.runs");
      limit_to(bench, next->to, 1);
      CHECK_FALSE(bench.run(14, knob::kRateLimit));
    }
    const auto back = bench.run(2, knob::kRateLimit);
    REQUIRE(back);
    CHECK(back->rule == "limiter.runs_futile");
    CHECK(back->to == kBurdenLimit);
    SECTION("offered for a while; where it is not taken what stands stays") {
      bench.run(40, knob::kRateLimit);
      CHECK_FALSE(bench.run(60, knob::kRateLimit));
      return;
    }
    limit_to(bench, kBurdenLimit, 1);
    CHECK_FALSE(bench.run(590, knob::kRateLimit));
    const auto again = bench.run(20, knob::kRateLimit);
    REQUIRE(again);
    CHECK(again->rule == "limiter.runs");
  }
}

TEST_CASE("limiter: a probe ends where the limit binds no more", "[headroom]") {
  HeadroomBench bench = burdened();
  limit_to(bench, 600'000'000, 1);
  bench.f.knobs.edit()[0].found = 600'000'000;
  const auto raise = bench.run(9, knob::kRateLimit);
  REQUIRE(raise);
  CHECK(raise->rule == "limiter.runs");
  CHECK(raise->to == 1'200'000'000);  // none would be nobody's to judge
  bench.set_limit(raise->to, 500e6);
  bench.f.knobs.edit()[0].owner = KnobOwner::kRocktune;
  const auto back = bench.run(20, knob::kRateLimit);
  REQUIRE(back);
  CHECK(back->rule == "limiter.runs_futile");
  CHECK(back->to == 600'000'000);
}

TEST_CASE("limiter: what is raised for debt that piles up is no probe for reads", "[headroom]") {
  HeadroomBench bench = burdened();
  bench.f.pending_bytes = 100e9;
  bench.f.pending_ratio = 0.15;
  for (int i = 0; i < 3; ++i) {
    const auto raise = bench.run(20, knob::kRateLimit);
    REQUIRE(raise);
    CHECK(raise->rule == "limiter.backlog");
    limit_to(bench, raise->to, 1);
  }
  bench.f.pending_bytes = 0;
  bench.f.pending_ratio = 0;
  for (int i = 0; i < 40; ++i) {
    for (const Proposal& proposal : bench.tick()) CHECK(proposal.rule != "limiter.runs_futile");
  }
}

TEST_CASE("limiter: reads alone, or a backlog alone, raise it no further", "[headroom]") {
  HeadroomBench bench = burdened();
  SECTION("reads are fast enough") {
    bench.f.read_p99_us = 4000;
  }
  SECTION("nobody reads") {
    bench.f.reads_per_second = 0;
    bench.run(70, knob::kBackgroundJobs);
  }
  SECTION("level 0 is far from its limit") {
    bench.backlog(3);
  }
  SECTION("the limiter is not what it waits for") {
    limit_to(bench, kBurdenLimit, 0.5);
  }
  SECTION("memtables are what is full") {
    bench.f.memtable_ratio = 0.9;
    bench.f.immutable_memtables = 2;
  }
  SECTION("nobody knows") {
    bench.f.pending_bytes.reset();
  }
  SECTION("for a moment") {
    for (int i = 0; i < 20; ++i) {
      bench.backlog(i % 2 == 0 ? 9 : 4);
      for (const Proposal& proposal : bench.tick()) CHECK(proposal.knob != knob::kRateLimit);
    }
    return;
  }
  CHECK_FALSE(bench.run(60, knob::kRateLimit));
}

TEST_CASE("limiter: its first step down is to the share of the device that was allowed",
          "[headroom]") {
  HeadroomBench bench;
  bench.f.read_p99_us = 9000;
  bench.f.device_queue = 40;
  bench.f.running_compactions = 1;
  bench.budget.device_share = 0.5;
  bench.objective.device_capacities.write.emplace();
  bench.objective.device_capacities.write->bytes_per_second = 120e6;
  // Without any limit, and with one above that share.
  const std::int64_t limit = GENERATE(as<std::int64_t>{}, kUnlimitedBytesPerSecond, 100'000'000);
  bench.set_limit(limit, 90e6);
  const auto lower = bench.run(13, knob::kRateLimit);
  REQUIRE(lower);
  CHECK(lower->rule == "limiter.reads");
  CHECK(lower->to == 60'000'000);
}
