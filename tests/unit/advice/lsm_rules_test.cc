// The rules on the tree's shape: each fires on the trouble that it is for, and only then.
#include "tests/support/catch.h"
#include "tests/unit/advice/recording.h"

namespace rocktune::advice {
namespace {

// Level 0 is at its limit in every tenth second, while a compaction out of it runs.
void fill_level0(Recording& now, int second) {
  const bool full = second % 10 == 0;
  now.family().levels[0].files = full ? *now.family().level0_slowdown_trigger : 4;
  now.family().l0_compaction_input_files = full ? 8 : 0;
}

// Much is written, and writers wait for level 0.
Recording written() {
  Recording r;
  r.reads = 100;
  r.writes = 20'000;
  r.sample.knobs.edit()[0].value = std::int64_t{1} << 40;  // no limit
  r.stall_us = 200'000;
  r.flushes = 0.15;
  r.l0_compactions = 0.04;
  r.family().levels[0] = {4, 256 * kMiBytes};
  r.each = fill_level0;
  return r;
}

}  // namespace

TEST_CASE("a healthy database gets no advice", "[advice]") {
  const Report report = Recording().report();
  for (const Advice& one : report.advice) FAIL_CHECK(one.rule << ": " << one.title);
  CHECK(report.content.size() >= 10);
}

TEST_CASE("a short recording is not judged", "[advice]") {
  Recording r;
  r.seconds = 30;
  const Report report = r.report();
  CHECK(report.advice.empty());
  CHECK(report.content.empty());
  CHECK(report.not_judged.size() == rules().size());
  CHECK(not_judged_of(report, "memtables") == "only 30 s were recorded, and 60 s are the least");
}

TEST_CASE("every rule says something", "[advice]") {
  for (const bool empty : {false, true}) {
    Recording r;
    if (empty) r.sample.database->column_families.clear();
    const Report report = r.report();
    for (const Rule& rule : rules()) {
      INFO(rule.name);
      CHECK((advises(report, rule.name) || !content_of(report, rule.name).empty() ||
             !not_judged_of(report, rule.name).empty()));
    }
  }
}

TEST_CASE("universal compaction where level writes too much", "[advice]") {
  Recording r = written();
  r.compacted_per_flushed = 20;
  r.family().levels = {
      {4, 256 * kMiBytes}, {4, 256 * kMiBytes}, {40, 30 * kGiBytes}, {}, {}, {}, {}};
  const Report report = r.report();
  const Advice& one = only_advice(report, "compaction_style");
  CHECK(one.column_family == "default");
  CHECK(*one.effect.now == Approx(21).epsilon(0.01));
  CHECK(one.effect.low > 1);
  CHECK(one.effect.high < 0.6 * 21);
  CHECK(one.steps.front().value == "kCompactionStyleUniversal");
  CHECK(one.confidence == Confidence::kMedium);

  SECTION("not where reads would pay for it") {
    r.reads = 50'000;
    CHECK(content_of(r.report(), "compaction_style").find("more reads than writes") !=
          std::string::npos);
  }
  SECTION("not where nobody waits") {
    r.stall_us = 0;
    r.each = [](Recording&, int) {};
    CHECK(content_of(r.report(), "compaction_style").find("writers are not held up") == 0);
  }
  SECTION("not where memtables are what writers wait for") {
    r.each = [](Recording& now, int second) {
      now.family().immutable_memtables = second % 5 == 0 ? 2 : 0;
    };
    CHECK(content_of(r.report(), "compaction_style") ==
          "neither level 0 nor debt holds writers up: see memtables");
    CHECK(advises(r.report(), "memtables"));
    r.family().soft_pending_limit_bytes.reset();  // then debt is not known, and may be the cause
    CHECK(advises(r.report(), "compaction_style"));
  }
  SECTION("for debt") {
    r.each = [](Recording& now, int second) {
      now.family().pending_compaction_bytes = (second % 10 == 0 ? 65 : 1) * kGiBytes;
    };
    CHECK(advises(r.report(), "compaction_style"));
  }
  SECTION("not where level writes little") {
    r.compacted_per_flushed = 3;
    CHECK(content_of(r.report(), "compaction_style").find("would not write less") !=
          std::string::npos);
  }
  SECTION("not where the limiter is what compactions wait for") {
    r.sample.knobs.edit()[0].value = 1'000'000;
    CHECK(content_of(r.report(), "compaction_style").find("limiter") != std::string::npos);
  }
  SECTION("less surely where that was not read") {
    r.sample.knobs.edit().erase(r.sample.knobs.edit().begin());
    const Advice unsure = only_advice(r.report(), "compaction_style");
    CHECK(unsure.confidence == Confidence::kLow);
    CHECK(unsure.confidence_reason.find("rate limiter") != std::string::npos);
  }
  SECTION("not where hardly anything is written") {
    r.flushes = 0.01;
    CHECK(content_of(r.report(), "compaction_style") == "hardly anything is written");
  }
}

TEST_CASE("what a column family writes is apportioned", "[advice]") {
  Recording r = written();
  r.compacted_per_flushed = 20;
  r.family().levels = {
      {4, 256 * kMiBytes}, {4, 256 * kMiBytes}, {40, 30 * kGiBytes}, {}, {}, {}, {}};
  ColumnFamilyReading cold = r.family();
  cold.name = "cold";
  cold.l0_compactions_ms.reset();  // it does not tell
  r.sample.database->column_families.push_back(cold);
  CHECK(not_judged_of(r.report(), "compaction_style").empty() == false);
  r.sample.database->column_families.back().l0_compactions_ms = 0;
  r.each = [](Recording& now, int second) {  // all compactions are the first one's
    fill_level0(now, second);
    ColumnFamilyReading& other = now.sample.database->column_families.back();
    other.l0_compactions = other.l0_compactions_ms = other.l0_compactions_input_bytes = 0;
  };
  const Report report = r.report();
  const Advice& one = only_advice(report, "compaction_style");
  CHECK(one.confidence == Confidence::kLow);
  CHECK(one.evidence.back().name == "reads_per_write");
}

TEST_CASE("reads of several column families are not counted apart", "[advice]") {
  Recording r;
  r.filter_useful = 0;
  r.family().leveled_compaction = 0;
  r.family().levels = {{12, 600 * kMiBytes}, {}, {}, {}, {}, {}, {40, 4 * kGiBytes}};
  const auto add_other = [&] {
    ColumnFamilyReading other = Recording().family();
    other.name = "other";
    r.sample.database->column_families.push_back(other);
  };
  CHECK(only_advice(r.report(), "compaction_style").confidence == Confidence::kMedium);
  add_other();
  const Advice style = only_advice(r.report(), "compaction_style");
  CHECK(style.confidence == Confidence::kLow);
  CHECK(style.confidence_reason.find("not counted apart") != std::string::npos);
  CHECK(style.evidence[1].text.find("in the whole database") != std::string::npos);
  r.writes = 2000;
  CHECK(not_judged_of(r.report(), "compaction_style").find("not counted apart") !=
        std::string::npos);
  SECTION("where level waits") {
    r = written();
    r.reads = 50'000;
    add_other();
    CHECK(not_judged_of(r.report(), "compaction_style").find("not counted apart") !=
          std::string::npos);
  }
  SECTION("with a high trigger of level 0") {
    r = Recording();
    r.filter_useful = 0;
    r.family().level0_compaction_trigger = 16;
    r.family().levels[0].files = 12;
    CHECK(only_advice(r.report(), "level0_triggers").confidence == Confidence::kMedium);
    add_other();
    const Advice trigger = only_advice(r.report(), "level0_triggers");
    CHECK(trigger.confidence == Confidence::kLow);
    CHECK(trigger.confidence_reason.find("not counted apart") != std::string::npos);
  }
}

TEST_CASE("level compaction where reads ask many runs", "[advice]") {
  Recording r;
  r.family().leveled_compaction = 0;
  r.family().levels = {{12, 600 * kMiBytes}, {}, {}, {}, {}, {}, {40, 4 * kGiBytes}};
  r.filter_useful = 0;
  const Advice one = only_advice(r.report(), "compaction_style");
  CHECK(one.steps.front().value == "kCompactionStyleLevel");
  CHECK(*one.effect.now == Approx(13));
  CHECK(one.effect.high < 13);
  SECTION("for its space") {
    r.family().levels[0] = {3, 600 * kMiBytes};
    CHECK(content_of(r.report(), "compaction_style") == "it suits what is read and written here");
    r.family().live_data_bytes = 2 * kGiBytes;
    const Advice space = only_advice(r.report(), "compaction_style");
    CHECK(*space.effect.now > 2);
    CHECK(space.effect.high < 1.2);
  }
  SECTION("not where it may be FIFO, which has all of its data in level 0") {
    r.family().levels = {{40, 5 * kGiBytes}, {}, {}, {}, {}, {}, {}};
    CHECK(not_judged_of(r.report(), "compaction_style").find("FIFO") != std::string::npos);
    auto& options = r.opening.options.column_families["default"];
    options["compaction_style"] = "kCompactionStyleFIFO";
    CHECK(content_of(r.report(), "compaction_style") == "it is FIFO, which drops data on purpose");
    options["compaction_style"] = "kCompactionStyleUniversal";
    CHECK(advises(r.report(), "compaction_style"));
  }
  SECTION("not where writes are many") {
    r.writes = 2000;
    CHECK(content_of(r.report(), "compaction_style") == "it suits what is read and written here");
  }
  SECTION("not for little data") {
    r.family().levels = {{12, 60 * kMiBytes}, {}, {}, {}, {}, {}, {}};
    CHECK(content_of(r.report(), "compaction_style").find("too little data") != std::string::npos);
  }
}

TEST_CASE("a base level out of proportion", "[advice]") {
  Recording r = written();
  r.flushes = 1;
  r.family().write_buffer_bytes = 10 * kMiBytes;
  r.family().max_bytes_for_level_base_bytes = 2 * kGiBytes;
  r.family().levels = {{4, 40 * kMiBytes}, {40, 2 * kGiBytes}, {40, 4 * kGiBytes}, {}, {}, {}, {}};
  r.compacted_per_flushed = 50;
  const Report report = r.report();
  const Advice& one = only_advice(report, "level1_size");
  // (40 MiB + 2 GiB) / 40 MiB and more for the present shape
  CHECK(*one.effect.now == Approx(51));
  CHECK(one.effect.high < *one.effect.now);
  CHECK_FALSE(one.steps.front().needs_open);
  CHECK(content_of(report, "compaction_style").find("level1_size") != std::string::npos);
  CHECK(one.confidence == Confidence::kHigh);
  SECTION("not where nobody waits, unless the device is busy") {
    r.stall_us = 0;
    r.each = [](Recording&, int) {};
    CHECK(content_of(r.report(), "level1_size") == "nobody waits for what compactions write");
    r.device_busy_ms = 950;
    CHECK(advises(r.report(), "level1_size"));
  }
  SECTION("not where memtables are what writers wait for, unless the device is busy") {
    r.each = [](Recording&, int) {};
    CHECK(content_of(r.report(), "level1_size") ==
          "neither level 0 nor debt holds writers up: see memtables");
    r.device_busy_ms = 950;
    CHECK(advises(r.report(), "level1_size"));
    r.sample.device.reset();
    CHECK(not_judged_of(r.report(), "level1_size").find("the device is not in the trace") !=
          std::string::npos);
  }
  SECTION("with what reads pay") {
    const auto level = [](const Advice& advice) {
      const auto& facts = advice.evidence;
      return std::find_if(facts.begin(), facts.end(),
                          [](const Fact& fact) { return fact.name == "more_levels"; })
          ->text;
    };
    CHECK(level(one) ==
          "sorted runs that a read may have to ask: 2 levels below level 0 now, 4 then");
    CHECK(one.risk.find("another sorted run") != std::string::npos);
    r.reads = 50'000;
    r.filter_useful = 0;
    const Advice unsure = only_advice(r.report(), "level1_size");
    CHECK(unsure.confidence == Confidence::kLow);
    CHECK(unsure.confidence_reason.find("no filter") != std::string::npos);
    r.sample.database->keys_read.reset();
    CHECK(only_advice(r.report(), "level1_size").confidence == Confidence::kLow);
  }
  SECTION("not where it is none") {
    r.family().levels[1] = {4, 64 * kMiBytes};
    CHECK(content_of(r.report(), "level1_size") == "the base level is in proportion to level 0");
  }
  SECTION("not where no more is written than it would be then") {
    r.compacted_per_flushed = 3;
    CHECK(content_of(r.report(), "level1_size").find("no more is written") != std::string::npos);
    CHECK(content_of(r.report(), "compaction_style").find("level1_size") == std::string::npos);
  }
  SECTION("not where the option asks for no more") {
    r.family().max_bytes_for_level_base_bytes = 40 * kMiBytes;
    CHECK(content_of(r.report(), "level1_size").find("its level above it") != std::string::npos);
  }
  SECTION("not while compactions are behind") {
    r.family().pending_compaction_bytes = kGiBytes;
    CHECK(content_of(r.report(), "level1_size").find("behind") != std::string::npos);
  }
  SECTION("what was not read says nothing") {
    r.family().level0_compaction_trigger.reset();
    CHECK(not_judged_of(r.report(), "level1_size").find("level 0's trigger") != std::string::npos);
    r.family().level0_compaction_trigger = 4;
    r.family().levels = {{4, 40 * kMiBytes}, {}, {}, {}, {}, {}, {}};
    CHECK(content_of(r.report(), "level1_size") == "nothing is below level 0");
  }
}

TEST_CASE("dynamic level sizes where upper levels are large", "[advice]") {
  Recording r;
  r.family().levels = {
      {1, 64 * kMiBytes}, {4, 256 * kMiBytes}, {40, 3 * kGiBytes}, {60, 5 * kGiBytes}, {}, {}, {}};
  r.family().live_data_bytes = 5 * kGiBytes;
  const Report report = r.report();
  const Advice& one = only_advice(report, "dynamic_levels");
  CHECK(*one.effect.now > 1.6);
  CHECK(one.effect.high == Approx(1 + 1.0 / 9));
  CHECK(one.risk.find("before RocksDB 8.2") != std::string::npos);
  CHECK(one.confidence == Confidence::kHigh);
  SECTION("from 8.2 on by itself") {
    r.opening.rocksdb_version = "8.10.0";
    CHECK(only_advice(r.report(), "dynamic_levels").risk.find("moved down once") !=
          std::string::npos);
  }
  SECTION("not where all is live") {
    r.family().live_data_bytes = 8 * kGiBytes;
    CHECK_FALSE(advises(r.report(), "dynamic_levels"));
  }
  SECTION("not while compactions are behind") {
    r.family().pending_compaction_bytes = 2 * kGiBytes;
    CHECK(content_of(r.report(), "dynamic_levels").find("behind") != std::string::npos);
  }
  SECTION("surely not where they are") {
    r.family().dynamic_level_bytes = 1;
    CHECK(content_of(r.report(), "dynamic_levels") == "they are dynamic");
  }
  SECTION("unknown") {
    r.family().dynamic_level_bytes.reset();
    CHECK_FALSE(not_judged_of(r.report(), "dynamic_levels").empty());
  }
}

TEST_CASE("room in level 0", "[advice]") {
  Recording r = written();
  r.flushes = 1;
  r.l0_compaction_ms = 18'000;
  r.each = fill_level0;
  const Report report = r.report();
  const Advice& one = only_advice(report, "level0_triggers");
  CHECK(*one.effect.now == Approx(0.1).epsilon(0.01));
  CHECK(one.steps.front().option == "level0_slowdown_writes_trigger");
  CHECK(one.steps.front().value == "31");  // 4 + 1.5 * 18
  CHECK(one.steps.back().value == "47");
  SECTION("short compactions have it") {
    r.l0_compaction_ms = 5'000;
    CHECK(content_of(r.report(), "level0_triggers") ==
          "there is room in level 0 for a mean compaction");
  }
  SECTION("a stop right behind the slowdown") {
    r.family().level0_stop_trigger = 21;
    CHECK(only_advice(r.report(), "level0_triggers").title == "a slowdown before the stop");
  }
  SECTION("a database that is always full gains nothing") {
    r.each = [](Recording& now, int) { fill_level0(now, 0); };
    CHECK(content_of(r.report(), "level0_triggers").find("only put it off") != std::string::npos);
  }
}

TEST_CASE("a high trigger of level 0 beside reads", "[advice]") {
  Recording r;
  r.family().level0_compaction_trigger = 16;
  r.family().levels[0].files = 12;
  const Advice one = only_advice(r.report(), "level0_triggers");
  CHECK(*one.effect.now == 14);
  CHECK(one.effect.low == 2);
  CHECK(one.effect.high == 6);
  r.writes = 1000;
  CHECK_FALSE(advises(r.report(), "level0_triggers"));
}

TEST_CASE("subcompactions", "[advice]") {
  Recording r = written();
  r.l0_compaction_ms = 18'000;
  r.each = fill_level0;
  const Report report = r.report();
  const Advice& one = only_advice(report, "subcompactions");
  CHECK(*one.effect.now == 18);
  CHECK(one.effect.low == Approx(4.5));
  CHECK(one.confidence == Confidence::kMedium);
  SECTION("CPUs unknown") {
    r.sample.host.reset();
    CHECK(only_advice(r.report(), "subcompactions").confidence == Confidence::kLow);
  }
  SECTION("CPUs busy") {
    r.cpu_busy_us = 7'500'000;
    CHECK_FALSE(advises(r.report(), "subcompactions"));
  }
  SECTION("short compactions") {
    r.l0_compaction_ms = 1000;
    CHECK_FALSE(advises(r.report(), "subcompactions"));
  }
  SECTION("split already") {
    r.sample.knobs.edit()[2].value = 4;
    CHECK(content_of(r.report(), "subcompactions") == "compactions are split already");
  }
  SECTION("not told") {
    r.sample.knobs.edit().pop_back();
    r.sample.knobs.edit().pop_back();
    CHECK_FALSE(not_judged_of(r.report(), "subcompactions").empty());
    r.opening.options.database["max_subcompactions"] = "1";
    CHECK(advises(r.report(), "subcompactions"));
  }
}

}  // namespace rocktune::advice
