#include "policy/level_base.h"

#include "model/knobs.h"
#include "tests/support/catch.h"

using namespace rocktune;

namespace {

constexpr std::uint64_t kBaseMiB = 1 << 20, kBaseGiB = 1 << 30;
constexpr std::int64_t kBaseFound = 256 * kBaseMiB;

// 300 GB in a tree of dynamic levels, of which the first is empty at any base: level 0 goes to
// level 2 with the base as found, and to level 3 with 512 MiB and more.
ColumnFamilyReading dynamic_tree() {
  ColumnFamilyReading family;
  family.leveled_compaction = 1;
  family.dynamic_level_bytes = 1;
  family.max_bytes_for_level_base_bytes = kBaseFound;
  family.soft_pending_limit_bytes = 64 * kBaseGiB;
  const std::uint64_t last = 270 * kBaseGiB;
  family.levels.resize(7);
  family.levels[0] = {2, 128 * kBaseMiB};
  family.levels[3] = {5, last / 1000};
  family.levels[4] = {40, last / 100};
  family.levels[5] = {400, last / 10};
  family.levels[6] = {4000, last};
  return family;
}

// As a base of so much would have it.
ColumnFamilyReading filled_tree(ColumnFamilyReading family, std::uint64_t bytes) {
  family.levels[0].bytes = bytes;
  family.levels[3].bytes = bytes;
  return family;
}

}  // namespace

TEST_CASE("level base: in a tree of dynamic levels it is not the first that fills", "[headroom]") {
  const ColumnFamilyReading family = dynamic_tree();
  const std::uint64_t raised = 2 * kBaseGiB;
  const auto debt = debt_share(family, kBaseFound, static_cast<double>(raised));
  REQUIRE(debt);
  CHECK(*debt == Approx(*debt_share(filled_tree(family, raised), kBaseFound)));
  CHECK(*debt == Approx(1.0).epsilon(0.02));  // writers would wait
  SECTION("a raise leaves a way back") {
    const auto to =
        most_returnable_base(family, static_cast<std::int64_t>(raised), kBaseFound, kBaseFound);
    REQUIRE(to);
    CHECK(*to > 2 * kBaseFound);
    CHECK(*debt_share(filled_tree(family, static_cast<std::uint64_t>(*to)), kBaseFound) <=
          kBorneDebt);
  }
}

TEST_CASE("level base: dynamic levels without data", "[headroom]") {
  ColumnFamilyReading family = dynamic_tree();
  for (LevelReading& level : family.levels) level = {};
  const auto debt = debt_share(family, kBaseFound, 2.0 * kBaseGiB);
  REQUIRE(debt);
  // What is in level 0, and the last level's overflow: 2 + 1.75 * 2 of 64 GiB.
  CHECK(*debt == Approx(5.5 / 64));
}

TEST_CASE("level base: else it is the first", "[headroom]") {
  ColumnFamilyReading family = dynamic_tree();
  family.dynamic_level_bytes = 0;
  family.levels = {{0, 0}, {2, 128 * kBaseMiB}, {8, 1024 * kBaseMiB}};
  const double gib = kBaseGiB;
  // Both, and what is above the base of both with as much of level 2 as falls to it.
  const double over = 2 * gib - kBaseFound;
  CHECK(*debt_share(family, kBaseFound, gib) ==
        Approx((2 * gib + over * (gib / (2 * gib) + 1)) / (64 * gib)));
}

TEST_CASE("level base: level 0 is of use to bring what its base holds or may be raised to",
          "[headroom]") {
  ColumnFamilyReading family = dynamic_tree();
  family.name = "default";
  KnobReading base;
  base.name = std::string(knob::kLevelBase);
  base.column_family = "default";
  base.value = base.found = kBaseFound;
  base.changeable = true;
  family.level0_compaction_trigger = 4;
  family.write_buffer_bytes = 64 * kBaseMiB;  // they fill the base
  const auto most = [&](double wanted) {
    return kBaseFound * held_times({base}, family, 1, wanted / kBaseFound);
  };
  const double gib = kBaseGiB;
  CHECK(most(0.3 * gib) == 0.3 * gib);  // 1.25 times the base
  const double raised = most(2 * gib);  // of which writers would wait, were it there alone
  CHECK(raised > 0.6 * gib);
  CHECK(raised < 1.6 * gib);
  SECTION("by nobody") {
    base.owner = KnobOwner::kManual;
    CHECK(most(2 * gib) == 1.25 * kBaseFound);
  }
  SECTION("with a debt that leaves no way back") {
    family.soft_pending_limit_bytes = kBaseGiB;
    CHECK(most(2 * gib) == 1.25 * kBaseFound);
  }
  SECTION("without limits as far as it is wanted") {
    family.soft_pending_limit_bytes = family.hard_pending_limit_bytes = 0;
    CHECK(most(2 * gib) == 2 * gib);
  }
  SECTION("that reads as none") {
    base.value = base.found = 0;
    family.soft_pending_limit_bytes = kBaseGiB;
    CHECK(most(2 * gib) == 0);
  }
  SECTION("that is not read") {
    CHECK(held_times({}, family, 1, 8) == 8);
  }
}
