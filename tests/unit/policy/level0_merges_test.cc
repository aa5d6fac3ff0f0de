#include "policy/level0_merges.h"

#include "tests/support/catch.h"

using namespace rocktune;

namespace {

constexpr std::uint64_t kBuffer = 1 << 20;

// One column family, looked at twice a second.
class Levels {
 public:
  Levels() {
    ColumnFamilyReading& family = f_.column_families.emplace_back();
    family.name = "default";
    family.flushes = 0;
    family.l0_compactions_input_bytes = 0;
    family.write_buffer_bytes = kBuffer;
    family.levels = {{1, 1400}, {8, 8 << 20}};  // the first file was flushed at open
    f_.interval_seconds = 0.5;
  }
  ColumnFamilyReading& family() { return f_.column_families[0]; }
  void flush(std::uint64_t files, std::uint64_t bytes) {
    family().flushes = *family().flushes + files;
    family().levels[0].files += files;
    family().levels[0].bytes += bytes;
    look();
  }
  void look() {
    f_.at.tick += std::chrono::milliseconds(500);
    merges.observe(f_);
  }
  [[nodiscard]] double share() { return merges.of("default", 0)->file_share; }

  Level0Merges merges;

 private:
  Features f_;
};

}  // namespace

TEST_CASE("merges: what a file is of its buffer is what level 0 grows by", "[headroom]") {
  Levels levels;
  levels.look();
  levels.look();
  CHECK_FALSE(levels.merges.of("default", 0)->share_known);
  levels.flush(1, kBuffer);  // it may have been begun with another size
  levels.flush(1, kBuffer / 2);
  CHECK(levels.share() == Approx(0.5));
  levels.flush(2, kBuffer);
  CHECK(levels.share() == Approx(0.5));
  SECTION("a mean") {
    levels.flush(1, kBuffer);
    CHECK(levels.share() == Approx(0.625));
  }
  SECTION("of many at once, too") {
    levels.flush(40, 40 * kBuffer / 4);
    CHECK(levels.share() == Approx(0.25));
  }
  SECTION("no more than all of it") {
    levels.flush(100, 200 * kBuffer);
    CHECK(levels.share() == Approx(1));
  }
  SECTION("not while a compaction takes files away") {
    levels.family().levels[0].files = 0;
    levels.family().levels[0].bytes = 0;
    levels.flush(1, kBuffer);
    CHECK(levels.share() == Approx(0.5));
  }
  SECTION("not of buffers of another size") {
    levels.family().write_buffer_bytes = 4 * kBuffer;
    levels.flush(1, kBuffer / 2);  // begun before
    CHECK(levels.share() == Approx(0.5));
    levels.flush(1, 4 * kBuffer);
    CHECK(levels.share() == Approx(0.625));
  }
  SECTION("where compactions take files at every look, of what there is") {
    for (int i = 0; i < 3; ++i) {
      levels.family().levels[0] = {0, 0};
      levels.flush(30, 30 * kBuffer / 4);
    }
    CHECK(levels.share() == Approx(0.25));
  }
  SECTION("not where the levels were not read") {
    levels.family().levels.clear();
    levels.look();
    levels.family().levels = {{9, 9 << 20}};
    levels.flush(1, kBuffer);
    CHECK(levels.share() == Approx(0.5));
  }
}
