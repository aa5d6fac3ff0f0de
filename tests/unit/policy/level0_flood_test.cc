// Small write buffers that flood level 0 while nobody reads: larger ones, and room, before writes
// are delayed.
#include "tests/unit/policy/buffers_bench.h"
#include "tests/unit/policy/one_compaction_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// Buffers of 64 MiB, `flushes` a second, which compactions of level 0 merge with nothing.
HeadroomBench loading(std::uint64_t flushes) {
  HeadroomBench bench = full_device(2);
  bench.objective.first = Priority::kReadP99;
  bench.merged_again = 0;
  bench.flushes_per_tick = flushes / 2;
  bench.f.running_compactions = 1;
  miss(bench, 5000);
  bench.run(20, knob::kWriteBufferSize);
  bench.f.reads_per_second = 0;
  level0(bench, 12);
  return bench;
}

}  // namespace

TEST_CASE("flood of level 0: while nobody reads the cache makes room for larger write buffers",
          "[headroom][buffers]") {
  HeadroomBench bench = loading(4);
  CHECK_FALSE(bench.run(1, knob::kCacheCapacity));  // readers that pause
  const auto less = bench.run(2, knob::kCacheCapacity);
  REQUIRE(less);
  CHECK(less->rule == "cache.trade");
  CHECK(less->to == 192 * kHeadroomMiB);
  CHECK(less->reason.starts_with("level 0 has 12 files, and 4 more come every second"));
  bench.apply(*less);
  level0(bench, 5);  // it rises and falls: that is no reason to take it back
  CHECK_FALSE(bench.run(2, knob::kCacheCapacity));
  const auto grown = bench.run(1, knob::kWriteBufferSize);
  REQUIRE(grown);
  CHECK(grown->rule == "buffers.level0");
  CHECK(grown->to == 96 * kHeadroomMiB);  // two of them, half of what there is
  CHECK(grown->expected.feature == "stalled_ratio");
  bench.apply(*grown);
  level0(bench, 12);
  CHECK_FALSE(bench.run(20, knob::kWriteBufferSize));
  // It goes back once somebody has read for a while.
  bench.flushes_per_tick = 0;
  level0(bench, 2);
  bench.f.running_compactions = 0;
  bench.f.device_read_await_ms = 0.2;
  CHECK(trade(bench, 30).empty());
  bench.f.reads_per_second = 20e3;
  CHECK(trade(bench, 9).empty());
  trade(bench, 60);
  CHECK(bench.knob(knob::kWriteBufferSize).value == 64 * kHeadroomMiB);
  CHECK(bench.knob(knob::kCacheCapacity).value == 256 * kHeadroomMiB);
}

TEST_CASE("flood of level 0: what is free comes first", "[headroom][buffers]") {
  HeadroomBench bench = loading(4);
  bench.budget.memory_max = Bytes{1024 * kHeadroomMiB};
  const auto grown = bench.run(4, knob::kWriteBufferSize);
  REQUIRE(grown);
  CHECK(grown->rule == "buffers.level0");
  CHECK(grown->to == 128 * kHeadroomMiB);
}

TEST_CASE("flood of level 0: not without need", "[headroom][buffers]") {
  HeadroomBench bench = loading(4);
  SECTION("somebody reads") {
    bench.f.reads_per_second = 5000;
  }
  SECTION("nobody knows whether somebody reads") {
    bench.f.reads_per_second.reset();
    bench.f.seeks_per_second.reset();
  }
  SECTION("level 0 is not half full") {
    level0(bench, 9);
  }
  SECTION("it fills in more than ten seconds") {
    bench = loading(2);
    bench.knob(knob::kL0Slowdown).value = 30;
    level0(bench, 18);
  }
  SECTION("memory is short") {
    bench.f.memory_available_bytes = 0.2e9;  // of 16
  }
  SECTION("an operator has set the buffers") {
    bench.knob(knob::kWriteBufferSize).owner = KnobOwner::kManual;
  }
  for (int i = 0; i < 40; ++i) {
    for (const Proposal& one : bench.tick()) {
      CHECK(one.rule != "buffers.level0");
      CHECK(one.rule != "cache.trade");
    }
  }
}

TEST_CASE("flood of level 0: room is made from half of the way on", "[headroom][one_compaction]") {
  HeadroomBench bench = loading(4);
  const auto read = GENERATE(false, true);
  if (read) bench.f.reads_per_second = 5000;
  const auto room = bench.run(3, knob::kL0Slowdown);
  REQUIRE(room.has_value() == !read);
  if (!room) return;
  CHECK(room->rule == "l0_room.writes");
  CHECK(room->to == 28);
}

TEST_CASE("flood of level 0: readers who come back in turns are asked for it once",
          "[headroom][buffers]") {
  HeadroomBench bench = loading(4);
  int taken = 0;
  for (int turn = 0; turn < 8; ++turn) {
    level0(bench, 12);
    for (const std::string& rule : trade(bench, 5)) taken += rule == "cache.trade" ? 1 : 0;
    bench.f.reads_per_second = 20e3;
    level0(bench, 6);
    trade(bench, 40);
    bench.f.reads_per_second = 0;
  }
  CHECK(taken == 1);
}

TEST_CASE("flood of level 0: where reads do not come first their cache is not lent in a pause",
          "[headroom][buffers]") {
  HeadroomBench bench = loading(4);
  bench.objective.first = Priority::kStallSeconds;
  CHECK_FALSE(bench.run(20, knob::kCacheCapacity));
  const auto less = bench.run(50, knob::kCacheCapacity);  // nobody has read for a minute
  REQUIRE(less);
  CHECK(less->rule == "cache.trade");
}
