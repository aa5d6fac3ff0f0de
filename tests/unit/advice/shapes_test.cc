// The arithmetic of tree shapes, and how evidence is folded.
#include "advice/tree_shapes.h"
#include "tests/support/catch.h"
#include "tests/unit/advice/recording.h"

namespace rocktune::advice {

TEST_CASE("a universal tree on paper", "[advice]") {
  // The fewer runs, the more is written; half the flush size, more merges.
  double before = 1e9;
  for (const std::size_t trigger : {4, 8, 12, 16, 24}) {
    const UniversalCost cost = universal_cost({4, 1000, trigger}, true);
    CHECK(cost.writes_per_flushed_byte > 1);
    CHECK(cost.writes_per_flushed_byte <= before * 1.05);
    CHECK(cost.mean_runs <= static_cast<double>(trigger));
    CHECK(cost.largest_space_ratio < 3.5);
    before = cost.writes_per_flushed_byte;
  }
  // As measured: docs/advise.md.
  const std::pair<std::size_t, double> measured[] = {{4, 7.46}, {8, 3.33}, {16, 2.65}};
  for (const auto& [trigger, writes] : measured) {
    CHECK(universal_cost({0.95, 51.4, trigger}, true).writes_per_flushed_byte ==
          Approx(writes).epsilon(0.1));
  }
}

TEST_CASE("a leveled tree by its fan-out", "[advice]") {
  // 4 x 64 into 256; 2560 and 10240 below: three levels.
  const LeveledCost cost = leveled_cost({64, 12'800, 256, 10, 4});
  CHECK(cost.levels == 3);
  CHECK(cost.least_writes_per_flushed_byte == Approx(1 + 2 + 10));
  CHECK(cost.most_writes_per_flushed_byte == Approx(1 + 2 + 22));
  // A base level larger than all there is holds all there is.
  CHECK(leveled_cost({64, 128, 1 << 20, 10, 4}).levels == 1);
}

TEST_CASE("evidence adds up", "[advice]") {
  const Evidence e = Recording().evidence();
  CHECK(e.samples == 301);
  CHECK(e.seconds == Approx(300));
  CHECK(*e.reads.total() == Approx(300 * 2000));
  CHECK(*e.writes_per_flushed_byte() == Approx(4));
  CHECK(*e.write_amplification() == Approx(4));
  CHECK(*e.write_trouble() == Approx(0));
  CHECK(e.openings == 1);
}

TEST_CASE("another opening with other options begins anew", "[advice]") {
  Recording r;
  r.each = [](Recording& now, int second) {
    if (second != 200) return;
    now.sample.incarnation = "two/1";
    now.family().level0_stop_trigger = 40;
  };
  const Evidence e = r.evidence();
  CHECK(e.begun_anew == 1);
  CHECK(e.openings == 2);
  CHECK(e.seconds == Approx(100));
  SECTION("with the same ones it goes on") {
    r.each = [](Recording& now, int second) {
      if (second == 200) now.sample.incarnation = "two/1";
    };
    CHECK(r.evidence().begun_anew == 0);
    CHECK(r.evidence().seconds == Approx(299));
  }
  SECTION("nor is what it had changed before the recording began") {
    const auto knob_of = [](const char* name, std::int64_t value, std::int64_t found) {
      return KnobReading{name, "default", value, found, KnobOwner::kRocktune, true, "", 1, 1000};
    };
    r.family().level0_stop_trigger = 48;
    r.sample.knobs.edit().push_back(knob_of("level0_stop_writes_trigger", 48, 36));
    r.each = [=](Recording& now, int second) {
      if (second != 200) return;
      now.sample.incarnation = "two/1";
      now.family().level0_stop_trigger = 36;
      now.sample.knobs.edit().back() = knob_of("level0_stop_writes_trigger", 36, 36);
    };
    CHECK(r.evidence().begun_anew == 0);
    r.sample.knobs.edit().back().found = 40;
    CHECK(r.evidence().begun_anew == 1);
  }
  SECTION("what the tuner changes while it is open is no reason") {
    r.each = [](Recording& now, int second) {
      if (second == 200) now.family().level0_stop_trigger = 40;
    };
    CHECK(r.evidence().begun_anew == 0);
  }
}

TEST_CASE("a column family that was dropped is forgotten", "[advice]") {
  Recording r;
  ColumnFamilyReading other = r.family();
  other.name = "other";
  r.sample.database->column_families.push_back(other);
  r.each = [](Recording& now, int second) {
    if (second == 100) now.sample.database->column_families.pop_back();
  };
  CHECK(r.evidence().families.size() == 1);
}

}  // namespace rocktune::advice
