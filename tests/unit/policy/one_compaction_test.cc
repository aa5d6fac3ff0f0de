// Where bytes count, and reads bear more files in level 0, a full device gets by with one
// compaction at a time: fewer jobs than were found (policy/spared_jobs.h), and room in level 0
// for what gathers meanwhile (policy/l0_room_loop.h).
#include <string>

#include "policy/l0_room_loop.h"
#include "policy/spared_jobs.h"
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// Two compactions at a time keep the device busy, and nobody stalls; `jobs` were found.
HeadroomBench full_device(std::int64_t jobs) {
  HeadroomBench bench;
  bench.objective.first = Priority::kThroughput;
  bench.budget.jobs_max = 16;
  bench.family(64 * kHeadroomMiB, 0);
  ColumnFamilyReading& family = bench.f.column_families[0];
  family.level0_slowdown_trigger = 20;
  family.level0_stop_trigger = 36;
  family.levels[0].files = 6;
  bench.f.knobs.edit()[1] = jobs_knob(jobs, jobs);
  for (const auto& [name, value] : {std::pair(knob::kL0Slowdown, 20), {knob::kBloomBits, 10}}) {
    KnobReading reading = knob_reading(name, value, value, 1, 4096);
    reading.column_family = "default";
    bench.f.knobs.edit().push_back(reading);
  }
  bench.f.reads_per_second = 5000;
  bench.f.writes_per_second = 5000;
  bench.run(10, knob::kBackgroundJobs);  // what the device takes at its idlest
  bench.f.device_read_await_ms = 3;
  bench.f.running_compactions = 2;
  return bench;
}

HeadroomBench spared() {
  HeadroomBench bench = full_device(4);
  const auto fewer = bench.run(10, knob::kBackgroundJobs);
  REQUIRE(fewer);
  CHECK(fewer->rule == "jobs.spared");
  CHECK(fewer->to == 2);
  bench.apply(*fewer);
  bench.f.running_compactions = 1;
  CHECK_FALSE(bench.run(30, knob::kBackgroundJobs));
  return bench;
}

void level0(HeadroomBench& bench, std::uint64_t files) {
  bench.f.column_families[0].levels[0].files = files;
  bench.f.l0_files = static_cast<double>(files);
  bench.f.l0_ratio =
      static_cast<double>(files) / static_cast<double>(bench.knob(knob::kL0Slowdown).value);
}

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

TEST_CASE("fewer jobs than found: one compaction at a time where bytes count",
          "[headroom][one_compaction]") {
  HeadroomBench bench = full_device(4);
  SECTION("or write amplification comes first") {
    bench.objective.first = Priority::kWriteAmplification;
  }
  SECTION("or reads bear it since there are hardly any") {
    bench.knob(knob::kBloomBits).value = 0;
    bench.f.reads_per_second = 100;
  }
  SECTION("up to 300 s ago writers have stalled") {
    bench.f.running_compactions = 1;  // nothing to spare meanwhile
    bench.f.stalled_ratio = 0.3;
    bench.run(2, knob::kBackgroundJobs);
    bench.f.stalled_ratio = 0;
    bench.run(5, knob::kBackgroundJobs);
    bench.f.running_compactions = 2;
    CHECK_FALSE(bench.run(290, knob::kBackgroundJobs));
  }
  const auto fewer = bench.run(12, knob::kBackgroundJobs);
  REQUIRE(fewer);
  CHECK(fewer->rule == "jobs.spared");
  CHECK(fewer->from == 4);
  CHECK(fewer->to == 2);
  CHECK(fewer->reason.find("2.0 compactions at a time") != std::string::npos);
  CHECK(fewer->expected.lower_is_better);
}

TEST_CASE("fewer jobs than found: judged by what writes cost, where that is known by then",
          "[headroom][one_compaction]") {
  HeadroomBench bench = full_device(4);
  bench.f.running_compactions = 1;
  double seconds = 35;
  std::string feature = "write_amplification";
  SECTION("known") {}
  SECTION("too early") {
    seconds = 1;
    feature = "stalled_ratio";
  }
  bench.run(seconds, knob::kBackgroundJobs);
  bench.f.running_compactions = 2;
  const auto fewer = bench.run(10, knob::kBackgroundJobs);
  REQUIRE(fewer);
  CHECK(fewer->expected.feature == feature);
}

TEST_CASE("fewer jobs than found: of many a third at a time", "[headroom][one_compaction]") {
  HeadroomBench bench = full_device(12);
  for (const std::int64_t to : {8, 6, 4, 2}) {
    const auto fewer = bench.run(10, knob::kBackgroundJobs);
    REQUIRE(fewer);
    CHECK(fewer->to == to);
    bench.apply(*fewer);
  }
  CHECK_FALSE(bench.run(60, knob::kBackgroundJobs));
  bench.f.stalled_ratio = 0.3;
  const auto back = bench.run(2, knob::kBackgroundJobs);
  REQUIRE(back);
  CHECK(back->rule == "jobs.wanted");
  CHECK(back->to == 12);
}

TEST_CASE("fewer jobs than found: not where they may be needed", "[headroom][one_compaction]") {
  HeadroomBench bench = full_device(4);
  SECTION("reads come first") {
    bench.objective.first = Priority::kReadP99;
  }
  SECTION("writers come first") {
    bench.objective.first = Priority::kWriteP99;
  }
  SECTION("iterators look into each file of level 0") {
    bench.f.seeks_per_second = 2000;
  }
  SECTION("no filters, and many reads") {
    bench.knob(knob::kBloomBits).value = 0;
  }
  SECTION("the device has room") {
    bench.f.device_read_await_ms = 0.2;
  }
  SECTION("nobody knows the device") {
    bench.f.device_read_await_ms.reset();
  }
  SECTION("one at a time is all there are") {
    bench.f.running_compactions = 1.2;
  }
  SECTION("an operator has set them") {
    bench.knob(knob::kBackgroundJobs).owner = KnobOwner::kManual;
  }
  SECTION("they could not come back") {
    bench.budget.jobs_max = 3;
  }
  SECTION("half of the debt that delays writes waits already") {
    bench.f.pending_ratio = 0.5;
  }
  SECTION("level 0 is nearer to the stop than to the delay") {
    level0(bench, 28);
  }
  CHECK_FALSE(bench.run(30, knob::kBackgroundJobs));
}

TEST_CASE("fewer jobs than found: those that were come back for whoever needs them",
          "[headroom][one_compaction]") {
  HeadroomBench bench = spared();
  double within_seconds = 2;
  std::string why = "writers lost 150 ms";
  SECTION("writers lose time") {
    bench.f.stalled_ratio = 0.3;
  }
  SECTION("writers are stopped") {
    bench.f.write_stopped = 1;
    why = "writes are stopped";
  }
  SECTION("level 0 nears the stop") {
    level0(bench, 28);
    why = "L0 has 28 of 20 files";
  }
  SECTION("pending bytes near their limit") {
    bench.f.pending_ratio = 0.5;
    bench.f.pending_bytes = 5e9;
    why = "wait for compaction";
  }
  SECTION("the device has had room for a minute") {
    bench.f.device_read_await_ms = 0.2;
    CHECK_FALSE(bench.run(59, knob::kBackgroundJobs));
    within_seconds = 10;
    why = "the device has room again";
  }
  SECTION("it is reads that come first now") {
    bench.objective.first = Priority::kReadP99;
    why = "reads are not to look";
  }
  SECTION("iterators come") {
    bench.f.seeks_per_second = 2000;
    why = "reads are not to look";
  }
  const auto back = bench.run(within_seconds, knob::kBackgroundJobs);
  REQUIRE(back);
  CHECK(back->rule == "jobs.wanted");
  CHECK(back->from == 2);
  CHECK(back->to == 4);
  INFO(back->reason);
  CHECK(back->reason.find(why) != std::string::npos);
}

TEST_CASE("fewer jobs than found: a delay that costs nobody any time takes nothing back",
          "[headroom][one_compaction]") {
  HeadroomBench bench = spared();
  level0(bench, 22);
  bench.f.delayed_bytes_per_second = 16e6;
  bench.f.stalled_ratio = 0.01;
  CHECK_FALSE(bench.run(120, knob::kBackgroundJobs));
}

TEST_CASE("fewer jobs than found: after a mistake ten minutes with all of them",
          "[headroom][one_compaction]") {
  HeadroomBench bench = spared();
  bench.f.pending_ratio = 0.5;
  const auto back = bench.run(2, knob::kBackgroundJobs);
  REQUIRE(back);
  bench.f.pending_ratio = 0.1;
  SECTION("also where the guard held it for a moment") {
    CHECK(bench.run(20, knob::kBackgroundJobs)->rule == "jobs.wanted");
  }
  bench.apply(*back);
  bench.f.running_compactions = 2;
  CHECK_FALSE(bench.run(570, knob::kBackgroundJobs));
  const auto again = bench.run(40, knob::kBackgroundJobs);
  REQUIRE(again);
  CHECK(again->rule == "jobs.spared");
}

TEST_CASE("fewer jobs than found: a load that comes and goes moves them once in five minutes",
          "[headroom][one_compaction]") {
  HeadroomBench bench = spared();
  bench.f.device_read_await_ms = 0.2;
  const auto back = bench.run(70, knob::kBackgroundJobs);
  REQUIRE(back);
  bench.apply(*back);
  bench.f.device_read_await_ms = 3;
  bench.f.running_compactions = 2;
  CHECK_FALSE(bench.run(280, knob::kBackgroundJobs));
  CHECK(bench.run(30, knob::kBackgroundJobs)->rule == "jobs.spared");
}

TEST_CASE("fewer jobs than found: what others took is not given back here",
          "[headroom][one_compaction]") {
  HeadroomBench bench = full_device(4);
  bench.f.running_compactions = 1;
  bench.run(5, knob::kBackgroundJobs);
  bench.knob(knob::kBackgroundJobs).value = 3;  // its share among several databases
  bench.knob(knob::kBackgroundJobs).owner = KnobOwner::kRocktune;
  bench.f.device_read_await_ms = 0.2;
  CHECK_FALSE(bench.run(120, knob::kBackgroundJobs));
}

TEST_CASE("room in level 0: for what gathers behind one compaction at a time",
          "[headroom][one_compaction]") {
  HeadroomBench bench = with_room();
  CHECK_FALSE(bench.run(60, knob::kL0Slowdown));  // once
  SECTION("back when writers lose time to a level 0 that is full") {
    level0(bench, 26);
    bench.f.stalled_ratio = 0.3;
    CHECK_FALSE(bench.run(5, knob::kL0Slowdown));
    const auto back = bench.run(2, knob::kL0Slowdown);
    REQUIRE(back);
    CHECK(back->rule == "l0_room.lost");
    CHECK(back->to == 20);
    bench.apply(*back);
    bench.f.stalled_ratio = 0;
    level0(bench, 12);
    CHECK_FALSE(bench.run(800, knob::kL0Slowdown));
  }
  SECTION("not when they lose it elsewhere") {
    bench.f.stalled_ratio = 0.3;
    CHECK_FALSE(bench.run(60, knob::kL0Slowdown));
  }
  SECTION("back after five minutes of comfort") {
    bench.f.device_read_await_ms = 0.2;
    level0(bench, 2);
    CHECK_FALSE(bench.run(295, knob::kL0Slowdown));
    const auto back = bench.run(10, knob::kL0Slowdown);
    REQUIRE(back);
    CHECK(back->rule == "l0_room.idle");
    CHECK(back->to == 20);
  }
  SECTION("back when iterators come, but not into a delay") {
    bench.f.seeks_per_second = 2000;
    level0(bench, 22);
    CHECK_FALSE(bench.run(30, knob::kL0Slowdown));
    level0(bench, 19);
    const auto back = bench.run(1, knob::kL0Slowdown);
    REQUIRE(back);
    CHECK(back->rule == "l0_room.idle");
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
  SECTION("reads come first") {
    bench.objective.first = Priority::kReadP99;
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
    bench.f.column_families[0].level0_stop_trigger = 22;
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

TEST_CASE("room in level 0: of several column families the fullest first",
          "[headroom][one_compaction]") {
  HeadroomBench bench = spared();
  for (const auto& [name, files] : {std::pair("first", 11), {"crowded", 15}, {"last", 5}}) {
    ColumnFamilyReading family = bench.f.column_families[0];
    family.name = name;
    family.levels[0].files = static_cast<std::uint64_t>(files);
    bench.f.column_families.push_back(family);
    for (const auto& [option, value] : {std::pair(knob::kL0Slowdown, 20), {knob::kBloomBits, 10}}) {
      KnobReading reading = knob_reading(option, value, value, 1, 4096);
      reading.column_family = name;
      bench.f.knobs.edit().push_back(reading);
    }
  }
  const auto room = bench.run(5, knob::kL0Slowdown);
  REQUIRE(room);
  CHECK(room->column_family == "crowded");
}
