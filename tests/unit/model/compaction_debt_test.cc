#include "model/compaction_debt.h"

#include "tests/support/catch.h"

using namespace rocktune;

namespace {

constexpr std::uint64_t kMb = 1'000'000;

}  // namespace

TEST_CASE("Compaction debt is RocksDB's own figure") {
  // What RocksDB 11.8.1 and 7.8.3 said of levels of these sizes, on db_bench with
  // --max_bytes_for_level_base=8000000 ("estimated pending compaction bytes" in its LOG).
  LevelShape shape;
  shape.max_bytes_for_level_base = 8 * kMb;
  CHECK(compaction_debt_bytes(shape, 1, {1770852, 10330174, 8046747, 0, 0, 0, 0}) == 4145276);
  CHECK(compaction_debt_bytes(shape, 4, {7079640, 6822720, 8046655, 0, 0, 0, 0}) == 23220992);
  CHECK(compaction_debt_bytes(shape, 0, {0, 13320245, 19853572, 0, 0, 0, 0}) == 13249969);
}

TEST_CASE("Compaction debt: below all triggers there is none") {
  LevelShape shape;
  CHECK(compaction_debt_bytes(shape, 3, {30 * kMb, 200 * kMb, 0}) == 0);
  CHECK(compaction_debt_bytes(shape, 3, {}) == 0);
  CHECK(compaction_debt_bytes(shape, 3, {30 * kMb}) == 0);
}

TEST_CASE("Compaction debt: L0 counts by its size as well as by its files") {
  LevelShape shape;
  CHECK(compaction_debt_bytes(shape, 1, {300 * kMb, 0, 0}) ==
        300 * kMb + 0);  // an empty level 1 costs nothing more
  CHECK(compaction_debt_bytes(shape, 4, {10 * kMb, 100 * kMb, 0}) == 110 * kMb);
}

TEST_CASE("Compaction debt: dynamic levels have their targets from the last one") {
  LevelShape shape;
  shape.max_bytes_for_level_base = 100 * kMb;
  shape.dynamic_level_bytes = true;
  // L0 goes to the last level directly while that is small.
  CHECK(compaction_debt_bytes(shape, 4, {40 * kMb, 0, 0, 50 * kMb}) == 40 * kMb);
  // 900 MB in the last level: the base level is the one above it, with a target of 100 MB.
  const auto debt = compaction_debt_bytes(shape, 0, {0, 0, 150 * kMb, 900 * kMb});
  CHECK(debt == static_cast<std::uint64_t>(50e6 * (900.0 / 150.0 + 1)));
}

TEST_CASE("Compaction debt: nonsense stays finite") {
  LevelShape shape;
  shape.max_bytes_for_level_multiplier = 0;
  CHECK(compaction_debt_bytes(shape, 4, {1, 1, 1}) == 0);
  shape.max_bytes_for_level_multiplier = 1e308;
  const std::vector<std::uint64_t> huge(64, ~std::uint64_t{0});
  for (const bool dynamic : {false, true}) {
    shape.dynamic_level_bytes = dynamic;
    CHECK(compaction_debt_bytes(shape, ~std::uint64_t{0}, huge) <= ~std::uint64_t{0} >> 1);
  }
}
