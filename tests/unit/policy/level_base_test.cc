#include "policy/level_base.h"

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
