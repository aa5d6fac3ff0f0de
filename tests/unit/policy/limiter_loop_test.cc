// The limiter's loop on hand-made features.
#include "model/write_stall.h"
#include "policy/situation.h"
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("limiter: doubled when a backlog warns behind it, fourfold in a stall", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(40 * kHeadroomMiB, 39.0 * kHeadroomMiB);
  bench.backlog(18);
  auto proposal = bench.run(2, knob::kRateLimit);
  REQUIRE(proposal);
  CHECK(proposal->rule == "limiter.backlog");
  CHECK(proposal->reason.starts_with("compaction_backlog warns; L0 has 18 of 20 files; "));
  CHECK(proposal->from == 40 * kHeadroomMiB);
  CHECK(proposal->to == 80 * kHeadroomMiB);
  CHECK(proposal->expected.feature == "l0_ratio");
  CHECK(proposal->expected.lower_is_better);
  bench.f.delayed_bytes_per_second = 16e6;
  bench.f.stalled_ratio = 0.3;
  CHECK(bench.run(1, knob::kRateLimit)->to == 160 * kHeadroomMiB);
}

TEST_CASE("limiter: a stall that lasted a part of one poll counts as one", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(40 * kHeadroomMiB, 39.0 * kHeadroomMiB);
  bench.backlog(18);
  bench.run(5, knob::kRateLimit);
  bench.indicators[0].event = true;
  bench.f.stalled_ratio = kStalledRatio;
  CHECK(bench.run(0.5, knob::kRateLimit)->to == 160 * kHeadroomMiB);
}

TEST_CASE("limiter: sixteenfold where writers stand still behind it", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(40 * kHeadroomMiB, 39.0 * kHeadroomMiB);
  bench.backlog(36);
  bench.run(5, knob::kRateLimit);
  SECTION("writes are stopped") {
    bench.f.write_stopped = 1;
  }
  SECTION("most of the interval was lost") {
    bench.f.stalled_ratio = 0.6;
  }
  CHECK(bench.run(0.5, knob::kRateLimit)->to == 640 * kHeadroomMiB);
}

// RocksDB counts it as it ends, and what began before the last raise says nothing of that.
TEST_CASE("limiter: fourfold for a stall of the whole interval that is over", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(40 * kHeadroomMiB, 39.0 * kHeadroomMiB);
  bench.backlog(36);
  bench.run(5, knob::kRateLimit);
  bench.f.stalled_ratio = 1;
  std::int64_t to = 160 * kHeadroomMiB;
  SECTION("over") {}
  SECTION("not over: writers are still delayed") {
    bench.f.delayed_bytes_per_second = 1e6;
    to *= 4;
  }
  CHECK(bench.run(0.5, knob::kRateLimit)->to == to);
}

TEST_CASE("limiter: fourfold where writers stand still, but hardly behind it", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(30 * kHeadroomMiB, 15.0 * kHeadroomMiB);  // half of it used, below the need
  bench.backlog(36);
  bench.run(5, knob::kRateLimit);
  bench.f.write_stopped = 1;
  CHECK(bench.run(0.5, knob::kRateLimit)->to == 120 * kHeadroomMiB);
}

TEST_CASE("limiter: near 1 GiB/s it becomes unlimited", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(600 * kHeadroomMiB, 590.0 * kHeadroomMiB);
  bench.backlog(18);
  CHECK(bench.run(2, knob::kRateLimit)->to == kUnlimitedBytesPerSecond);
}

TEST_CASE("limiter: a backlog that does not wait for it does not move it", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(400 * kHeadroomMiB, 30.0 * kHeadroomMiB);
  bench.backlog(18);
  CHECK_FALSE(bench.run(10, knob::kRateLimit));
}

TEST_CASE("limiter: a debt of minutes behind it is a backlog, too", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(40 * kHeadroomMiB, 39.0 * kHeadroomMiB);
  bench.f.pending_bytes = 24e9;
  bench.f.pending_ratio = 0.35;
  CHECK(bench.run(2, knob::kRateLimit)->rule == "limiter.backlog");
}

TEST_CASE("limiter: short of the need it follows without waiting for trouble", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(31000000, 30e6);  // 30 MB/s are needed
  bench.backlog(9);                 // no trouble, no comfort
  CHECK_FALSE(bench.run(4, knob::kRateLimit));
  auto proposal = bench.run(4, knob::kRateLimit);
  REQUIRE(proposal);
  CHECK(proposal->rule == "limiter.need");
  CHECK(proposal->to == Approx(45e6).epsilon(0.01));
}

TEST_CASE("limiter: in comfort what a long compaction uses up is no need", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(62000000, 62e6);
  bench.f.flush_bytes_per_second = 10e6;
  bench.f.compaction_write_bytes_per_second = 52e6;
  CHECK_FALSE(bench.run(1200, knob::kRateLimit));
  bench.f.user_write_bytes_per_second = 15e6;  // more writes are
  CHECK(bench.run(20, knob::kRateLimit)->rule == "limiter.need");
}

TEST_CASE("limiter: where more than 1 GiB/s passes that is a limit like another", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(900 * kHeadroomMiB, 890.0 * kHeadroomMiB);
  bench.backlog(9);
  bench.f.user_write_bytes_per_second = 20e6;
  bench.f.compaction_write_bytes_per_second = 880e6;  // what is needed
  const auto follows = bench.run(20, knob::kRateLimit);
  REQUIRE(follows);
  CHECK(follows->rule == "limiter.need");
  CHECK(follows->to > 1'300'000'000);
  CHECK(follows->to < 1'400'000'000);
}

namespace {
void disturbed_reads(HeadroomBench& bench) {
  bench.f.read_p99_us = 9000;
  bench.f.device_queue = 40;
  bench.f.running_compactions = 1;
}
}  // namespace

TEST_CASE("limiter: slow reads in comfort lower it, first to what passes", "[headroom]") {
  HeadroomBench bench;
  disturbed_reads(bench);
  bench.set_limit(kUnlimitedBytesPerSecond, 80e6);
  CHECK_FALSE(bench.run(9, knob::kRateLimit));
  auto proposal = bench.run(4, knob::kRateLimit);
  REQUIRE(proposal);
  CHECK(proposal->rule == "limiter.reads");
  CHECK(proposal->to == 80000000);
  CHECK(proposal->expected.feature == "read_p99_us");
  bench.set_limit(80000000, 50e6);
  CHECK_FALSE(bench.run(14, knob::kRateLimit));
  CHECK(bench.run(4, knob::kRateLimit)->to == 68000000);
  bench.set_limit(39000000, 20e6);  // 1.3 times the need: enough is enough
  CHECK_FALSE(bench.run(60, knob::kRateLimit));
}

TEST_CASE("limiter: what reads take of it is needed, too", "[headroom]") {
  const bool reads = GENERATE(false, true);
  HeadroomBench bench;
  bench.f.limiter_limits_reads = reads ? 1 : 0;
  disturbed_reads(bench);
  bench.set_limit(80000000, 62e6);  // 30 MB/s are written
  SECTION("its own") {
    CHECK(bench.run(60, knob::kRateLimit).has_value() == !reads);
  }
  SECTION("others' reads, of a limiter that they have, too, are not") {
    Observer observer;
    KnobReading& limiter = bench.f.knobs.edit()[0];
    limiter.min = limiter.max = limiter.found = limiter.value;
    Value need;
    for (int i = 0; i < 60; ++i) {
      bench.f.at.tick += at_seconds(0.5);
      need = observer.observe({bench.f, {}, bench.objective, bench.budget}).need;
    }
    REQUIRE(need);
    CHECK(*need == Approx(30e6));
  }
}

TEST_CASE("limiter: a load that comes and goes is left what it needs when it is there",
          "[headroom]") {
  HeadroomBench bench;
  disturbed_reads(bench);
  bench.f.read_p99_us = 500;
  bench.f.user_write_bytes_per_second = 40e6;  // each three times, 30 s on end
  bench.f.flush_bytes_per_second = 40e6;
  bench.f.compaction_write_bytes_per_second = 80e6;
  bench.set_limit(kUnlimitedBytesPerSecond, 120e6);
  CHECK_FALSE(bench.run(40, knob::kRateLimit));
  bench.f.user_write_bytes_per_second = 5e6;
  bench.f.flush_bytes_per_second = 5e6;
  bench.f.compaction_write_bytes_per_second = 10e6;
  bench.f.read_p99_us = 9000;
  bench.set_limit(200e6, 60e6);
  const auto proposal = bench.run(60, knob::kRateLimit);
  REQUIRE(proposal);
  CHECK(proposal->rule == "limiter.reads");
  CHECK(proposal->to == Approx(1.3 * 109e6).epsilon(0.02));  // it fades
  bench.set_limit(static_cast<std::int64_t>(1.25 * 110e6), 60e6);
  CHECK_FALSE(bench.run(30, knob::kRateLimit));
}

TEST_CASE("limiter: what a burst seemed to need, and nobody saw pass, is not left to it",
          "[headroom]") {
  HeadroomBench bench;
  disturbed_reads(bench);
  bench.f.read_p99_us = 500;
  CHECK_FALSE(bench.run(40, knob::kRateLimit));
  bench.f.user_write_bytes_per_second = 200e6;  // three times is what writes cost so far
  CHECK_FALSE(bench.run(3, knob::kRateLimit));
  bench.f.user_write_bytes_per_second = 10e6;
  bench.f.read_p99_us = 9000;
  bench.set_limit(60'000'000, 30e6);
  const auto proposal = bench.run(60, knob::kRateLimit);
  REQUIRE(proposal);
  CHECK(proposal->rule == "limiter.reads");
  CHECK(proposal->to < 40'000'000);
}

TEST_CASE(
    "limiter: reads that are foreseen to be slow are answered where that has come true before",
    "[headroom]") {
  HeadroomBench bench;
  disturbed_reads(bench);
  bench.f.read_p99_us = 3000;  // 5 ms are allowed
  bench.set_limit(kUnlimitedBytesPerSecond, 80e6);
  Indicator& p99 = bench.foresee_slow("read");
  bool answered = false;
  SECTION("it has") {
    answered = true;
  }
  SECTION("nobody knows") {
    p99.calibrated = false;
  }
  SECTION("it is writes that are") {
    p99.cause = "write";
  }
  SECTION("nothing warns any more") {
    p99.state = AlertState::kOk;
  }
  SECTION("the forecast is not valid") {
    p99.valid = false;
  }
  const auto proposal = bench.run(13, knob::kRateLimit);
  REQUIRE(proposal.has_value() == answered);
  if (!answered) return;
  CHECK(proposal->rule == "limiter.reads");
  CHECK(proposal->reason.find("3 ms, and foreseen to break its objective, without any backlog") !=
        std::string::npos);
}

TEST_CASE("limiter: where reads do not come first, a lowered limit leaves writes more",
          "[headroom]") {
  HeadroomBench bench;
  disturbed_reads(bench);
  bench.objective.first = Priority::kWriteP99;
  bench.set_limit(kUnlimitedBytesPerSecond, 50e6);
  const auto proposal = bench.run(13, knob::kRateLimit);
  REQUIRE(proposal);
  CHECK(proposal->to == Approx(1.3 * 1.5 * 30e6).epsilon(0.01));
}

TEST_CASE("limiter: slow reads are not its matter when a cause is missing", "[headroom]") {
  HeadroomBench bench;
  disturbed_reads(bench);
  bench.set_limit(kUnlimitedBytesPerSecond, 80e6);
  SECTION("the backlog slows the reads") {
    bench.backlog(10);
  }
  SECTION("no compaction runs") {
    bench.f.running_compactions = 0;
  }
  SECTION("the device is calm") {
    bench.f.device_queue = 2;
  }
  SECTION("the device is unknown") {
    bench.f.device_queue.reset();
    bench.f.device_read_await_ms.reset();
  }
  SECTION("the shape of the tree is unknown") {
    bench.f.l0_ratio.reset();
  }
  SECTION("the limiter is gone") {
    bench.f.knobs.edit()[0].changeable = false;
  }
  CHECK_FALSE(bench.run(60, knob::kRateLimit));
}

TEST_CASE("limiter: one far above what passes is lowered to that first, which is no probe yet",
          "[headroom]") {
  HeadroomBench bench;
  disturbed_reads(bench);
  bench.f.knobs.edit()[0].found = GENERATE(900'000'000, 1'500'000'000);
  bench.set_limit(bench.f.knobs[0].found, 200e6 - 0.5);
  std::vector<std::int64_t> steps;
  bool futile = false;
  for (int i = 0; i < 2 * 90 && !futile; ++i) {
    for (const Proposal& proposal : bench.tick()) {
      if (proposal.knob != knob::kRateLimit) continue;
      bench.apply(proposal);
      bench.set_limit(proposal.to, 0.97 * std::min(200e6, static_cast<double>(proposal.to)));
      futile = proposal.rule == "limiter.futile";
      if (!futile) steps.push_back(proposal.to);
    }
  }
  REQUIRE(steps.size() >= 4);
  CHECK(steps[0] == 200'000'000);
  CHECK(steps[1] == 170'000'000);
  CHECK(futile);  // P99 stays as it is: after three steps that took something away
  CHECK(steps.size() == 4);
}
