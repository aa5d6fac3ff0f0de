#include "policy/level0_merges.h"

#include <algorithm>
#include <cmath>

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
  // So often, with a memtable of so many bytes at the look after it.
  const Level0Merging& flush_early(std::uint64_t bytes, int times) {
    for (int i = 0; i < times; ++i) {
      family().active_memtable_bytes = bytes;
      flush(1, bytes);
    }
    return *merges.of("default", 0);
  }

  Level0Merges merges;

 private:
  Features f_;
};

// Buffers fill at so many bytes/s. Each four of them are compacted with the next level, which holds
// as much as four do at first, for so long, which is counted at its end; every other time for a
// third longer.
class MergePace {
 public:
  MergePace(double buffer, double bytes_per_second, double compaction_seconds)
      : buffer_(buffer),
        next_level_(4 * buffer),
        rate_(bytes_per_second),
        compaction_seconds_(compaction_seconds) {
    ColumnFamilyReading& family = f_.column_families.emplace_back();
    family.name = "default";
    family.flushes = 0;
    family.l0_compactions_input_bytes = 0;
    family.level0_compaction_trigger = 4;
    family.levels = {{0, 0}, {4, 256 << 20}};
    f_.interval_seconds = 0.5;
  }
  void look() {
    ColumnFamilyReading& family = f_.column_families[0];
    LevelReading& level0 = family.levels[0];
    family.write_buffer_bytes = static_cast<std::uint64_t>(buffer_);
    active_ += rate_ * f_.interval_seconds;
    f_.flush_bytes_per_second = 0;
    while (active_ >= buffer_) {
      active_ -= buffer_;
      family.flushes = *family.flushes + 1;
      level0.files += 1;
      level0.bytes += *family.write_buffer_bytes;
      *f_.flush_bytes_per_second += buffer_ / f_.interval_seconds;
    }
    family.active_memtable_bytes = static_cast<std::uint64_t>(active_);
    compact(family, level0);
    f_.at.tick += std::chrono::milliseconds(500);
    merges.observe(f_);
  }
  void run(double seconds) {
    for (int i = 0; i < static_cast<int>(2 * seconds); ++i) look();
  }
  void resize(double buffer) { buffer_ = buffer; }
  void stop() { rate_ = 0; }
  [[nodiscard]] const Level0Merging& now() const { return *merges.of("default", 0); }

  Level0Merges merges;
  int compactions = 0;

 private:
  void compact(ColumnFamilyReading& family, LevelReading& level0) {
    f_.compaction_write_bytes_per_second = 0;
    if (left_ <= 0 && level0.files >= 4) {
      took_ = compaction_seconds_ * (compactions % 2 == 0 ? 1 : 4.0 / 3);
      left_ = took_;
      files_ = {4, 4 * level0.bytes / level0.files};
    }
    if (left_ <= 0) return;
    const double input = static_cast<double>(files_.bytes) + next_level_;
    f_.compaction_write_bytes_per_second = input / took_;
    left_ -= f_.interval_seconds;
    if (left_ > 0) return;
    ++compactions;
    level0.files -= files_.files;
    level0.bytes -= files_.bytes;
    family.l0_compactions_input_bytes =
        *family.l0_compactions_input_bytes + static_cast<std::uint64_t>(input);
  }

  double buffer_, next_level_, rate_, compaction_seconds_;
  double active_ = 0, left_ = 0, took_ = 0;
  LevelReading files_;  // of the compaction that runs
  Features f_;
};

constexpr double kMergeMiB = 1 << 20;

// Bytes/s of files that a doubling saves, after a minute in which each flush of 4 MiB is followed
// by a compaction of as much out of level 0, with so much else of it.
double saved_beside(std::uint64_t merged, const Counter& other) {
  Features f;
  f.interval_seconds = 0.5;
  f.flush_bytes_per_second = f.compaction_write_bytes_per_second = 16e6;
  ColumnFamilyReading& family = f.column_families.emplace_back();
  family.name = "default";
  family.flushes = family.l0_compactions_input_bytes = 0;
  if (other) family.l0_compactions_other_bytes = 0;
  family.write_buffer_bytes = 4 << 20;
  Level0Merges merges;
  for (int i = 0; i < 120; ++i) {
    f.at.tick += std::chrono::milliseconds(500);
    family.flushes = *family.flushes + 1;
    family.l0_compactions_input_bytes =
        *family.l0_compactions_input_bytes + (4 << 20) + merged + other.value_or(0);
    if (other) family.l0_compactions_other_bytes = *family.l0_compactions_other_bytes + *other;
    merges.observe(f);
  }
  return merges.of("default", 0)->saved_by_doubling();
}

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

TEST_CASE("merges: at production pace what they cost is known at every look", "[headroom]") {
  const double rate = GENERATE(5 * kMergeMiB, 10 * kMergeMiB);
  MergePace pace(64 * kMergeMiB, rate, 9);
  while (pace.compactions < 3) pace.look();
  // As much of the next level is read as comes.
  double worst = 0;
  bool worth = true;
  for (int i = 0; i < 1200; ++i) {
    worst = std::max(worst, std::fabs(pace.now().saved_by_doubling() / rate - 1));
    worth = worth && pace.merges.worth_doubling(pace.now());
    pace.look();
  }
  CHECK(worst < 0.3);
  CHECK(worth);
  SECTION("twice the buffer halves it, at once and for long") {
    pace.resize(128 * kMergeMiB);
    worst = 0;
    for (int i = 0; i < 1600; ++i) {
      pace.look();
      worst = std::max(worst, std::fabs(pace.now().saved_by_doubling() / (rate / 2) - 1));
    }
    CHECK(worst < 0.3);
  }
  SECTION("an eighth of the buffer costs what is seen of it, and nothing before") {
    pace.resize(8 * kMergeMiB);
    const int before = pace.compactions;
    while (pace.compactions < before + 2) {
      pace.look();
      CHECK(pace.now().saved_by_doubling() == 0);
    }
    pace.run(120);
    CHECK(pace.now().saved_by_doubling() > 1.5 * rate);
  }
  SECTION("when nothing is written any more there is nothing to save") {
    pace.stop();
    pace.run(60);
    CHECK_FALSE(pace.merges.worth_doubling(pace.now()));
    CHECK(pace.now().flushed < 0.05 * rate);
  }
}

TEST_CASE("merges: what a compaction of a minute read is not that of the second of its end",
          "[headroom]") {
  struct Pace {
    double buffer, rate, seconds;
  };
  const Pace of =
      GENERATE(Pace{64 * kMergeMiB, 5 * kMergeMiB, 9}, Pace{256 * kMergeMiB, 1.5 * kMergeMiB, 20},
               Pace{64 * kMergeMiB, 0.4 * kMergeMiB, 5});
  MergePace pace(of.buffer, of.rate, of.seconds);
  double most = 0;
  while (pace.compactions < 6) {
    pace.look();
    most = std::max(most, pace.now().saved_by_doubling());
  }
  CHECK(most < 1.4 * of.rate);
  CHECK(pace.now().saved_by_doubling() == Approx(of.rate).epsilon(0.3));
}

TEST_CASE("merges: where several compactions end in ten seconds these are looked at",
          "[headroom]") {
  MergePace pace(4 * kMergeMiB, 10 * kMergeMiB, 0.5);
  pace.run(30);
  REQUIRE(pace.compactions > 10);
  CHECK_FALSE(pace.now().written);
  CHECK(pace.now().saved_by_doubling() == Approx(10 * kMergeMiB).epsilon(0.3));
  pace.stop();
  pace.run(30);
  CHECK(pace.now().flushed < kMergeMiB);
}

TEST_CASE("merges: whether memtables fill their buffers", "[headroom]") {
  Levels levels;
  levels.look();
  SECTION("where nobody reads them they are said to") {
    for (int i = 0; i < 20; ++i) levels.flush(1, kBuffer / 4);
    CHECK(levels.merges.of("default", 0)->fills);
    CHECK(levels.flush_early(0, 20).fills);
  }
  SECTION("a few that are small tell nothing") {
    CHECK(levels.flush_early(kBuffer / 4, 7).fills);
  }
  SECTION("more do, until one is seen that is large enough") {
    const Level0Merging small = levels.flush_early(kBuffer / 4, 8);
    CHECK(small.never_fills);
    CHECK_FALSE(small.fills);
    const Level0Merging large = levels.flush_early(kBuffer / 2, 1);
    CHECK_FALSE(large.never_fills);
    CHECK(large.fills);
    CHECK(levels.flush_early(kBuffer / 4, 20).fills);
  }
  SECTION("of another size, too, if they did before") {
    levels.flush_early(kBuffer / 2, 1);
    levels.family().write_buffer_bytes = 2 * kBuffer;
    CHECK(levels.flush_early(kBuffer / 2, 7).fills);
    CHECK(levels.flush_early(kBuffer / 2, 1).never_fills);
  }
  SECTION("else not before one is seen") {
    levels.flush_early(kBuffer / 4, 3);
    levels.family().write_buffer_bytes = 2 * kBuffer;
    const Level0Merging first = levels.flush_early(kBuffer / 4, 7);
    CHECK_FALSE(first.fills);
    CHECK_FALSE(first.never_fills);
    CHECK(levels.flush_early(kBuffer / 4, 1).never_fills);
    CHECK(levels.flush_early(kBuffer, 1).fills);
  }
}

TEST_CASE("merges: what many column families would save together is worth it", "[headroom]") {
  // Of ten bytes that are written for each a doubling saves one.
  const int count = GENERATE(1, 3, 40);
  Level0Merges merges;
  Features f;
  f.interval_seconds = 1;
  const auto buffer = static_cast<std::uint64_t>(kMergeMiB);
  for (int i = 0; i < count + 1; ++i) {
    ColumnFamilyReading& one = f.column_families.emplace_back();
    one.name = std::to_string(i);
    one.write_buffer_bytes = buffer;
    one.flushes = one.l0_compactions_input_bytes = 0;
    one.levels = {{2, 2 * buffer}};
  }
  f.flush_bytes_per_second = count * kMergeMiB;
  f.compaction_write_bytes_per_second = 9 * count * kMergeMiB;
  for (int second = 0; second < 60; ++second) {
    f.at.tick += std::chrono::seconds(1);
    for (ColumnFamilyReading& one : f.column_families) {
      const bool last = &one == &f.column_families.back();  // hardly saves anything
      one.flushes = *one.flushes + 1;
      one.l0_compactions_input_bytes =
          *one.l0_compactions_input_bytes + (last ? buffer + buffer / 10 : 2 * buffer);
    }
    merges.observe(f);
  }
  for (int i = 0; i < count; ++i) {
    INFO(i << " of " << count);
    CHECK(merges.worth_doubling(*merges.of(std::to_string(i), static_cast<std::size_t>(i))));
  }
  CHECK_FALSE(
      merges.worth_doubling(*merges.of(std::to_string(count), static_cast<std::size_t>(count))));
}

TEST_CASE("merges: what was ingested, or asked for, is not merged again and again", "[headroom]") {
  const double merged = saved_beside(4 << 20, std::nullopt);
  CHECK(merged == Approx(8 << 20).epsilon(0.01));
  CHECK(saved_beside(4 << 20, 0) == Approx(merged));
  CHECK(saved_beside(4 << 20, 40 << 20) == Approx(merged));
  CHECK(saved_beside(0, 40 << 20) == 0);
}
