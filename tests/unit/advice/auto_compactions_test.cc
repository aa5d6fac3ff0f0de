#include "model/knobs.h"
#include "tests/support/catch.h"
#include "tests/unit/advice/recording.h"

namespace rocktune::advice {
namespace {

constexpr const char* kRule = "auto_compactions";

// As agents tell of a column family that may not compact: options, and no limits in force.
Recording turned_off() {
  Recording r;
  ColumnFamilyReading& f = r.family();
  f.level0_slowdown_trigger.reset();
  f.level0_stop_trigger.reset();
  f.levels[0].files = 18;
  for (const auto& [name, value] :
       {std::pair(knob::kL0Trigger, 4), {knob::kL0Slowdown, 20}, {knob::kL0Stop, 36}}) {
    r.sample.knobs.edit().push_back(
        {std::string(name), "default", value, value, KnobOwner::kFound, true, "", 0, 1 << 30});
  }
  return r;
}

KnobReading& trigger_of(Recording& r) {
  return *(r.sample.knobs.edit().end() - 3);
}

}  // namespace

TEST_CASE("compactions that nobody turned on again", "[advice]") {
  Recording r = turned_off();
  const Advice one = only_advice(r.report(), kRule);
  CHECK(one.column_family == "default");
  CHECK(*one.effect.now == 20);  // 18 and two levels
  CHECK(one.effect.low == 3);
  CHECK(one.effect.high == 6);
  CHECK(one.confidence == Confidence::kHigh);
  REQUIRE(one.steps.size() == 1);
  CHECK(one.steps[0].option == "disable_auto_compactions");
  CHECK_FALSE(one.steps[0].needs_open);
  CHECK(one.risk.find("beside reads") != std::string::npos);
  SECTION("what waits holds writers up at once") {
    r.family().levels[0].files = 20;
    CHECK(only_advice(r.report(), kRule).risk.find("slowed at once") != std::string::npos);
    r.family().levels[0].files = 36;
    CHECK(only_advice(r.report(), kRule).risk.find("stop at once") != std::string::npos);
  }
  SECTION("as PrepareForBulkLoad() leaves it") {
    for (int i = 0; i < 3; ++i) (&trigger_of(r) + i)->value = 1 << 30;
    r.family().levels[0].files = 40;
    const Advice loaded = only_advice(r.report(), kRule);
    REQUIRE(loaded.steps.size() == 4);
    CHECK(loaded.steps[0].option == "level0_stop_writes_trigger");
    CHECK(loaded.steps[2].option == "level0_file_num_compaction_trigger");
    CHECK(loaded.steps[2].value == "4");
    CHECK(loaded.effect.high == 6);
    CHECK(loaded.risk.find("stop at once") != std::string::npos);
  }
  SECTION("not of one that is only read") {
    for (int i = 0; i < 3; ++i) (&trigger_of(r) + i)->changeable = false;
    CHECK(not_judged_of(r.report(), kRule).find("does not tell") != std::string::npos);
  }
  SECTION("less sure where reads are not counted") {
    r.sample.database->keys_read.reset();
    CHECK(only_advice(r.report(), kRule).confidence == Confidence::kLow);
  }
  SECTION("not in a load") {
    r.reads = 10;
    CHECK(content_of(r.report(), kRule).find("as for a load") != std::string::npos);
  }
  SECTION("not for a few files") {
    r.family().levels[0].files = 7;
    CHECK(content_of(r.report(), kRule).find("few files") != std::string::npos);
  }
  SECTION("without levels") {
    r.family().levels.clear();
    CHECK(not_judged_of(r.report(), kRule) == "the levels are not in the trace");
  }
}

TEST_CASE("compactions that run, or may", "[advice]") {
  Recording r;
  r.family().levels[0].files = 18;
  CHECK(content_of(r.report(), kRule) == "compactions begin by themselves");
  r.family().level0_slowdown_trigger.reset();
  CHECK(not_judged_of(r.report(), kRule).find("does not tell") != std::string::npos);
  r.opening.options.column_families["default"] = {{"disable_auto_compactions", "true"}};
  CHECK(advises(r.report(), kRule));
}

}  // namespace rocktune::advice
