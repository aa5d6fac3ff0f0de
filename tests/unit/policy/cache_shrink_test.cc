// The block cache's loop when memory runs short, on hand-made features.
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("cache: shrinks when memory runs short, to a quarter of what was found", "[headroom]") {
  HeadroomBench bench;
  SECTION("little is available") {
    bench.f.memory_available_bytes = 0.5e9;
  }
  SECTION("tasks wait for it") {
    bench.f.memory_pressure_ratio = 0.3;
    bench.f.memory_available_bytes = 2e9;  // of 16
  }
  auto proposal = bench.run(5, knob::kCacheCapacity);
  REQUIRE(proposal);
  CHECK(proposal->rule == "cache.memory");
  CHECK(proposal->to == Approx(0.8 * 256 * kHeadroomMiB));
  bench.f.knobs.edit()[2].value = 64 * kHeadroomMiB;
  CHECK_FALSE(bench.run(5, knob::kCacheCapacity));
}

TEST_CASE("cache: waits for files' pages are no want of memory", "[headroom]") {
  HeadroomBench bench;
  bench.f.memory_pressure_ratio = 0.3;  // half of it is available
  CHECK_FALSE(bench.run(60, knob::kCacheCapacity));
}

TEST_CASE("cache: it gives up no more than frees memory", "[headroom]") {
  HeadroomBench bench;
  bench.f.memory_available_bytes = 0.5e9;
  bench.f.process_rss_bytes = 12e9;
  const auto first = bench.run(5, knob::kCacheCapacity);
  REQUIRE(first);
  bench.apply(*first);
  const double given = static_cast<double>(first->from - first->to);
  const bool at_once = GENERATE(false, true);
  if (at_once) *bench.f.process_rss_bytes -= given;  // before the next sample
  CHECK_FALSE(bench.run(14, knob::kCacheCapacity));  // it is seen yet what that frees
  SECTION("what was given up has gone back") {
    for (int i = 0; i < 4; ++i) {
      *bench.f.process_rss_bytes -= 0.5 * given;
      const auto next = bench.run(2, knob::kCacheCapacity);
      REQUIRE(next);
      bench.apply(*next);
      bench.run(14, knob::kCacheCapacity);
    }
  }
  SECTION("what nobody used is given up at once") {
    bench.f.cache_usage_bytes = 10.0 * kHeadroomMiB;
    bench.run(2, knob::kCacheCapacity);
    for (int i = 0; i < 4; ++i) {
      const auto next = bench.run(1, knob::kCacheCapacity);
      REQUIRE(next);
      bench.apply(*next);
    }
  }
  SECTION("the allocator keeps it") {
    if (at_once) return;
    const auto second = bench.run(2, knob::kCacheCapacity);
    REQUIRE(second);
    bench.apply(*second);
    CHECK_FALSE(bench.run(120, knob::kCacheCapacity));
    bench.f.memory_available_bytes = 8e9;
    bench.run(310, knob::kCacheCapacity);
    bench.f.memory_available_bytes = 0.5e9;  // another time
    CHECK(bench.run(2, knob::kCacheCapacity));
  }
  SECTION("memory falls on") {
    bench.f.memory_available_bytes = 0.4e9;
    CHECK(bench.run(1, knob::kCacheCapacity));
  }
}

TEST_CASE("cache: it makes no less than its pinned blocks need", "[headroom]") {
  HeadroomBench bench;
  bench.f.cache_pinned_bytes = 200.0 * kHeadroomMiB;
  bench.f.memory_available_bytes = 0.5e9;
  const auto to = bench.run(5, knob::kCacheCapacity);
  REQUIRE(to);
  CHECK(to->to == 250 * kHeadroomMiB);
}
