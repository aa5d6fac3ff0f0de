#include "policy/l0_trigger_loop.h"

#include <set>
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// Compactions of level 0 read twice what is flushed, the device is busy with them, filters are on.
HeadroomBench merging() {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 2);
  auto add = [&bench](std::string_view name, std::int64_t value) {
    bench.f.knobs.edit().push_back(knob_reading(name, value, value, 1, 4096));
    bench.f.knobs.edit().back().column_family = "default";
  };
  add(knob::kL0Trigger, 4);
  add(knob::kL0Slowdown, 20);
  add(knob::kBloomBits, 10);
  bench.f.running_compactions = 1;
  bench.f.device_read_await_ms = 3;
  bench.f.device_queue = 8;
  bench.f.reads_per_second = 5000;
  bench.f.writes_per_second = 5000;
  return bench;
}

}  // namespace

TEST_CASE("L0 trigger: more files at a time where merging keeps the device busy", "[headroom]") {
  HeadroomBench bench = merging();
  const auto proposal = bench.run(10, knob::kL0Trigger);
  REQUIRE(proposal);
  CHECK(proposal->rule == "l0_trigger.writes");
  CHECK(proposal->column_family == "default");
  CHECK(proposal->to == 6);
  CHECK(proposal->expected.feature == "stalled_ratio");  // too early to know what writes cost
  bench.apply(*proposal);
  SECTION("further where throughput comes first") {
    bench.objective.first = Priority::kThroughput;
    CHECK(bench.run(5, knob::kL0Trigger)->to == 8);
  }
  SECTION("no more than 30% of the slowdown trigger") {
    CHECK_FALSE(bench.run(250, knob::kL0Trigger));
  }
  SECTION("back when nothing has pressed for five minutes") {
    bench.f.running_compactions = 0;
    CHECK_FALSE(bench.run(295, knob::kL0Trigger));
    const auto back = bench.run(10, knob::kL0Trigger);
    REQUIRE(back);
    CHECK(back->rule == "l0_trigger.idle");
    CHECK(back->to == 4);
    bench.apply(*back);
    SECTION("twice as long where it was wanted again soon") {
      bench.f.running_compactions = 1;
      const auto again = bench.run(10, knob::kL0Trigger);
      REQUIRE(again);
      bench.apply(*again);
      bench.f.running_compactions = 0;
      CHECK_FALSE(bench.run(595, knob::kL0Trigger));
      CHECK(bench.run(10, knob::kL0Trigger)->rule == "l0_trigger.idle");
    }
    SECTION("as long as before where it was not") {
      bench.run(1000, knob::kL0Trigger);
      bench.f.running_compactions = 1;
      bench.apply(*bench.run(10, knob::kL0Trigger));
      bench.f.running_compactions = 0;
      CHECK_FALSE(bench.run(295, knob::kL0Trigger));
      CHECK(bench.run(10, knob::kL0Trigger));
    }
  }
  SECTION("more jobs are what helps first, for a while") {
    bench.f.write_stopped = 1;
    bench.backlog(20);
    CHECK_FALSE(bench.run(20, knob::kL0Trigger));
    CHECK(bench.run(4, knob::kL0Trigger)->rule == "l0_trigger.backlog");
  }
  SECTION("back when writers wait for level 0, and then a rest") {
    bench.f.knobs.edit()[1] = jobs_knob(4);  // enough
    bench.f.stalled_ratio = 0.5;
    bench.backlog(20);
    const auto back = bench.run(4, knob::kL0Trigger);
    REQUIRE(back);
    CHECK(back->rule == "l0_trigger.backlog");
    CHECK(back->to == 4);
    bench.apply(*back);
    bench.f.stalled_ratio = 0;
    bench.backlog(2);
    CHECK_FALSE(bench.run(890, knob::kL0Trigger));
    CHECK(bench.run(30, knob::kL0Trigger));
  }
}

TEST_CASE("L0 trigger: back at once where a burst fills level 0", "[headroom]") {
  HeadroomBench bench = merging();
  bench.f.user_write_bytes_per_second = 10e6;
  bench.apply(*bench.run(10, knob::kL0Trigger));
  CHECK_FALSE(bench.run(30, knob::kL0Trigger));
  bench.backlog(18);
  bench.f.column_families[0].levels[0].files = 10;
  bench.f.column_families[0].level0_slowdown_trigger = 20;
  bench.f.l0_ratio = 0.5;  // not dangerous yet
  SECTION("a burst") {
    bench.f.user_write_bytes_per_second = 40e6;
    const auto back = bench.run(1.5, knob::kL0Trigger);
    REQUIRE(back);
    CHECK(back->rule == "l0_trigger.backlog");
    CHECK(back->to == 4);
  }
  SECTION("no burst") {
    CHECK_FALSE(bench.run(5, knob::kL0Trigger));
  }
  SECTION("half empty") {
    bench.f.user_write_bytes_per_second = 40e6;
    bench.f.column_families[0].levels[0].files = 5;
    CHECK_FALSE(bench.run(1.5, knob::kL0Trigger));
  }
  SECTION("where bytes count it is what the trigger was raised for") {
    bench.objective.first = Priority::kWriteAmplification;
    bench.f.user_write_bytes_per_second = 40e6;
    CHECK(bench.run(1.5, knob::kL0Trigger)->to > 6);
  }
}

TEST_CASE("L0 trigger: back when reads have come that do not bear it", "[headroom]") {
  HeadroomBench bench = merging();
  bench.knob(knob::kBloomBits).value = 0;
  bench.f.reads_per_second = 100;  // hardly any
  const auto raise = bench.run(10, knob::kL0Trigger);
  REQUIRE(raise);
  bench.apply(*raise);
  SECTION("a glance is none") {
    bench.f.reads_per_second = 5000;
    CHECK_FALSE(bench.run(14, knob::kL0Trigger));
    bench.f.reads_per_second = 100;
    CHECK_FALSE(bench.run(60, knob::kL0Trigger));
    return;
  }
  SECTION("where filters spare them that it stays") {
    bench.knob(knob::kBloomBits).value = 10;
    bench.f.reads_per_second = 5000;
    CHECK_FALSE(bench.run(60, knob::kL0Trigger));
    return;
  }
  bench.f.reads_per_second = 5000;
  const auto back = bench.run(17, knob::kL0Trigger);
  REQUIRE(back);
  CHECK(back->rule == "l0_trigger.reads");
  CHECK(back->to == 4);
  bench.apply(*back);
  bench.f.reads_per_second = 100;
  CHECK_FALSE(bench.run(880, knob::kL0Trigger));  // and then a rest
  const auto again = bench.run(30, knob::kL0Trigger);
  REQUIRE(again);
  SECTION("twice as long the next time") {
    bench.apply(*again);
    bench.f.reads_per_second = 5000;
    bench.apply(*bench.run(17, knob::kL0Trigger));
    bench.f.reads_per_second = 100;
    CHECK_FALSE(bench.run(1780, knob::kL0Trigger));
    CHECK(bench.run(30, knob::kL0Trigger));
  }
}

TEST_CASE("L0 trigger: a return for reads that nobody grants holds up nothing else", "[headroom]") {
  HeadroomBench bench = merging();
  bench.tick();
  bench.knob(knob::kBloomBits).value = 0;
  bench.knob(knob::kL0Trigger).value = 8;
  bench.knob(knob::kL0Trigger).owner = KnobOwner::kRocktune;
  const bool raised = GENERATE(false, true);  // the other one, too
  bench.f.column_families.push_back(bench.f.column_families[0]);
  bench.f.column_families[1].name = "other";
  for (const std::string_view name : {knob::kL0Trigger, knob::kL0Slowdown, knob::kBloomBits}) {
    KnobReading reading = bench.knob(name);
    reading.column_family = "other";
    if (!raised) {
      reading.value = name == knob::kBloomBits ? 10 : reading.found;
      reading.owner = KnobOwner::kFound;
    }
    bench.f.knobs.edit().push_back(reading);
  }
  bench.f.reads_per_second = 5000;
  const auto back = bench.run(17, knob::kL0Trigger);
  REQUIRE(back);
  CHECK(back->rule == "l0_trigger.reads");
  CHECK(back->column_family == "default");
  for (int i = 0; i < 2 * 75; ++i) bench.tick();
  const auto next = bench.run(20, knob::kL0Trigger);
  REQUIRE(next);
  CHECK(next->rule == (raised ? "l0_trigger.reads" : "l0_trigger.writes"));
  CHECK(next->column_family == "other");
}

TEST_CASE("L0 trigger: room that is lent to level 0 lets it go no higher", "[headroom]") {
  HeadroomBench bench = merging();
  bench.knob(knob::kL0Slowdown).value = 28;
  SECTION("ours") {
    bench.knob(knob::kL0Slowdown).owner = KnobOwner::kRocktune;
    CHECK(bench.run(10, knob::kL0Trigger)->to == 6);
  }
  SECTION("an operator's stays") {
    bench.knob(knob::kL0Slowdown).owner = KnobOwner::kManual;
    CHECK(bench.run(10, knob::kL0Trigger)->to == 8);
  }
}

TEST_CASE("L0 trigger: where bytes count, a delay that costs writers no time takes nothing back",
          "[headroom]") {
  HeadroomBench bench = merging();
  bench.f.knobs.edit()[1] = jobs_knob(4);
  bench.knob(knob::kL0Trigger).value = 8;
  bench.knob(knob::kL0Trigger).owner = KnobOwner::kRocktune;
  bench.f.column_families[0].level0_slowdown_trigger = 20;
  bench.f.column_families[0].levels[0].files = 20;
  bench.backlog(20);
  bench.f.delayed_bytes_per_second = 16e6;  // as RocksDB says; more than is written
  bench.f.stalled_ratio = 0.01;
  const auto goes_back = [&bench](double seconds) {
    const auto back = bench.run(seconds, knob::kL0Trigger);
    return back && back->rule == "l0_trigger.backlog" && back->to == 4;
  };
  SECTION("reads come first: the full level 0 is reason enough") {
    bench.objective.first = Priority::kReadP99;
    CHECK(goes_back(4));
  }
  for (const Priority first : {Priority::kThroughput, Priority::kWriteAmplification}) {
    DYNAMIC_SECTION("bytes count: " << to_string(first)) {
      bench.objective.first = first;
      CHECK_FALSE(bench.run(60, knob::kL0Trigger));
      SECTION("writers lose time") {
        bench.f.stalled_ratio = 0.2;
        CHECK(goes_back(10));
      }
      SECTION("writers are stopped") {
        bench.f.write_stopped = 1;
        CHECK(goes_back(10));
      }
      SECTION("one stall is none") {
        bench.f.stalled_ratio = 0.4;
        bench.run(0.5, knob::kL0Trigger);
        bench.f.stalled_ratio = 0.01;
        CHECK_FALSE(bench.run(60, knob::kL0Trigger));
      }
    }
  }
  SECTION("a warning alone is no lost time, where nobody counts that") {
    bench.objective.first = Priority::kThroughput;
    bench.f.delayed_bytes_per_second.reset();
    bench.f.stalled_ratio.reset();
    CHECK_FALSE(bench.run(60, knob::kL0Trigger));
  }
}

TEST_CASE("L0 trigger: where bytes count, too, it is not raised in a delay", "[headroom]") {
  HeadroomBench bench = merging();
  bench.objective.first = Priority::kThroughput;
  bench.f.knobs.edit()[1] = jobs_knob(4);
  bench.backlog(20);
  bench.f.delayed_bytes_per_second = 16e6;
  bench.f.stalled_ratio = 0.01;
  CHECK_FALSE(bench.run(60, knob::kL0Trigger));
}

TEST_CASE("L0 trigger: of several raised ones the fullest goes back first", "[headroom]") {
  HeadroomBench bench = merging();
  bench.f.knobs.edit()[1] = jobs_knob(4);
  for (const auto& [name, files] : {std::pair("first", 3), {"crowded", 19}, {"last", 5}}) {
    ColumnFamilyReading family = bench.f.column_families[0];
    family.name = name;
    family.levels[0].files = static_cast<std::uint64_t>(files);
    family.level0_slowdown_trigger = 20;
    bench.f.column_families.push_back(family);
    KnobReading raised = knob_reading(knob::kL0Trigger, 8, 4, 1, 4096);
    raised.column_family = name;
    raised.owner = KnobOwner::kRocktune;
    bench.f.knobs.edit().push_back(raised);
  }
  bench.f.stalled_ratio = 0.5;
  bench.backlog(20);
  const auto back = bench.run(4, knob::kL0Trigger);
  REQUIRE(back);
  CHECK(back->rule == "l0_trigger.backlog");
  CHECK(back->column_family == "crowded");
  for (KnobReading& knob : bench.f.knobs.edit()) {
    if (knob.column_family == "crowded") knob = knob_reading(knob::kL0Trigger, 4, 4, 1, 4096);
  }
  // The others are far from full: their compactions would only take jobs from this one.
  CHECK_FALSE(bench.run(10, knob::kL0Trigger));
}

TEST_CASE("L0 trigger: without a reason it stays", "[headroom]") {
  HeadroomBench bench = merging();
  SECTION("the device is not busy") {
    bench.f.device_read_await_ms = 0.2;
  }
  SECTION("the device was never quick, and hardly anything waits for it") {
    bench.f.device_queue = 1;
  }
  SECTION("iterators look into each file, filters or not") {
    bench.f.seeks_per_second = 5000;
  }
  SECTION("no compaction runs") {
    bench.f.running_compactions = 0;
  }
  SECTION("there is nothing to merge with") {
    bench.merged_again = 1;
  }
  SECTION("without filters reads would look into each of the files") {
    bench.knob(knob::kBloomBits).value = 0;
  }
  SECTION("it is the operator's") {
    bench.knob(knob::kL0Trigger).owner = KnobOwner::kManual;
  }
  SECTION("it was raised as far as it may, however far the slowdown trigger is") {
    bench.knob(knob::kL0Slowdown).value = 4096;
    bench.knob(knob::kL0Trigger).value = 8;
    bench.knob(knob::kL0Trigger).owner = KnobOwner::kRocktune;
  }
  SECTION("the slowdown trigger is near") {
    bench.knob(knob::kL0Slowdown).value = 12;
  }
  SECTION("it is no leveled column family") {
    bench.f.column_families[0].leveled_compaction = 0;
  }
  CHECK_FALSE(bench.run(60, knob::kL0Trigger));
}

TEST_CASE("L0 trigger: not for writes that are over", "[headroom]") {
  HeadroomBench bench = merging();
  CHECK_FALSE(bench.run(2, knob::kL0Trigger));
  bench.f.user_write_bytes_per_second = 0;  // what they left is compacted yet
  CHECK_FALSE(bench.run(10, knob::kL0Trigger));
  bench.f.user_write_bytes_per_second = 10e6;
  CHECK(bench.run(1, knob::kL0Trigger));
}

TEST_CASE("L0 trigger: what writes too much, by the operator's word, is reason enough",
          "[headroom]") {
  HeadroomBench bench = merging();
  bench.f.device_read_await_ms = 0.2;  // nothing else presses
  SECTION("a budget of write amplification") {
    bench.budget.write_amplification_max = 2;  // it is 3
    const auto raise = bench.run(40, knob::kL0Trigger);
    REQUIRE(raise);
    CHECK(raise->expected.feature == "write_amplification");
    bench.budget.write_amplification_max = 1000;
    CHECK_FALSE(bench.run(10, knob::kL0Trigger));
  }
  SECTION("what matters first") {
    bench.objective.first = Priority::kWriteAmplification;
    CHECK(bench.run(10, knob::kL0Trigger));
  }
}

TEST_CASE("L0 trigger: level 0 that nears its limit gathers no more files", "[headroom]") {
  HeadroomBench bench = merging();
  bench.backlog(18);
  CHECK_FALSE(bench.run(60, knob::kL0Trigger));
}

TEST_CASE("L0 trigger: hardly any reads need no filters", "[headroom]") {
  HeadroomBench bench = merging();
  bench.knob(knob::kBloomBits).value = 0;
  bench.f.reads_per_second = 100;
  CHECK(bench.run(10, knob::kL0Trigger));
}

TEST_CASE("L0 trigger: readers that wait for a moment are not gone", "[headroom]") {
  HeadroomBench bench = merging();
  bench.knob(knob::kBloomBits).value = 0;
  CHECK_FALSE(bench.run(30, knob::kL0Trigger));  // each of them looks into each file
  bench.f.reads_per_second = 100;
  CHECK_FALSE(bench.run(2, knob::kL0Trigger));
  bench.f.reads_per_second = 5000;
  CHECK_FALSE(bench.run(10, knob::kL0Trigger));
  bench.f.reads_per_second = 100;
  CHECK(bench.run(15, knob::kL0Trigger));
}

TEST_CASE("L0 trigger: one that nobody raises holds up no other", "[headroom]") {
  HeadroomBench bench = merging();
  bench.tick();
  bench.f.column_families.push_back(bench.f.column_families[0]);
  bench.f.column_families[1].name = "other";
  for (const std::string_view name : {knob::kL0Trigger, knob::kL0Slowdown, knob::kBloomBits}) {
    KnobReading reading = bench.knob(name);
    reading.column_family = "other";
    bench.f.knobs.edit().push_back(reading);
  }
  std::set<std::string> wished;
  for (int i = 0; i < 2 * 170; ++i) {
    for (const Proposal& one : bench.tick()) {
      if (one.knob == knob::kL0Trigger) wished.insert(one.column_family);
    }
  }
  CHECK(wished == std::set<std::string>{"default", "other"});
  CHECK_FALSE(bench.run(490, knob::kL0Trigger));  // both rest
  CHECK(bench.run(60, knob::kL0Trigger));
}
