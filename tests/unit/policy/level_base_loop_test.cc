#include "policy/level_base_loop.h"

#include <set>
#include <string>
#include <utility>

#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// The device is busy with merging; 4 files of 64 MiB come at a time into a level of 256 MiB.
HeadroomBench in_proportion() {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 2);
  bench.knob(knob::kWriteBufferSize).owner = KnobOwner::kManual;  // moved by the tests alone
  bench.f.running_compactions = 1;
  bench.f.device_read_await_ms = 3;
  bench.f.device_queue = 8;
  return bench;
}

void bring(HeadroomBench& bench, std::uint64_t files, std::int64_t of_size) {
  bench.f.column_families[0].level0_compaction_trigger = files;
  bench.knob(knob::kWriteBufferSize).value = of_size;
}

// As rocktune left it.
void own(HeadroomBench& bench, std::string_view name, std::int64_t mib) {
  bench.knob(name).value = mib * kHeadroomMiB;
  bench.knob(name).owner = KnobOwner::kRocktune;
}

void raise(HeadroomBench& bench) {
  bench.run(20, knob::kLevelBase);
  bring(bench, 8, 128 * kHeadroomMiB);
  const auto proposal = bench.run(1, knob::kLevelBase);
  REQUIRE(proposal);
  bench.apply(*proposal);
  CHECK_FALSE(bench.run(10, knob::kLevelBase));
}

}  // namespace

TEST_CASE("level base: follows what level 0 brings at a time", "[headroom]") {
  HeadroomBench bench = in_proportion();
  CHECK_FALSE(bench.run(20, knob::kLevelBase));
  bring(bench, 8, 128 * kHeadroomMiB);
  const auto raise = bench.run(1, knob::kLevelBase);
  REQUIRE(raise);
  CHECK(raise->rule == "level_base.writes");
  CHECK(raise->column_family == "default");
  CHECK(raise->to == 1024 * kHeadroomMiB);
  CHECK(raise->expected.feature == "stalled_ratio");  // too early to know what writes cost
  SECTION("the whole way, where the guard allows a part of it") {
    Proposal part = *raise;
    part.to = 512 * kHeadroomMiB;
    bench.apply(part);
    CHECK(bench.run(1, knob::kLevelBase)->to == 1024 * kHeadroomMiB);
  }
  SECTION("and is in proportion then") {
    bench.apply(*raise);
    CHECK_FALSE(bench.run(60, knob::kLevelBase));
  }
  SECTION("what others make of it stays, until level 0 brings more than it did then") {
    bench.apply(*raise);
    bench.run(30, knob::kLevelBase);
    bench.knob(knob::kLevelBase).value = 512 * kHeadroomMiB;  // taken back, or a better shape
    CHECK_FALSE(bench.run(60, knob::kLevelBase));
    bring(bench, 8, 256 * kHeadroomMiB);
    CHECK(bench.run(1, knob::kLevelBase)->to == 2048 * kHeadroomMiB);
  }
}

TEST_CASE("level base: back in long comfort, when less comes at a time", "[headroom]") {
  HeadroomBench bench = in_proportion();
  raise(bench);
  bench.f.running_compactions = 0;
  CHECK_FALSE(bench.run(400, knob::kLevelBase));
  bring(bench, 4, 128 * kHeadroomMiB);
  const auto back = bench.run(1, knob::kLevelBase);
  REQUIRE(back);
  CHECK(back->rule == "level_base.idle");
  CHECK(back->to == 512 * kHeadroomMiB);
  SECTION("no lower than found") {
    bring(bench, 1, 64 * kHeadroomMiB);
    CHECK(bench.run(1, knob::kLevelBase)->to == 256 * kHeadroomMiB);
  }
  SECTION("once more, where that was taken back for what it made reads wait for") {
    bench.apply(*back);
    CHECK_FALSE(bench.run(60, knob::kLevelBase));
    if (GENERATE(false, true)) {  // of two lowerings both
      bring(bench, 1, 64 * kHeadroomMiB);
      const auto further = bench.run(5, knob::kLevelBase);
      REQUIRE(further);
      bench.apply(*further);
      CHECK_FALSE(bench.run(60, knob::kLevelBase));
      own(bench, knob::kLevelBase, 512);
      CHECK(bench.run(1, knob::kLevelBase)->to == 256 * kHeadroomMiB);
      bring(bench, 4, 128 * kHeadroomMiB);
    }
    own(bench, knob::kLevelBase, 1024);
    const auto again = bench.run(5, knob::kLevelBase);
    REQUIRE(again);
    CHECK(again->rule == "level_base.idle");
    CHECK(again->to == 512 * kHeadroomMiB);
  }
  SECTION("not while anything presses") {
    bench.f.running_compactions = 1;
    bench.run(10, knob::kLevelBase);  // until that is seen
    CHECK_FALSE(bench.run(60, knob::kLevelBase));
  }
}

TEST_CASE("level base: what an earlier engine left", "[headroom]") {
  HeadroomBench bench = in_proportion();
  SECTION("a raised base goes back in idle times, once level 0 brings less") {
    bench.f.running_compactions = 0;
    own(bench, knob::kLevelBase, 1024);
    own(bench, knob::kWriteBufferSize, 104);  // 8 of them: within a quarter of the base
    bring(bench, 8, 104 * kHeadroomMiB);
    CHECK_FALSE(bench.run(310, knob::kLevelBase));
    bring(bench, 4, 64 * kHeadroomMiB);
    CHECK(bench.run(1, knob::kLevelBase)->rule == "level_base.idle");
  }
  SECTION("a trial of the tree's shape goes back to what was found") {
    bench.f.running_compactions = 0;
    own(bench, knob::kLevelBase, 1024);
    CHECK(bench.run(10, knob::kLevelBase)->rule == "shape.undo");
  }
  SECTION("larger buffers alone: the base follows them") {
    own(bench, knob::kWriteBufferSize, 128);
    const auto raise = bench.run(20, knob::kLevelBase);
    REQUIRE(raise);
    CHECK(raise->to == 512 * kHeadroomMiB);
  }
}

TEST_CASE("level base: others move it, and its own part stays its own", "[headroom]") {
  HeadroomBench bench = in_proportion();
  raise(bench);
  KnobReading& base = bench.knob(knob::kLevelBase);
  base.value = 2048 * kHeadroomMiB;  // a trial of the shape
  bench.run(30, knob::kLevelBase);
  SECTION("taken back to where it was") {
    bench.knob(knob::kLevelBase).value = 1024 * kHeadroomMiB;
    bench.run(30, knob::kLevelBase);
    bench.f.running_compactions = 0;
    bring(bench, 4, 64 * kHeadroomMiB);
    const auto back = bench.run(320, knob::kLevelBase);
    REQUIRE(back);
    CHECK(back->rule == "level_base.idle");
    CHECK(back->to == 256 * kHeadroomMiB);
  }
  SECTION("kept, it is not lowered") {
    bench.f.running_compactions = 0;
    bring(bench, 4, 64 * kHeadroomMiB);
    CHECK_FALSE(bench.run(400, knob::kLevelBase));
  }
}

TEST_CASE("level base: its own changes are known where polls are far apart", "[headroom]") {
  HeadroomBench bench = in_proportion();
  bench.objective.first = Priority::kWriteAmplification;  // presses, however rarely it is looked
  bench.f.interval_seconds = 12;
  bench.run(60, knob::kLevelBase);
  bring(bench, 8, 128 * kHeadroomMiB);
  auto part = bench.run(12, knob::kLevelBase);
  REQUIRE(part);
  part->to = 512 * kHeadroomMiB;  // as far as the guard lets it
  bench.apply(*part);
  CHECK(bench.run(12, knob::kLevelBase)->to == 1024 * kHeadroomMiB);
}

TEST_CASE("level base: one that stands still holds up no other", "[headroom]") {
  HeadroomBench bench = in_proportion();
  bench.run(20, knob::kLevelBase);
  ColumnFamilyReading other = bench.f.column_families[0];
  other.name = "other";
  bench.f.column_families.push_back(other);
  for (const auto& [name, mib] : {std::pair(knob::kLevelBase, 256), {knob::kWriteBufferSize, 64}}) {
    bench.f.knobs.edit().push_back(
        knob_reading(name, mib * kHeadroomMiB, mib * kHeadroomMiB, 1, std::int64_t{1} << 40));
    bench.f.knobs.edit().back().column_family = "other";
  }
  bench.run(5, knob::kLevelBase);
  for (ColumnFamilyReading& one : bench.f.column_families) one.level0_compaction_trigger = 8;
  std::set<std::string> wished;
  for (int i = 0; i < 200; ++i) {  // nobody grants anything
    for (const Proposal& proposal : bench.tick()) {
      if (proposal.rule == "level_base.writes") wished.insert(proposal.column_family);
    }
  }
  CHECK(wished.size() == 2);
  bench.run(60, knob::kLevelBase);
  CHECK_FALSE(bench.run(400, knob::kLevelBase));  // both rest
  bench.run(400, knob::kLevelBase);
  for (int i = 0; i < 1800; ++i) {  // twice as long: nobody has granted anything since
    for (const Proposal& proposal : bench.tick()) CHECK(proposal.rule != "level_base.writes");
  }
}

TEST_CASE("level base: what a trial of the shape has found is where it goes back to",
          "[headroom]") {
  HeadroomBench bench = in_proportion();
  bench.run(20, knob::kLevelBase);
  own(bench, knob::kLevelBase, 512);
  bench.run(20, knob::kLevelBase);
  bring(bench, 8, 128 * kHeadroomMiB);
  const auto proposal = bench.run(1, knob::kLevelBase);
  REQUIRE(proposal);
  bench.apply(*proposal);
  bench.run(10, knob::kLevelBase);
  bench.f.running_compactions = 0;
  bring(bench, 4, 64 * kHeadroomMiB);
  const auto back = bench.run(320, knob::kLevelBase);
  REQUIRE(back);
  CHECK(back->rule == "level_base.idle");
  CHECK(back->to == 512 * kHeadroomMiB);
}

TEST_CASE("level base: a trial that was only asked for gives way", "[headroom]") {
  HeadroomBench bench = in_proportion();
  const auto trial = bench.run(610, knob::kLevelBase);
  REQUIRE(trial);
  CHECK(trial->rule == "shape.try");  // nobody has granted it yet
  bring(bench, 8, 64 * kHeadroomMiB);
  const auto follows = bench.run(1, knob::kLevelBase);
  REQUIRE(follows);
  CHECK(follows->rule == "level_base.writes");
  CHECK(follows->to == trial->to);
  bench.apply(*follows);
  for (int i = 0; i < 2 * 2400; ++i) {
    for (const Proposal& one : bench.tick()) {
      CHECK_FALSE((one.knob == knob::kLevelBase && one.rule == "shape.undo"));
    }
  }
}

// L0 holds 256 MiB and level 1 512, level 2 ten times as much. With the base as found 4693 MiB
// would be pending: 768 of both, and 512 of those with 6.7 times as much of level 2; 8320 once
// level 1 has filled to 1 GiB.
TEST_CASE("level base: what a return would leave pending bounds it", "[headroom]") {
  HeadroomBench bench = in_proportion();
  auto delays_from = [&bench](std::uint64_t mib) {
    bench.f.column_families[0].soft_pending_limit_bytes = mib << 20;
  };
  auto wish = [&bench] {
    bench.run(20, knob::kLevelBase);
    bring(bench, 8, 128 * kHeadroomMiB);
    return bench.run(1, knob::kLevelBase);
  };
  auto quiet_after_raise = [&] {
    delays_from(20000);
    raise(bench);
    bench.flushes_per_tick = 0;  // level 0 stands still
  };
  SECTION("no raise above half of the limit") {
    delays_from(9000);
    CHECK_FALSE(wish());
  }
  SECTION("as far as half of it") {
    delays_from(12000);
    const auto some = wish();
    REQUIRE(some);
    CHECK(some->to > 524 * kHeadroomMiB);
    CHECK(some->to < 525 * kHeadroomMiB);
  }
  SECTION("lowered above three quarters of it, as far as half, and not raised again") {
    quiet_after_raise();
    delays_from(6000);
    const auto half = bench.run(0.5, knob::kLevelBase);
    REQUIRE(half);
    CHECK(half->rule == "level_base.debt");
    CHECK(half->to == 512 * kHeadroomMiB);
    CHECK(half->expected.feature.empty());  // not to be taken back: the debt would be
    bench.apply(*half);
    CHECK_FALSE(bench.run(175, knob::kLevelBase));  // a tenth and more would have waited for 60 s
    const auto less = bench.run(10, knob::kLevelBase);
    REQUIRE(less);
    CHECK(less->to == 500 * kHeadroomMiB);
    delays_from(100000);
    bench.flushes_per_tick = 1;
    CHECK_FALSE(bench.run(60, knob::kLevelBase));
  }
  SECTION("a little, where more would be too much at once") {
    quiet_after_raise();
    bench.f.column_families[0].levels[1].bytes = 1024u << 20;
    delays_from(6000);
    const auto some = bench.run(0.5, knob::kLevelBase);
    REQUIRE(some);
    CHECK(some->rule == "level_base.debt");
    CHECK(some->to == 1000 * kHeadroomMiB);
  }
  SECTION("not while writers wait, or much is pending already") {
    quiet_after_raise();
    delays_from(6000);
    SECTION("stalled") {
      bench.f.stalled_ratio = 0.5;
      bench.f.write_stopped = 1;
    }
    SECTION("pending") {
      bench.f.pending_ratio = 0.6;
    }
    CHECK_FALSE(bench.run(60, knob::kLevelBase));
  }
  SECTION("the hard limit counts where there is no soft one") {
    delays_from(0);
    bench.f.column_families[0].hard_pending_limit_bytes = std::uint64_t{9000} << 20;
    CHECK_FALSE(wish());
  }
  SECTION("no limit, no bound") {
    delays_from(0);
    const auto all = wish();
    REQUIRE(all);
    CHECK(all->to == 1024 * kHeadroomMiB);
  }
}

TEST_CASE("level base: what was not read is no reason for anything", "[headroom]") {
  HeadroomBench bench = in_proportion();
  ColumnFamilyReading& family = bench.f.column_families[0];
  const ColumnFamilyReading read = family;
  const bool limit = GENERATE(false, true);
  auto forget = [&] {
    if (limit) {
      family.soft_pending_limit_bytes.reset();
    } else {
      family.levels.resize(1);
    }
  };
  auto read_again = [&] {
    family.soft_pending_limit_bytes = read.soft_pending_limit_bytes;
    family.levels = read.levels;
  };
  forget();
  bench.run(20, knob::kLevelBase);
  bring(bench, 8, 128 * kHeadroomMiB);
  CHECK_FALSE(bench.run(30, knob::kLevelBase));
  read_again();
  const auto raise = bench.run(2, knob::kLevelBase);
  REQUIRE(raise);
  bench.apply(*raise);
  bench.run(10, knob::kLevelBase);
  bench.f.running_compactions = 0;
  bring(bench, 4, 64 * kHeadroomMiB);
  forget();
  CHECK_FALSE(bench.run(400, knob::kLevelBase));
  read_again();
  CHECK(bench.run(2, knob::kLevelBase)->rule == "level_base.idle");
}

TEST_CASE("level base: without a reason it stays", "[headroom]") {
  HeadroomBench bench = in_proportion();
  SECTION("nothing presses") {
    bench.f.running_compactions = 0;
  }
  SECTION("nothing is flushed") {
    bench.flushes_per_tick = 0;
    bench.f.flush_bytes_per_second = 0;
  }
  SECTION("it is no leveled column family") {
    bench.f.column_families[0].leveled_compaction = 0;
  }
  SECTION("it is the operator's") {
    bench.knob(knob::kLevelBase).owner = KnobOwner::kManual;
  }
  SECTION("it was found out of proportion") {
    bring(bench, 16, 128 * kHeadroomMiB);
  }
  bench.run(20, knob::kLevelBase);
  if (bench.f.column_families[0].level0_compaction_trigger != 16) {
    bring(bench, 8, 128 * kHeadroomMiB);
  }
  CHECK_FALSE(bench.run(30, knob::kLevelBase));
}
