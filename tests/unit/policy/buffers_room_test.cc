// What there is for larger write buffers: of the base of the levels, of the host, and of the cache.
#include "tests/support/catch.h"
#include "tests/unit/policy/buffers_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("buffers: they bring no more at a time than the base of the levels holds",
          "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);  // with a trigger of 4 they fill a base of 256 MiB
  bench.budget.memory_max = Bytes{1024 * kHeadroomMiB};
  SECTION("one that is to stay") {
    bench.knob(knob::kLevelBase).changeable = false;
    CHECK_FALSE(bench.run(60, knob::kWriteBufferSize));
    CHECK_FALSE(bench.run(60, knob::kL0Trigger));
  }
  SECTION("one whose return would leave too much pending") {
    bench.f.column_families[0].soft_pending_limit_bytes = 64 * kHeadroomMiB;
    CHECK_FALSE(bench.run(60, knob::kWriteBufferSize));
    CHECK_FALSE(bench.run(60, knob::kL0Trigger));
  }
  SECTION("half again is worth a step") {
    bench.knob(knob::kLevelBase).changeable = false;
    bench.knob(knob::kLevelBase).value = 320 * kHeadroomMiB;  // 400 at a time
    const auto grown = bench.run(8, knob::kWriteBufferSize);
    REQUIRE(grown);
    CHECK(grown->to == 100 * kHeadroomMiB);
  }
}

TEST_CASE("buffers: they take no more than the host has to spare", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.budget.memory_max = Bytes{1024 * kHeadroomMiB};
  const auto spare = [&bench](std::int64_t mib) {
    bench.f.memory_available_bytes = 1.6e9 + static_cast<double>(mib * kHeadroomMiB);  // of 16e9
  };
  SECTION("a smaller step where that is enough") {
    spare(100);
    const auto grown = bench.run(8, knob::kWriteBufferSize);
    REQUIRE(grown);
    CHECK(grown->to == 114 * kHeadroomMiB);  // two of them
    bench.apply(*grown);
    CHECK_FALSE(bench.run(60, knob::kWriteBufferSize));  // they fill yet
  }
  SECTION("by the least of two minutes: buffers that are flushed come back") {
    CHECK_FALSE(bench.run_ticks(120, knob::kWriteBufferSize,
                                [&](int i) { spare(i % 20 == 0 ? 10 : 400); }));
  }
  SECTION("else of the cache") {
    spare(10);
    CHECK(bench.run(20, knob::kCacheCapacity)->rule == "cache.probe");
  }
  SECTION("but not what it never held") {
    spare(10);
    bench.f.cache_usage_bytes = 32.0 * kHeadroomMiB;
    bench.f.cache_fill_ratio = 0.125;
    CHECK_FALSE(bench.run(200, knob::kCacheCapacity));
    CHECK_FALSE(bench.run(60, knob::kWriteBufferSize));
  }
  SECTION("but not of one that could never give enough") {
    spare(10);
    for (KnobReading& one : bench.f.knobs.edit()) {
      if (one.name == knob::kCacheCapacity) one.value = one.found = 48 * kHeadroomMiB;
    }
    CHECK_FALSE(bench.run(60, knob::kCacheCapacity));
    CHECK_FALSE(bench.run(60, knob::kWriteBufferSize));
  }
}

TEST_CASE("buffers: short memory is nobody's to trade", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.f.memory_available_bytes = 0.04 * 16e9;
  SECTION("what the budget leaves is not there") {
    bench.budget.memory_max = Bytes{1024 * kHeadroomMiB};
    CHECK_FALSE(bench.run(60, knob::kWriteBufferSize));
    bench.f.memory_available_bytes = 8e9;
    CHECK_FALSE(bench.run(290, knob::kWriteBufferSize));
    CHECK(bench.run(20, knob::kWriteBufferSize));
  }
  SECTION("nor what the cache gave up for others") {
    miss(bench, 20e3);
    for (int i = 0; i < 200; ++i) {
      for (const Proposal& proposal : bench.tick()) {
        REQUIRE(proposal.rule == "cache.memory");
        bench.apply(proposal);
      }
    }
    CHECK(bench.knob(knob::kCacheCapacity).value == 64 * kHeadroomMiB);
  }
  SECTION("a probe that was wished for before is moot") {
    bench.f.memory_available_bytes = 8e9;
    miss(bench, 20e3);
    REQUIRE(bench.run(20, knob::kCacheCapacity)->rule == "cache.probe");  // held by the guard
    bench.f.memory_available_bytes = 0.04 * 16e9;
    bench.knob(knob::kCacheCapacity).value = 205 * kHeadroomMiB;
    bench.tick();
    bench.f.memory_available_bytes = 8e9;
    for (int i = 0; i < 100; ++i) {
      for (const Proposal& proposal : bench.tick()) {
        CHECK(proposal.rule != "cache.returned");
        CHECK(proposal.rule != "buffers.writes");
      }
    }
  }
}
