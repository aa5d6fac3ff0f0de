#include "policy/table_share.h"

#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

constexpr std::uint64_t kBuffer = 64 << 20;

// Flushes every other second, which a compaction of level 0 takes in the next.
struct Flushes {
  Flushes() {
    f.fresh = true;
    f.interval_seconds = 1;
    f.column_families.resize(1);
    ColumnFamilyReading& family = f.column_families[0];
    family.name = "default";
    family.write_buffer_bytes = kBuffer;
    family.flushes = family.l0_compactions_input_bytes = 0;
    family.levels = {{0, 0}};
  }
  // Whose files take so much of a buffer, and blob files as well.
  Value run(int flushes, double file, double blobs) {
    ColumnFamilyReading& family = f.column_families[0];
    for (int i = 0; i < 2 * flushes; ++i) {
      const bool flush = i % 2 == 0;
      f.at.tick += at_seconds(1);
      if (flush && listens) family.flushes = *family.flushes + 1;
      if (!listens) family.flushes.reset();
      const auto bytes = flush ? file * static_cast<double>(kBuffer) : 0;
      family.levels[0] = {flush ? 1u : 0u, static_cast<std::uint64_t>(bytes)};
      f.flush_bytes_per_second = flush ? (file + blobs) * static_cast<double>(kBuffer) : 0;
      merges.observe(f);
      share.observe(f, merges);
    }
    return share.share();
  }
  bool listens = true;
  Features f;
  Level0Merges merges;
  TableShare share;
};

}  // namespace

TEST_CASE("of what flushes write tables have all, or what blob files leave", "[policy]") {
  Flushes bench;
  SECTION("all, however well it is compressed") {
    CHECK(bench.run(20, 0.3, 0) == Approx(1));
  }
  SECTION("keys and handles") {
    CHECK(bench.run(20, 0.02, 0.98) == Approx(0.02));
  }
}

TEST_CASE("a few flushes tell nothing of where values go", "[policy]") {
  Flushes bench;
  CHECK_FALSE(bench.run(8, 1, 0));
  CHECK(bench.run(8, 1, 0));
}

TEST_CASE("values may begin to go elsewhere", "[policy]") {
  Flushes bench;
  CHECK(bench.run(100, 1, 0) == Approx(1));
  CHECK(bench.run(300, 0.02, 0.98).value_or(1) < 0.03);
}

TEST_CASE("where nobody counts flushes nobody can tell", "[policy]") {
  Flushes bench;
  bench.listens = false;
  CHECK_FALSE(bench.run(20, 1, 0));
}
