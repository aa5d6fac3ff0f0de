// The loops of headroom beside limiter, jobs and cache, each on hand-made features.
#include <set>

#include "policy/shape_loop.h"
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("subcompactions: when level 0 waits and CPUs are free", "[headroom][subcompactions]") {
  HeadroomBench bench;
  bench.f.knobs.edit().push_back(knob_reading(knob::kSubcompactions, 1, 1, 1, 64));
  bench.backlog(18);
  bench.f.running_compactions = 1;
  bench.f.knobs.edit()[1] = jobs_knob(4);  // enough
  SECTION("more jobs are what helps first, for a while") {
    bench.f.knobs.edit()[1] = jobs_knob(2);
    CHECK_FALSE(bench.run(20, knob::kSubcompactions));
    CHECK(bench.run(3, knob::kSubcompactions));
  }
  SECTION("a loaded device does not get faster by more threads") {
    bench.backlog(2);
    bench.run(10, knob::kSubcompactions);
    bench.backlog(18);
    bench.f.stalled_ratio = 0.3;
    bench.f.device_read_await_ms = 3;
    CHECK_FALSE(bench.run(60, knob::kSubcompactions));
  }
  SECTION("they are") {
    const auto proposal = bench.run(5, knob::kSubcompactions);
    REQUIRE(proposal);
    CHECK(proposal->rule == "subcompactions.l0");
    CHECK(proposal->to == 2);
    bench.apply(*proposal);
    CHECK(bench.run(5, knob::kSubcompactions)->to == 4);
    bench.knob(knob::kSubcompactions).value = 4;  // as many as there are CPUs
    CHECK_FALSE(bench.run(20, knob::kSubcompactions));
    bench.backlog(2);
    CHECK_FALSE(bench.run(299, knob::kSubcompactions));
    CHECK(bench.run(5, knob::kSubcompactions)->rule == "subcompactions.idle");
  }
  SECTION("they are not") {
    bench.f.cpu_busy_ratio = 0.8;
    CHECK_FALSE(bench.run(60, knob::kSubcompactions));
  }
  SECTION("the limiter is what level 0 waits for") {
    bench.set_limit(40 * kHeadroomMiB, 39.0 * kHeadroomMiB);
    CHECK_FALSE(bench.run(60, knob::kSubcompactions));
  }
}

TEST_CASE("flow: stops become a delay at what is accepted", "[headroom][flow]") {
  HeadroomBench bench;
  bench.f.knobs.edit().push_back(
      knob_reading(knob::kDelayedWriteRate, 16 << 20, 16 << 20, 1 << 20, std::int64_t{1} << 40));
  bench.f.user_write_bytes_per_second = 4e6;
  CHECK_FALSE(bench.run(60, knob::kDelayedWriteRate));
  bench.f.write_stopped = 1;
  const auto even = bench.run(10, knob::kDelayedWriteRate);
  REQUIRE(even);
  CHECK(even->rule == "flow.even");
  CHECK(even->to == Approx(4e6).epsilon(0.01));
  bench.apply(*even);
  CHECK_FALSE(bench.run(30, knob::kDelayedWriteRate));
}

TEST_CASE("flow: what was found comes back in comfort", "[headroom][flow]") {
  HeadroomBench bench;
  bench.f.knobs.edit().push_back(
      knob_reading(knob::kDelayedWriteRate, 4 << 20, 16 << 20, 1 << 20, std::int64_t{1} << 40));
  SECTION("while writes go on") {}
  SECTION("while nothing is written: the next slowdown comes with the next writes") {
    bench.f.user_write_bytes_per_second = 0;
  }
  CHECK_FALSE(bench.run(299, knob::kDelayedWriteRate));
  const auto back = bench.run(3, knob::kDelayedWriteRate);
  REQUIRE(back);
  CHECK(back->rule == "flow.returned");
  CHECK(back->to == 16 << 20);
}

TEST_CASE("flow: a delay far below what was accepted is lifted", "[headroom][flow]") {
  HeadroomBench bench;
  bench.f.knobs.edit().push_back(
      knob_reading(knob::kDelayedWriteRate, 16 << 20, 16 << 20, 1 << 20, std::int64_t{1} << 40));
  bench.f.user_write_bytes_per_second = 200e6;
  bench.run(60, knob::kDelayedWriteRate);
  bench.f.delayed_bytes_per_second = 16e6;
  const auto lifted = bench.run(3, knob::kDelayedWriteRate);
  REQUIRE(lifted);
  CHECK(lifted->rule == "flow.collapse");
  CHECK(lifted->to > 150'000'000);
}

TEST_CASE("filters: where reads look in vain and the option can be changed", "[headroom][filter]") {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 0);
  KnobReading bits = knob_reading(knob::kBloomBits, 2, 2, 2, 32);
  bits.column_family = "default";
  bench.f.knobs.edit().push_back(bits);
  bench.f.reads_per_second = 5000;
  bench.f.cache_misses_per_second = 4000;
  SECTION("they do") {
    const auto proposal = bench.run(20, knob::kBloomBits);
    REQUIRE(proposal);
    CHECK(proposal->rule == "filter.reads");
    CHECK(proposal->to == 10);
    bench.apply(*proposal);
    CHECK_FALSE(bench.run(20, knob::kBloomBits));
  }
  SECTION("old RocksDB") {
    bench.knob(knob::kBloomBits).changeable = false;
    CHECK_FALSE(bench.run(60, knob::kBloomBits));
  }
  SECTION("they hardly miss") {
    bench.f.cache_misses_per_second = 500;
    CHECK_FALSE(bench.run(60, knob::kBloomBits));
  }
  SECTION("compactions do, reads hardly") {
    bench.f.device_read_iops = 500;
    CHECK_FALSE(bench.run(60, knob::kBloomBits));
  }
  SECTION("one sorted run") {
    bench.f.column_families[0].levels = {{0, 0}, {8, 512u << 20}};
    CHECK_FALSE(bench.run(60, knob::kBloomBits));
  }
}

TEST_CASE("limiter: lowerings that gain reads nothing are taken back", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(200 * kHeadroomMiB, 60.0 * kHeadroomMiB);
  bench.f.read_p99_us = 9000;
  bench.f.running_compactions = 1;
  bench.f.device_queue = 30;
  const bool helps = GENERATE(false, true);
  int lowered = 0;
  std::optional<Proposal> back;
  for (int i = 0; i < 400 && !back; ++i) {
    for (const Proposal& proposal : bench.tick()) {
      if (proposal.knob != knob::kRateLimit) continue;
      if (proposal.rule == "limiter.futile") {
        back = proposal;
        continue;
      }
      CHECK(proposal.rule == "limiter.reads");
      ++lowered;
      bench.set_limit(proposal.to, 60.0 * kHeadroomMiB);
      bench.f.knobs.edit()[0].owner = KnobOwner::kRocktune;
      if (helps) *bench.f.read_p99_us *= 0.97;
    }
  }
  CHECK(back.has_value() != helps);
  if (helps) return;
  CHECK(lowered == 3);
  CHECK(back->to == 200 * kHeadroomMiB);
  bench.set_limit(back->to, 60.0 * kHeadroomMiB);
  CHECK_FALSE(bench.run(59, knob::kRateLimit));
}

TEST_CASE("limiter: a forecast that nothing else bears out moves it a little", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(40 * kHeadroomMiB, 39.0 * kHeadroomMiB);
  bench.backlog(4);
  bench.indicators[0].state = AlertState::kWarning;
  const auto proposal = bench.run(2, knob::kRateLimit);
  REQUIRE(proposal);
  CHECK(proposal->to == 50 * kHeadroomMiB);
  bench.indicators[0].calibrated = true;
  CHECK(bench.run(2, knob::kRateLimit)->to == 80 * kHeadroomMiB);
}

TEST_CASE("cache: it hurries while reads are slow", "[headroom]") {
  HeadroomBench bench;
  bench.budget.memory_max = Bytes{4096 * kHeadroomMiB};
  bench.f.cache_hit_ratio = 0.6;
  bench.f.cache_misses_per_second = 5000;
  bench.f.read_p99_us = 9000;
  const auto proposal = bench.run(10, knob::kCacheCapacity);
  REQUIRE(proposal);
  CHECK(proposal->to == 384 * kHeadroomMiB);
  bench.apply(*proposal);
  CHECK(bench.run(10, knob::kCacheCapacity)->to == 576 * kHeadroomMiB);
}

namespace {

// Ticks until the shape loop proposes, at most so long; other loops' proposals are ignored.
std::optional<Proposal> shape_proposal(HeadroomBench& bench, double seconds) {
  for (int i = 0; i < static_cast<int>(seconds * 2); ++i) {
    for (const Proposal& proposal : bench.tick()) {
      if (proposal.rule.starts_with("shape.")) return proposal;
    }
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("shape: kept when it saves writes, taken back when it does not", "[headroom][shape]") {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 0);
  constexpr double kTrial = ShapeLoop::kSettleSeconds + ShapeLoop::kMeasureSeconds;
  CHECK_FALSE(shape_proposal(bench, ShapeLoop::kMeasureSeconds - 2));
  auto trial = shape_proposal(bench, 4);
  REQUIRE(trial);
  CHECK(trial->rule == "shape.try");
  CHECK(trial->knob == knob::kLevelBase);
  CHECK(trial->to == 2 * trial->from);
  bench.apply(*trial);
  const double amplified = *bench.f.compaction_write_bytes_per_second;

  SECTION("it saves writes: the same step again") {
    bench.f.compaction_write_bytes_per_second = 0.8 * amplified;
    const auto next = shape_proposal(bench, kTrial + ShapeLoop::kMeasureSeconds + 10);
    REQUIRE(next);
    CHECK(next->rule == "shape.try");
    CHECK(next->from == trial->to);
  }
  SECTION("it saves nothing: back, and the next candidate") {
    const auto undo = shape_proposal(bench, kTrial + 10);
    REQUIRE(undo);
    CHECK(undo->rule == "shape.undo");
    CHECK(undo->to == trial->from);
    bench.apply(*undo);
    CHECK_FALSE(shape_proposal(bench, ShapeLoop::kSettleSeconds));
    const auto next = shape_proposal(bench, ShapeLoop::kMeasureSeconds + 10);
    REQUIRE(next);
    CHECK(next->knob == knob::kTargetFileSize);
  }
  SECTION("reads pay for it: back") {
    bench.f.compaction_write_bytes_per_second = 0.8 * amplified;
    bench.f.read_p99_us = 1.2 * 500;
    const auto undo = shape_proposal(bench, kTrial + 10);
    REQUIRE(undo);
    CHECK(undo->rule == "shape.undo");
  }
  SECTION("the guard allowed a part of it: that is what is tried") {
    bench.knob(knob::kLevelBase).value = 384 * kHeadroomMiB;
    const auto undo = shape_proposal(bench, kTrial + 10);
    REQUIRE(undo);
    CHECK(undo->from == 384 * kHeadroomMiB);
    CHECK(undo->to == trial->from);
  }
  SECTION("somebody undid it: the next candidate") {
    shape_proposal(bench, 10);
    bench.knob(knob::kLevelBase).value = trial->from;
    const auto next = shape_proposal(bench, kTrial + 20);
    REQUIRE(next);
    CHECK(next->knob == knob::kTargetFileSize);
  }
  SECTION("the load is another one: nobody can tell, back") {
    bench.f.user_write_bytes_per_second = 20e6;
    bench.f.compaction_write_bytes_per_second = 0.8 * amplified;
    const auto undo = shape_proposal(bench, kTrial + 10);
    REQUIRE(undo);
    CHECK(undo->rule == "shape.undo");
  }
}

TEST_CASE("shape: what nobody can judge goes back", "[headroom][shape]") {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 0);
  const auto trial = shape_proposal(bench, ShapeLoop::kMeasureSeconds + 2);
  REQUIRE(trial);
  bench.apply(*trial);
  bench.f.stalled_ratio = 0.5;
  constexpr double kLongest = ShapeLoop::kSettleSeconds + ShapeLoop::kLongestMeasureSeconds;
  CHECK_FALSE(shape_proposal(bench, kLongest - 10));
  const auto undo = shape_proposal(bench, 20);
  REQUIRE(undo);
  CHECK(undo->rule == "shape.undo");
  CHECK(undo->to == trial->from);
}

TEST_CASE("shape: what an earlier run left goes back to what was found", "[headroom][shape]") {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 0);
  KnobReading& base = bench.knob(knob::kLevelBase);
  base.owner = KnobOwner::kRocktune;
  base.value = 2 * base.found;
  SECTION("once, and then trials begin") {
    const auto undo = shape_proposal(bench, 1);
    REQUIRE(undo);
    CHECK(undo->rule == "shape.undo");
    CHECK(undo->to == undo->from / 2);
    bench.apply(*undo);
    CHECK_FALSE(shape_proposal(bench, ShapeLoop::kSettleSeconds));
    const auto next = shape_proposal(bench, ShapeLoop::kMeasureSeconds + 10);
    REQUIRE(next);
    CHECK(next->rule == "shape.try");
  }
  SECTION("one after the other") {
    KnobReading& files = bench.knob(knob::kTargetFileSize);
    files.owner = KnobOwner::kRocktune;
    files.value = 2 * files.found;
    std::set<std::string> returned;
    for (int i = 0; i < 2; ++i) {
      const auto undo = shape_proposal(bench, 1);
      REQUIRE(undo);
      CHECK(undo->rule == "shape.undo");
      CHECK_FALSE(shape_proposal(bench, 1300)->rule == "shape.try");  // held while one is judged
      bench.apply(*undo);
      returned.insert(undo->knob);
    }
    CHECK(returned.size() == 2);
  }
  SECTION("unless something holds it for so long") {
    for (int i = 0; i < 2 * 2402; ++i) bench.tick();
    const auto next =
        shape_proposal(bench, ShapeLoop::kSettleSeconds + 2 * ShapeLoop::kMeasureSeconds);
    REQUIRE(next);
    CHECK(next->rule == "shape.try");
  }
  SECTION("after a freeze, however long") {
    bench.knob(knob::kLevelBase).changeable = false;
    CHECK_FALSE(shape_proposal(bench, 9000));
    bench.knob(knob::kLevelBase).changeable = true;
    const auto undo = shape_proposal(bench, 1);
    REQUIRE(undo);
    CHECK(undo->rule == "shape.undo");
  }
}

TEST_CASE("shape: after a round without gain it rests for hours", "[headroom][shape]") {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 0);
  int tries = 0;
  for (int i = 0; i < 12; ++i) {
    const auto proposal = shape_proposal(bench, 2500);
    if (!proposal) break;
    if (proposal->rule == "shape.try") ++tries;
    bench.apply(*proposal);
  }
  CHECK(tries == 4);
  CHECK_FALSE(shape_proposal(bench, ShapeLoop::kRestSeconds - 3000));
}
