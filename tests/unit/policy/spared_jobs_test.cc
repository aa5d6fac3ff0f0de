#include "policy/spared_jobs.h"

#include <string>

#include "tests/support/catch.h"
#include "tests/unit/policy/guard_bench.h"
#include "tests/unit/policy/one_compaction_bench.h"

using namespace rocktune;
using namespace rocktune::test;

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
  SECTION("other databases share them") {
    bench.f.shared = SharedBudget();
    bench.f.shared->jobs_max = 8;
  }
  SECTION("universal compaction: reads look into each sorted run") {
    bench.f.column_families[0].leveled_compaction = 0;
  }
  SECTION("column families were not read") {
    bench.f.column_families.clear();
  }
  SECTION("the stop is next to the delay") {
    bench.f.column_families[0].level0_slowdown_trigger = 33;
  }
  SECTION("writes are stopped without a delay before") {
    bench.f.column_families[0].level0_slowdown_trigger = 50;
  }
  SECTION("nobody knows the stop") {
    bench.f.column_families[0].level0_stop_trigger.reset();
  }
  SECTION("no limit on pending bytes would say that it is too few") {
    bench.f.pending_ratio.reset();
  }
  SECTION("flushes use what would go with them") {
    bench.f.running_flushes = 2;
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
  SECTION("memtables wait for their flush") {
    bench.f.memtable_ratio = 1;
    within_seconds = 5;
    why = "";
  }
  SECTION("the limit on pending bytes is gone") {
    bench.f.pending_ratio.reset();
    within_seconds = 4;
    why = "no longer suits";
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
    why = "compactions have not loaded the device for a while";
  }
  SECTION("it is reads that come first now") {
    bench.objective.first = Priority::kReadP99;
    within_seconds = 4;
    why = "no longer suits";
  }
  SECTION("iterators come for more than a moment") {
    bench.f.seeks_per_second = 2000;
    CHECK_FALSE(bench.run(3, knob::kBackgroundJobs));
    why = "no longer suits";
  }
  SECTION("another column family comes whose reads do not bear it") {
    ColumnFamilyReading family = bench.f.column_families[0];
    family.name = "unfiltered";
    bench.f.column_families.push_back(family);
    within_seconds = 4;
    why = "no longer suits";
  }
  const auto back = bench.run(within_seconds, knob::kBackgroundJobs);
  REQUIRE(back);
  CHECK(back->rule == "jobs.wanted");
  CHECK(back->from == 2);
  CHECK(back->to == 4);
  INFO(back->reason);
  CHECK(back->reason.find(why) != std::string::npos);
}

TEST_CASE("fewer jobs than found: those of several databases are others' business",
          "[headroom][one_compaction]") {
  HeadroomBench bench = spared();
  bench.f.shared = SharedBudget();
  bench.f.shared->jobs_max = 2;
  bench.f.pending_ratio = 0.5;
  CHECK_FALSE(bench.run(10, knob::kBackgroundJobs));
  bench.f.pending_ratio = 0.1;
  bench.f.shared.reset();  // nor are they spared again as soon as the others are gone
  bench.knob(knob::kBackgroundJobs).value = 4;
  bench.knob(knob::kBackgroundJobs).owner = KnobOwner::kFound;
  bench.f.running_compactions = 2;
  CHECK_FALSE(bench.run(570, knob::kBackgroundJobs));
}

TEST_CASE("fewer jobs than found: their return is no raise that others wait to see judged",
          "[headroom][one_compaction]") {
  HeadroomBench bench = spared();
  bench.f.stalled_ratio = 0.3;
  level0(bench, 18);
  const auto back = bench.run(3, knob::kBackgroundJobs);
  REQUIRE(back);
  bench.apply(*back);
  bench.f.running_compactions = 3;
  bench.f.write_stopped = 1;
  const auto more = bench.run(5, knob::kBackgroundJobs);
  REQUIRE(more);
  CHECK(more->rule == "jobs.backlog");
}

TEST_CASE("fewer jobs than found: a delay that costs nobody any time takes nothing back",
          "[headroom][one_compaction]") {
  HeadroomBench bench = spared();
  level0(bench, 22);
  bench.f.delayed_bytes_per_second = 16e6;
  bench.f.stalled_ratio = 0.01;
  CHECK_FALSE(bench.run(120, knob::kBackgroundJobs));
}

TEST_CASE("fewer jobs than found: once they are back ten minutes with all of them, then longer",
          "[headroom][one_compaction]") {
  HeadroomBench bench = spared();
  SECTION("writers may be short of them") {
    bench.f.pending_ratio = 0.5;
  }
  SECTION("the device had room") {
    bench.f.device_read_await_ms = 0.2;
  }
  const auto back = bench.run(70, knob::kBackgroundJobs);
  REQUIRE(back);
  CHECK(back->rule == "jobs.wanted");
  CHECK(back->expected.feature.empty());  // no experiment
  bench.f.pending_ratio = 0.1;
  bench.f.device_read_await_ms = 3;
  const auto held = bench.run(20, knob::kBackgroundJobs);
  REQUIRE(held);
  CHECK(held->rule == "jobs.wanted");
  bench.apply(*back);
  bench.f.running_compactions = 2;
  CHECK_FALSE(bench.run(500, knob::kBackgroundJobs));
  const auto again = bench.run(110, knob::kBackgroundJobs);
  REQUIRE(again);
  CHECK(again->rule == "jobs.spared");
  bench.apply(*again);
  bench.f.pending_ratio = 0.5;
  const auto once_more = bench.run(5, knob::kBackgroundJobs);
  REQUIRE(once_more);
  bench.apply(*once_more);
  bench.f.pending_ratio = 0.1;
  CHECK_FALSE(bench.run(1150, knob::kBackgroundJobs));
}

TEST_CASE(
    "fewer jobs than found: also those that were lowered for others come back once they are gone",
    "[headroom][one_compaction]") {
  HeadroomBench bench = full_device(4);
  bench.f.running_compactions = 1;
  bench.run(5, knob::kBackgroundJobs);
  bench.knob(knob::kBackgroundJobs).value = 2;
  bench.knob(knob::kBackgroundJobs).owner = KnobOwner::kRocktune;
  CHECK_FALSE(bench.run(60, knob::kBackgroundJobs));
  SECTION("when they are wanted") {
    bench.f.stalled_ratio = 0.3;
  }
  SECTION("when the device has room") {
    bench.f.device_read_await_ms = 0.2;
    CHECK_FALSE(bench.run(59, knob::kBackgroundJobs));
  }
  auto back = bench.run(10, knob::kBackgroundJobs);
  REQUIRE(back);
  CHECK(back->rule == "jobs.wanted");
  CHECK(back->to == 4);
  bench.budget.jobs_max = 3;  // as far as they may
  back = bench.run(1, knob::kBackgroundJobs);
  REQUIRE(back);
  CHECK(back->to == 3);
}

TEST_CASE("fewer jobs than found: none is added to them for a warning",
          "[headroom][one_compaction]") {
  HeadroomBench bench = spared();
  bench.backlog(19);
  bench.f.device_read_await_ms = 0.2;  // not loaded for a while
  CHECK_FALSE(bench.run(40, knob::kBackgroundJobs));
}

TEST_CASE("fewer jobs than found: their return teaches nothing of jobs that were not used",
          "[headroom][one_compaction]") {
  HeadroomBench bench = full_device(4);
  bench.knob(knob::kBackgroundJobs).value = 5;
  bench.knob(knob::kBackgroundJobs).owner = KnobOwner::kRocktune;
  const auto loaded = bench.run(15, knob::kBackgroundJobs);
  REQUIRE(loaded);
  CHECK(loaded->rule == "jobs.loaded");
  bench.apply(*loaded);
  const auto fewer = bench.run(10, knob::kBackgroundJobs);
  REQUIRE(fewer);
  bench.apply(*fewer);
  bench.f.running_compactions = 1;
  bench.f.pending_ratio = 0.5;
  const auto wanted = bench.run(5, knob::kBackgroundJobs);
  REQUIRE(wanted);
  bench.apply(*wanted);
  bench.f.pending_ratio = 0.1;
  bench.run(900, knob::kBackgroundJobs);
  bench.knob(knob::kBackgroundJobs).value = 5;  // no job was wanted again soon
  bench.knob(knob::kBackgroundJobs).owner = KnobOwner::kRocktune;
  const auto back = bench.run(15, knob::kBackgroundJobs);  // 10 s, as ever
  REQUIRE(back);
  CHECK(back->rule == "jobs.loaded");
}

TEST_CASE("fewer jobs than found: the guard lets them come back in one step, whatever the budget",
          "[guard][one_compaction]") {
  Budget budget;
  budget.jobs_max = 16;
  budget.changes_per_hour = 2;
  GuardBench bench(budget);
  bench.knob(knob::kBackgroundJobs).value = bench.knob(knob::kBackgroundJobs).found = 12;
  CHECK(bench.change(knob::kBackgroundJobs, 8).kind == VerdictKind::kAllowed);
  CHECK(bench.change(knob::kBackgroundJobs, 6).kind == VerdictKind::kAllowed);
  CHECK(is(bench.ask(knob::kBackgroundJobs, 4), VerdictKind::kHeld, "budget"));
  SECTION("and no more") {
    const Verdict beyond = bench.ask(knob::kBackgroundJobs, 16);
    CHECK(is(beyond, VerdictKind::kClamped, "step"));
    CHECK(beyond.value == 12);
  }
  SECTION("all of them") {
    CHECK(is(bench.ask(knob::kBackgroundJobs, 12), VerdictKind::kAllowed, ""));
  }
}
