// The buffers loop of headroom where memtables are flushed before they are full, and at the pace of
// production, where a compaction of level 0 ends once in a minute.
#include "tests/support/catch.h"
#include "tests/unit/policy/buffers_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// Nothing presses, and at each look a memtable has so many bytes, of buffers of 64 MiB.
HeadroomBench with_memtables(std::uint64_t mib) {
  HeadroomBench bench = pressed(2);
  bench.f.device_queue = 1;
  bench.f.column_families[0].active_memtable_bytes = mib << 20;
  bench.run(20, knob::kWriteBufferSize);
  return bench;
}

// Buffers are filled at 5 MiB/s; each four are compacted for half a minute, with as much of the
// next level.
class SlowMerges {
 public:
  explicit SlowMerges(HeadroomBench& bench) : bench_(bench) {
    bench_.family(64 * kHeadroomMiB, 0);
    bench_.f.column_families[0].levels[0] = {};
    miss(bench_, 2000);
  }
  std::vector<Proposal> tick() {
    ColumnFamilyReading& family = bench_.f.column_families[0];
    const auto buffer = static_cast<double>(bench_.knob(knob::kWriteBufferSize).value);
    active_ += 2.5 * kHeadroomMiB;
    const bool flushes = active_ >= buffer;
    bench_.f.flush_bytes_per_second = flushes ? 2 * buffer : 0;
    if (flushes) {
      active_ -= buffer;
      family.flushes = *family.flushes + 1;
      family.levels[0].files += 1;
    }
    if (left_ <= 0 && family.levels[0].files >= 4) left_ = 30;
    const bool compacts = left_ > 0;
    bench_.f.running_compactions = compacts ? 1 : 0;
    bench_.f.compaction_write_bytes_per_second = compacts ? 8 * buffer / 30 : 0;
    if (compacts) left_ -= 0.5;
    if (compacts && left_ <= 0) {
      family.levels[0].files -= 4;
      family.l0_compactions_input_bytes =
          *family.l0_compactions_input_bytes + static_cast<std::uint64_t>(8 * buffer);
    }
    return bench_.tick();
  }
  // The first trade of memory within that time, granted.
  std::string next_rule(double seconds) {
    for (int i = 0; i < static_cast<int>(2 * seconds); ++i) {
      for (const Proposal& one : tick()) {
        if (one.knob != knob::kCacheCapacity && one.knob != knob::kWriteBufferSize) continue;
        bench_.apply(one);
        return one.rule;
      }
    }
    return "";
  }

 private:
  HeadroomBench& bench_;
  double active_ = 0, left_ = 0;
};

}  // namespace

TEST_CASE("buffers: memtables that are flushed early are not made larger", "[headroom][buffers]") {
  HeadroomBench bench = with_memtables(16);
  bench.f.device_queue = 30;
  SECTION("from what is free") {
    bench.budget.memory_max = Bytes{1024 * kHeadroomMiB};
    CHECK_FALSE(bench.run(60, knob::kWriteBufferSize));
    bench.f.column_families[0].active_memtable_bytes = 40u << 20;
    CHECK(bench.run(1, knob::kWriteBufferSize)->rule == "buffers.writes");
  }
  SECTION("nor from the cache") {
    miss(bench, 20e3);
    CHECK(first_cache_rule(bench, 60) == "");
  }
  SECTION("others are") {
    bench.budget.memory_max = Bytes{1024 * kHeadroomMiB};
    ColumnFamilyReading other = bench.f.column_families[0];
    other.name = "other";
    other.active_memtable_bytes = 40u << 20;
    bench.f.column_families.push_back(other);
    for (const std::string_view name : {knob::kWriteBufferSize, knob::kWriteBuffers}) {
      KnobReading reading = bench.knob(name);
      reading.column_family = "other";
      bench.f.knobs.edit().push_back(reading);
    }
    const auto grown = bench.run(20, knob::kWriteBufferSize);
    REQUIRE(grown);
    CHECK(grown->column_family == "other");
  }
}

TEST_CASE("buffers: the next step is not made before a memtable is seen to need it",
          "[headroom][buffers]") {
  HeadroomBench bench = with_memtables(40);
  bench.budget.memory_max = Bytes{2048 * kHeadroomMiB};
  bench.f.device_queue = 30;
  const auto grown = bench.run(8, knob::kWriteBufferSize);
  REQUIRE(grown);
  bench.apply(*grown);
  bench.run(5, knob::kWriteBufferSize);  // as long as its dwell: enough flushes to know
  CHECK_FALSE(bench.run(120, knob::kWriteBufferSize));
  bench.f.column_families[0].active_memtable_bytes = 100u << 20;
  CHECK(bench.run(1, knob::kWriteBufferSize)->to == 256 * kHeadroomMiB);
}

TEST_CASE("buffers: what a probe tells is heard at production pace, too", "[headroom][buffers]") {
  HeadroomBench bench;
  SlowMerges merges(bench);
  const bool early = GENERATE(false, true);
  bench.objective.first = early ? Priority::kThroughput : Priority::kStallSeconds;
  REQUIRE(merges.next_rule(300) == "");
  bench.f.device_queue = 30;
  CHECK(merges.next_rule(60) == "cache.probe");
  CHECK(merges.next_rule(early ? 2 : 15) == "buffers.writes");
  CHECK(bench.knob(knob::kWriteBufferSize).value == 96 * kHeadroomMiB);
  CHECK(merges.next_rule(100) == "");  // and it stays
}
