// The loop of the tree's shape on hand-made features.
#include "policy/shape_loop.h"

#include <set>

#include "tests/support/catch.h"
#include "tests/unit/policy/shape_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("shape: kept when it saves writes, taken back when it does not", "[headroom][shape]") {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 0);
  small_files(bench);
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
    CHECK(undo->expected.feature.empty());  // no experiment: nothing takes it back
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
  SECTION("another knob was changed: nobody can tell, back") {
    bench.f.compaction_write_bytes_per_second = 0.8 * amplified;
    CHECK_FALSE(shape_proposal(bench, ShapeLoop::kSettleSeconds));
    bench.f.knobs.edit()[2].value *= 2;
    const auto undo = shape_proposal(bench, 1);  // at once
    REQUIRE(undo);
    CHECK(undo->rule == "shape.undo");
    CHECK(undo->reason.find("another knob was changed") != std::string::npos);
  }
  SECTION("the load is another one: nobody can tell, back") {
    bench.f.user_write_bytes_per_second = 20e6;
    bench.f.compaction_write_bytes_per_second = 0.8 * amplified;
    const auto undo = shape_proposal(bench, kTrial + 10);
    REQUIRE(undo);
    CHECK(undo->rule == "shape.undo");
  }
}

TEST_CASE("shape: what moves by itself as much is no gain", "[headroom][shape]") {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 0);
  const double amplified = *bench.f.compaction_write_bytes_per_second;
  CHECK_FALSE(shape_proposal(bench, ShapeLoop::kMeasureSeconds / 2));
  bench.f.compaction_write_bytes_per_second = 0.8 * amplified;  // the same shape, luckier
  const auto trial = shape_proposal(bench, ShapeLoop::kMeasureSeconds);
  REQUIRE(trial);
  bench.apply(*trial);
  const auto undo =
      shape_proposal(bench, ShapeLoop::kSettleSeconds + ShapeLoop::kMeasureSeconds + 10);
  REQUIRE(undo);
  CHECK(undo->rule == "shape.undo");
  CHECK(undo->reason.find("no more than it moves by itself") != std::string::npos);
}

TEST_CASE("shape: files of a quarter of the base at most, and of half of what was found",
          "[headroom][shape]") {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 0);
  std::set<std::int64_t> sizes;
  for (int i = 0; i < 12; ++i) {
    const auto proposal = shape_proposal(bench, 2500);
    if (!proposal) break;
    if (proposal->rule == "shape.try" && proposal->knob == knob::kTargetFileSize) {
      sizes.insert(proposal->to);
    }
    bench.apply(*proposal);
  }
  CHECK(sizes == std::set<std::int64_t>{32 * kHeadroomMiB});
}

TEST_CASE("shape: tried where writes go, not where most lies", "[headroom][shape]") {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 0);
  ColumnFamilyReading cold = bench.f.column_families[0];
  cold.name = "cold";
  cold.flushes = 1000;  // a bulk load before
  for (LevelReading& level : cold.levels) level.bytes *= 50;
  bench.f.column_families.push_back(cold);
  KnobReading base = bench.knob(knob::kLevelBase);
  base.column_family = "cold";
  bench.f.knobs.edit().push_back(base);
  SECTION("of the hot one") {
    CHECK_FALSE(shape_proposal(bench, 60));
    bench.f.column_families[0].flushes = 20;
    const auto trial = shape_proposal(bench, ShapeLoop::kMeasureSeconds + 2);
    REQUIRE(trial);
    CHECK(trial->column_family == bench.f.column_families[0].name);
  }
  SECTION("of as many flushes, of the one that holds most") {
    const auto trial = shape_proposal(bench, ShapeLoop::kMeasureSeconds + 2);
    REQUIRE(trial);
    CHECK(trial->column_family == "cold");
  }
}

TEST_CASE("shape: no larger base where the levels would fill for hours", "[headroom][shape]") {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 0);
  small_files(bench);
  ColumnFamilyReading& family = bench.f.column_families[0];
  family.max_bytes_for_level_multiplier = 10;
  family.dynamic_level_bytes = 0;
  const std::uint64_t gib = std::uint64_t{1} << 30;
  family.levels = {{2, 64u << 20},  {8, gib / 4},      {64, 5 * gib / 2},
                   {640, 25 * gib}, {6400, 250 * gib}, {9000, 720 * gib}};
  family.soft_pending_limit_bytes = 0;
  family.hard_pending_limit_bytes = 0;
  const auto trial = shape_proposal(bench, 3 * ShapeLoop::kMeasureSeconds);
  REQUIRE(trial);
  const bool dynamic = GENERATE(false, true);
  if (!dynamic) {
    CHECK(trial->knob == knob::kTargetFileSize);
    return;
  }
  HeadroomBench other;  // RocksDB chooses the targets from the last level up
  other.family(64 * kHeadroomMiB, 0);
  other.f.column_families[0] = family;
  other.f.column_families[0].dynamic_level_bytes = 1;
  CHECK(shape_proposal(other, 2 * ShapeLoop::kMeasureSeconds)->knob == knob::kLevelBase);
}

TEST_CASE("shape: no larger base where nobody could tell what its return leaves pending",
          "[headroom][shape]") {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 0);
  small_files(bench);
  ColumnFamilyReading& family = bench.f.column_families[0];  // of which no options are read
  family.level0_compaction_trigger.reset();
  family.soft_pending_limit_bytes.reset();
  const auto trial = shape_proposal(bench, 3 * ShapeLoop::kMeasureSeconds);
  REQUIRE(trial);
  CHECK(trial->knob == knob::kTargetFileSize);
}

TEST_CASE("shape: an idle night is not what a day is compared with", "[headroom][shape]") {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 0);
  bench.f.user_write_bytes_per_second = 0;
  CHECK_FALSE(shape_proposal(bench, 8 * 3600));
  bench.f.user_write_bytes_per_second = 10e6;
  CHECK_FALSE(shape_proposal(bench, ShapeLoop::kMeasureSeconds / 2));
  const auto trial = shape_proposal(bench, 2 * ShapeLoop::kMeasureSeconds);
  REQUIRE(trial);
  CHECK(trial->reason.find("9.5 MiB/s") != std::string::npos);  // of the day alone
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
    const auto first = shape_proposal(bench, 1);
    REQUIRE(first);
    CHECK(first->rule == "shape.undo");
    for (int i = 0; i < 2 * 1300; ++i) {  // held
      for (const Proposal& one : bench.tick()) CHECK(one.rule != "shape.try");
    }
    bench.apply(*first);
    CHECK_FALSE(shape_proposal(bench, ShapeLoop::kSettleSeconds - 2));
    const auto second = shape_proposal(bench, 4);
    REQUIRE(second);
    CHECK(second->rule == "shape.undo");
    CHECK(second->knob != first->knob);
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
  small_files(bench);
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

TEST_CASE("shape: what is frozen is no candidate that failed", "[headroom][shape]") {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 0);
  SECTION("all of them") {
    for (KnobReading& reading : bench.f.knobs.edit()) reading.changeable = false;
    CHECK_FALSE(shape_proposal(bench, 6 * ShapeLoop::kMeasureSeconds));
    for (KnobReading& reading : bench.f.knobs.edit()) reading.changeable = true;
    CHECK(shape_proposal(bench, ShapeLoop::kMeasureSeconds + 2));
  }
  SECTION("in the middle of asking") {
    REQUIRE(shape_proposal(bench, ShapeLoop::kMeasureSeconds + 2));
    for (KnobReading& reading : bench.f.knobs.edit()) reading.changeable = false;
    CHECK_FALSE(shape_proposal(bench, 2 * ShapeLoop::kMeasureSeconds));
    for (KnobReading& reading : bench.f.knobs.edit()) reading.changeable = true;
    CHECK(shape_proposal(bench, ShapeLoop::kMeasureSeconds + 2));
  }
}

namespace {

constexpr double kJudgedSeconds = ShapeLoop::kSettleSeconds + ShapeLoop::kMeasureSeconds;

// A trial of twice the base was made. With the base as found and two files in level 0 4096 MiB
// would be pending: 128 MiB of level 0 and 512 of level 1, and 384 of those with eight times as
// much of level 2; with one file 3740.
HeadroomBench tried_base(std::uint64_t soft_limit_mib, std::uint64_t level0_files = 2) {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 0);
  small_files(bench);
  bench.f.column_families[0].levels[0].files = level0_files;
  bench.f.column_families[0].soft_pending_limit_bytes = soft_limit_mib << 20;
  const auto trial = shape_proposal(bench, ShapeLoop::kMeasureSeconds + 2);
  REQUIRE(trial);
  REQUIRE(trial->knob == knob::kLevelBase);
  bench.apply(*trial);
  return bench;
}

// The level below level 0 gives off what is above its target.
void drain_level1(HeadroomBench& bench) {
  bench.f.column_families[0].levels[1].bytes =
      static_cast<std::uint64_t>(bench.knob(knob::kLevelBase).value);
}

}  // namespace

TEST_CASE("shape: a base goes back as far as its debt allows", "[headroom][shape]") {
  HeadroomBench bench = tried_base(6827);  // of which 4096 are 0.6
  const auto part = shape_proposal(bench, kJudgedSeconds + 10);
  REQUIRE(part);
  CHECK(part->rule == "shape.undo");
  CHECK(part->to == 400 * kHeadroomMiB);
  bench.apply(*part);
  drain_level1(bench);
  std::optional<Proposal> last;
  for (int i = 0; i < 3; ++i) {
    const auto next = shape_proposal(bench, 1);
    if (!next) break;
    CHECK(next->rule == "shape.undo");
    CHECK(next->to < next->from);
    bench.apply(*next);
    drain_level1(bench);
    last = next;
  }
  REQUIRE(last);
  CHECK(last->to == 256 * kHeadroomMiB);
  const auto other = shape_proposal(bench, kJudgedSeconds + 10);
  REQUIRE(other);
  CHECK(other->rule == "shape.try");
  CHECK(other->knob == knob::kTargetFileSize);
}

TEST_CASE("shape: a base that was lowered for its debt goes all the way back",
          "[headroom][shape]") {
  HeadroomBench bench = tried_base(4900, 1);  // of which 3740 are more than three quarters
  const auto debt = bench.run(2, knob::kLevelBase);
  REQUIRE(debt);
  CHECK(debt->rule == "level_base.debt");
  bench.apply(*debt);
  std::set<std::string> rules;
  for (int i = 0; i < 200 && bench.knob(knob::kLevelBase).value > 256 * kHeadroomMiB; ++i) {
    drain_level1(bench);
    const auto less = bench.run(1, knob::kLevelBase);
    if (!less) continue;
    CHECK(less->to < less->from);
    rules.insert(less->rule);
    bench.apply(*less);
  }
  CHECK(bench.knob(knob::kLevelBase).value == 256 * kHeadroomMiB);
  CHECK(rules.count("shape.undo") == 1);
}

TEST_CASE("shape: what cannot go back holds up no other trial", "[headroom][shape]") {
  SECTION("for its debt") {
    HeadroomBench bench = tried_base(3000);  // no base below is borne
    const auto next = shape_proposal(bench, kJudgedSeconds + 2390);
    CHECK_FALSE(next);
    const auto other = shape_proposal(bench, kJudgedSeconds + 30);
    REQUIRE(other);
    CHECK(other->rule == "shape.try");
    CHECK(other->knob == knob::kTargetFileSize);
  }
  SECTION("for somebody's word: a freeze does not count") {
    HeadroomBench bench = tried_base(60000);
    REQUIRE(shape_proposal(bench, kJudgedSeconds + 10));
    bench.knob(knob::kLevelBase).changeable = false;
    CHECK_FALSE(shape_proposal(bench, 3000));
    bench.knob(knob::kLevelBase).changeable = true;
    for (int i = 0; i < 2 * 2390; ++i) {
      for (const Proposal& one : bench.tick()) {
        if (one.rule.starts_with("shape.")) CHECK(one.rule == "shape.undo");
      }
    }
    bench.run(20, knob::kLevelBase);
    const auto other = shape_proposal(bench, kJudgedSeconds + 30);
    REQUIRE(other);
    CHECK(other->knob == knob::kTargetFileSize);
  }
}
