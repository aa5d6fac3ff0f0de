// Soft limits that leave no room before the stop are lowered to RocksDB's own proportion, and only
// where writes are stopped by them.
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// One column family: compactions at 4 files of level 0, a stop at 36 or at 256 GiB pending.
class SoftLimits {
 public:
  SoftLimits(std::int64_t slowdown, std::int64_t soft) {
    bench.family(64 * kHeadroomMiB, 0);
    ColumnFamilyReading& family = bench.f.column_families[0];
    family.level0_slowdown_trigger = static_cast<std::uint64_t>(slowdown);
    family.level0_stop_trigger = 36;
    family.soft_pending_limit_bytes = static_cast<std::uint64_t>(soft);
    family.hard_pending_limit_bytes = std::uint64_t{256} << 30;
    add(knob::kL0Slowdown, slowdown, 1, 4096);
    add(knob::kSoftPending, soft, 1, std::int64_t{1} << 50);
  }
  void stop(bool stops) { bench.f.write_stopped = stops ? 1 : 0; }
  void level0(std::uint64_t files) { bench.f.column_families[0].levels[0].files = files; }
  void pending(std::uint64_t bytes) { bench.f.column_families[0].pending_compaction_bytes = bytes; }
  std::optional<Proposal> slowdown(double seconds) { return bench.run(seconds, knob::kL0Slowdown); }
  std::optional<Proposal> soft(double seconds) { return bench.run(seconds, knob::kSoftPending); }

  HeadroomBench bench;

 private:
  void add(std::string_view name, std::int64_t value, std::int64_t min, std::int64_t max) {
    bench.f.knobs.edit().push_back(knob_reading(name, value, value, min, max));
    bench.f.knobs.edit().back().column_family = "default";
  }
};

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

}  // namespace

TEST_CASE("a slowdown next to the stop is lowered to half of the way", "[headroom][soft_limit]") {
  SoftLimits limits(34, 64 * kGiB);
  limits.level0(36);
  CHECK_FALSE(limits.slowdown(60));  // full, and nobody is stopped
  limits.stop(true);
  const auto lowered = limits.slowdown(5);
  REQUIRE(lowered);
  CHECK(lowered->rule == "soft_limit.even");
  CHECK(lowered->column_family == "default");
  CHECK(lowered->to == 20);
  CHECK(lowered->expected.feature == "write_stopped");
  limits.bench.apply(*lowered);
  CHECK_FALSE(limits.slowdown(60));
  CHECK_FALSE(limits.soft(60));
}

TEST_CASE("near a limit the write buffer manager stops writes by itself",
          "[headroom][soft_limit]") {
  SoftLimits limits(34, 64 * kGiB);
  limits.level0(35);
  limits.stop(true);
  limits.bench.f.write_buffer_stall = 1;
  CHECK_FALSE(limits.slowdown(30));
  limits.bench.f.write_buffer_stall = 0;
  CHECK(limits.slowdown(20));
}

TEST_CASE("one stop that a rare poll catches is no pattern", "[headroom][soft_limit]") {
  SoftLimits limits(34, 64 * kGiB);
  limits.bench.f.interval_seconds = 5;
  limits.level0(36);
  int caught = 0;
  const int stops = GENERATE(1, 3);
  for (int poll = 0; poll < 20; ++poll) {
    limits.stop(poll >= 10 && poll < 10 + stops);
    for (const Proposal& proposal : limits.bench.tick()) {
      if (proposal.knob == knob::kL0Slowdown) ++caught;
    }
  }
  CHECK((caught > 0) == (stops == 3));
}

TEST_CASE("soft limits count sorted runs where RocksDB does", "[headroom][soft_limit]") {
  SoftLimits limits(34, 64 * kGiB);
  ColumnFamilyReading& family = limits.bench.f.column_families[0];
  family.leveled_compaction = GENERATE(0U, 1U);
  family.levels.resize(4);
  for (LevelReading& level : family.levels) level.files = 1;
  limits.level0(30);  // and three levels: 33 of 36 runs
  limits.stop(true);
  CHECK(limits.slowdown(5).has_value() == (family.leveled_compaction == 0U));
}

TEST_CASE("a soft limit next to the hard one is lowered to a quarter of it",
          "[headroom][soft_limit]") {
  SoftLimits limits(20, 250 * kGiB);
  limits.stop(true);
  limits.pending(255 * kGiB);
  const auto lowered = limits.soft(5);
  REQUIRE(lowered);
  CHECK(lowered->rule == "soft_limit.even");
  CHECK(lowered->to == 64 * kGiB);
}

TEST_CASE("soft limits stay where they have room, or are not what writes stop for",
          "[headroom][soft_limit]") {
  SoftLimits limits(34, 250 * kGiB);
  limits.stop(true);
  SECTION("neither limit is near: memtables stop writes") {}
  SECTION("RocksDB's own proportion") {
    limits = SoftLimits(20, 64 * kGiB);
    limits.stop(true);
    limits.level0(36);
    limits.pending(256 * kGiB);
  }
  SECTION("a stop once in a while is no pattern") {
    limits.level0(36);
    limits.stop(false);
    limits.slowdown(40);
    limits.stop(true);
    CHECK_FALSE(limits.slowdown(2));
    limits.stop(false);
  }
  SECTION("the operator's") {
    limits.level0(36);
    for (KnobReading& reading : limits.bench.f.knobs.edit()) {
      if (!reading.column_family.empty()) reading.owner = KnobOwner::kManual;
    }
  }
  CHECK_FALSE(limits.slowdown(60));
  CHECK_FALSE(limits.soft(60));
}

TEST_CASE("soft limits return in comfort", "[headroom][soft_limit]") {
  SoftLimits limits(34, 64 * kGiB);
  limits.level0(36);
  limits.stop(true);
  const auto lowered = limits.slowdown(5);
  REQUIRE(lowered);
  limits.bench.apply(*lowered);
  limits.level0(2);
  limits.stop(false);
  CHECK_FALSE(limits.slowdown(290));
  const auto back = limits.slowdown(20);
  REQUIRE(back);
  CHECK(back->rule == "soft_limit.returned");
  CHECK(back->to == 34);
}

TEST_CASE("soft limits return in turns: one that somebody holds there keeps no other",
          "[headroom][soft_limit]") {
  SoftLimits limits(34, 250 * kGiB);
  for (KnobReading& reading : limits.bench.f.knobs.edit()) {
    if (reading.column_family.empty()) continue;
    reading.value = reading.found / 2;
    reading.owner = KnobOwner::kRocktune;
  }
  limits.slowdown(290);
  CHECK(limits.slowdown(20));
  CHECK(limits.soft(2));  // which nobody answered: the pin of a configuration, say
  CHECK(limits.slowdown(2));
}

TEST_CASE("a soft limit returns under a tree that is large for good", "[headroom][soft_limit]") {
  SoftLimits limits(20, 256 * kGiB);
  KnobReading& soft = limits.bench.knob(knob::kSoftPending);
  soft.value = 64 * kGiB;
  soft.owner = KnobOwner::kRocktune;
  limits.bench.f.column_families[0].soft_pending_limit_bytes = 64 * kGiB;
  const std::int64_t pending = GENERATE(50 * kGiB, 65 * kGiB);
  limits.pending(static_cast<std::uint64_t>(pending));
  limits.bench.f.pending_bytes = static_cast<double>(pending);
  limits.bench.f.pending_ratio = static_cast<double>(pending) / (64.0 * kGiB);
  const bool known = GENERATE(true, false);
  if (!known) limits.bench.f.column_families[0].pending_compaction_bytes.reset();
  CHECK_FALSE(limits.soft(290));
  const auto back = limits.soft(20);
  CHECK(back.has_value() == (known && pending < 64 * kGiB));  // a quarter of what was found
  if (back) CHECK(back->rule == "soft_limit.returned");
}
