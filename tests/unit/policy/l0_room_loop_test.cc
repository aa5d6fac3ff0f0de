#include "policy/l0_room_loop.h"

#include "tests/support/catch.h"
#include "tests/unit/policy/one_compaction_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

HeadroomBench with_room() {
  HeadroomBench bench = spared();
  level0(bench, 10);
  const auto room = bench.run(5, knob::kL0Slowdown);
  REQUIRE(room);
  CHECK(room->rule == "l0_room.writes");
  CHECK(room->to == 28);  // half of the way to the stop
  bench.apply(*room);
  level0(bench, 10);
  return bench;
}

}  // namespace

TEST_CASE("room in level 0: for what gathers behind one compaction at a time",
          "[headroom][one_compaction]") {
  HeadroomBench bench = with_room();
  CHECK_FALSE(bench.run(60, knob::kL0Slowdown));  // once
  SECTION("back when writers lose time to a level 0 that is full") {
    level0(bench, 28);
    bench.f.stalled_ratio = 0.5;
    CHECK_FALSE(bench.run(4, knob::kL0Slowdown));
    const auto back = bench.run(3, knob::kL0Slowdown);
    REQUIRE(back);
    CHECK(back->rule == "l0_room.lost");
    CHECK(back->to == 20);
    CHECK(back->expected.feature.empty());  // which delays writers first
    bench.apply(*back);
    bench.f.stalled_ratio = 0;
    level0(bench, 12);
    CHECK_FALSE(bench.run(800, knob::kL0Slowdown));
  }
  SECTION("half of what is left, once writers are about to be delayed again, and no more") {
    level0(bench, 21);
    CHECK_FALSE(bench.run(30, knob::kL0Slowdown));  // not for a compaction to gather
    bench.objective.first = Priority::kReadP99;
    level0(bench, 20);
    CHECK_FALSE(bench.run(30, knob::kL0Slowdown));
    level0(bench, 21);
    const auto more = bench.run(5, knob::kL0Slowdown);
    REQUIRE(more);
    CHECK(more->rule == "l0_room.writes");
    CHECK(more->to == 32);
    bench.apply(*more);
    level0(bench, 31);
    CHECK_FALSE(bench.run(30, knob::kL0Slowdown));  // 4 files at least before the stop
  }
  SECTION("not when they lose it elsewhere") {
    level0(bench, 24);  // what was found would delay them now, too
    bench.f.stalled_ratio = 0.5;
    CHECK_FALSE(bench.run(60, knob::kL0Slowdown));
  }
  SECTION("nor raised again once something else took it back in that loss") {
    level0(bench, 28);
    bench.f.stalled_ratio = 0.5;
    bench.run(3, knob::kL0Slowdown);
    bench.knob(knob::kL0Slowdown).value = 20;
    bench.knob(knob::kL0Slowdown).owner = KnobOwner::kFound;
    bench.f.stalled_ratio = 0;
    level0(bench, 12);
    CHECK_FALSE(bench.run(800, knob::kL0Slowdown));
  }
  SECTION("back after five minutes of comfort, whatever comes first") {
    bench.objective.first = GENERATE(Priority::kThroughput, Priority::kWriteAmplification);
    bench.f.device_read_await_ms = 0.2;
    level0(bench, 2);
    CHECK_FALSE(bench.run(295, knob::kL0Slowdown));
    const auto back = bench.run(10, knob::kL0Slowdown);
    REQUIRE(back);
    CHECK(back->rule == "l0_room.idle");
    CHECK(back->to == 20);
  }
  SECTION("back when iterators come for more than a moment, but not into a delay") {
    bench.f.seeks_per_second = 2000;
    CHECK_FALSE(bench.run(2, knob::kL0Slowdown));
    level0(bench, 22);
    CHECK_FALSE(bench.run(30, knob::kL0Slowdown));
    level0(bench, 19);
    const auto back = bench.run(1, knob::kL0Slowdown);
    REQUIRE(back);
    CHECK(back->rule == "l0_room.idle");
    bench.apply(*back);
    bench.f.seeks_per_second = 0;
    CHECK_FALSE(bench.run(800, knob::kL0Slowdown));
  }
  SECTION("what stops writers goes before it") {
    level0(bench, 36);
    bench.f.write_stopped = 1;
    bench.f.column_families[0].level0_slowdown_trigger = 28;
    const auto lower = bench.run(20, knob::kL0Slowdown);
    REQUIRE(lower);
    CHECK(lower->rule == "soft_limit.even");
  }
}

TEST_CASE("room in level 0: not without need", "[headroom][one_compaction]") {
  HeadroomBench bench = spared();
  level0(bench, 10);
  SECTION("level 0 is not half full") {
    level0(bench, 9);
  }
  SECTION("several compactions run at a time") {
    bench.knob(knob::kBackgroundJobs).value = 3;
  }
  SECTION("the device has room") {
    bench.f.device_read_await_ms = 0.2;
    level0(bench, 2);
    bench.run(10, knob::kL0Slowdown);
    level0(bench, 10);
  }
  SECTION("reads come first, and writers are far from being delayed") {
    bench.objective.first = Priority::kReadP99;
    level0(bench, 14);
  }
  SECTION("iterators look into each file of level 0") {
    bench.f.seeks_per_second = 2000;
  }
  SECTION("writers lose time") {
    bench.f.stalled_ratio = 0.5;
  }
  SECTION("pending bytes are what is near its limit") {
    bench.f.pending_ratio = 0.6;
  }
  SECTION("an operator has set it") {
    bench.knob(knob::kL0Slowdown).owner = KnobOwner::kManual;
  }
  SECTION("the stop is next to it") {
    bench.f.column_families[0].level0_stop_trigger = 25;
  }
  SECTION("nobody knows the stop") {
    bench.f.column_families[0].level0_stop_trigger.reset();
  }
  SECTION("universal compaction") {
    bench.f.column_families[0].leveled_compaction = 0;
  }
  const auto room = bench.run(30, knob::kL0Slowdown);
  INFO((room ? room->reason : ""));
  CHECK_FALSE(room);
}

TEST_CASE("room in level 0: for writers who are about to be delayed, whatever comes first",
          "[headroom][one_compaction]") {
  HeadroomBench bench = full_device(2);
  bench.objective.first =
      GENERATE(Priority::kReadP99, Priority::kWriteP99, Priority::kStallSeconds);
  bench.f.running_compactions = 1;
  bench.run(10, knob::kL0Slowdown);
  level0(bench, 15);
  SECTION("at once") {
    const auto room = bench.run(0.5, knob::kL0Slowdown);
    REQUIRE(room);
    CHECK(room->rule == "l0_room.writes");
    CHECK(room->to == 28);
    CHECK(room->reason.find("level 0 has 15 of the 20 files at which writes are delayed: reads "
                            "bear 28 (writes stop at 36)") != std::string::npos);
    CHECK(room->expected.feature == "stalled_ratio");
    bench.apply(*room);
    level0(bench, 15);
    CHECK_FALSE(bench.run(60, knob::kL0Slowdown));
  }
  SECTION("not where iterators look into each file") {
    bench.f.seeks_per_second = 2000;
    CHECK_FALSE(bench.run(30, knob::kL0Slowdown));
  }
  SECTION("nor where the device has room") {
    bench.f.device_read_await_ms = 0.2;
    level0(bench, 2);
    bench.run(10, knob::kL0Slowdown);
    level0(bench, 15);
    CHECK_FALSE(bench.run(30, knob::kL0Slowdown));
  }
}

TEST_CASE("room in level 0: where the stop is far away half as much again",
          "[headroom][one_compaction]") {
  HeadroomBench bench = spared();
  level0(bench, 10);
  bench.f.column_families[0].level0_stop_trigger = 1 << 30;
  const auto room = bench.run(5, knob::kL0Slowdown);
  REQUIRE(room);
  CHECK(room->to == 30);
}

TEST_CASE("room in level 0: of several column families the fullest that may have it",
          "[headroom][one_compaction]") {
  HeadroomBench bench = spared();
  level0(bench, 10);
  for (const auto& [name, files] :
       {std::pair("first", 11), {"crowded", 15}, {"pinned", 17}, {"last", 5}}) {
    ColumnFamilyReading family = bench.f.column_families[0];
    family.name = name;
    family.levels[0].files = static_cast<std::uint64_t>(files);
    bench.f.column_families.push_back(family);
    for (const auto& [option, value] : {std::pair(knob::kL0Slowdown, 20), {knob::kBloomBits, 10}}) {
      KnobReading reading = knob_reading(option, value, value, 1, 4096);
      reading.column_family = name;
      if (reading.column_family == "pinned") reading.owner = KnobOwner::kManual;
      bench.f.knobs.edit().push_back(reading);
    }
  }
  const auto room = bench.run(5, knob::kL0Slowdown);
  REQUIRE(room);
  CHECK(room->column_family == "crowded");
  bench.run(75, knob::kL0Slowdown);  // held by somebody's word: the others' turn
  const auto next = bench.run(5, knob::kL0Slowdown);
  REQUIRE(next);
  CHECK(next->column_family == "first");
}
