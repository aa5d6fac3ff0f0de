// Column families with caches of their own: nobody can tell whose misses a database's are.
#include "policy/demand.h"
#include "tests/support/catch.h"
#include "tests/unit/policy/buffers_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

void bring_own_cache(HeadroomBench& bench) {
  KnobReading other = cache_knob(64 * kHeadroomMiB, 64 * kHeadroomMiB);
  other.column_family = "other";
  bench.f.knobs.edit().push_back(other);
}

}  // namespace

TEST_CASE("cache: beside others it does not grow", "[headroom][other_caches]") {
  HeadroomBench bench;
  bench.budget.memory_max = Bytes{4096 * kHeadroomMiB};
  bring_own_cache(bench);
  miss(bench, 5000);
  CHECK_FALSE(bench.run(120, knob::kCacheCapacity));
  SECTION("memory that is short has it back") {
    bench.f.memory_available_bytes = 0.5e9;
    const auto less = bench.run(1, knob::kCacheCapacity);
    REQUIRE(less);
    CHECK(less->rule == "cache.memory");
    CHECK(less->column_family.empty());
  }
  SECTION("what it was found with it may have again") {
    bench.knob(knob::kCacheCapacity).value = 200 * kHeadroomMiB;
    const auto back = bench.run(30, knob::kCacheCapacity);
    REQUIRE(back);
    CHECK(back->rule == "cache.miss");
    CHECK(back->to == 256 * kHeadroomMiB);
  }
}

TEST_CASE("buffers: of one cache beside others nothing is taken", "[headroom][other_caches]") {
  HeadroomBench bench = pressed(2);
  miss(bench, 20e3);
  SECTION("no probe") {}
  SECTION("no trade of one that nobody reads") {
    bench.f.reads_per_second = 0;
  }
  bring_own_cache(bench);
  bench.budget.memory_max = Bytes{384 * kHeadroomMiB};  // all that the first cache and buffers have
  CHECK(first_cache_rule(bench, 120) == "");
}

TEST_CASE("buffers: nor do they go back for it", "[headroom][other_caches]") {
  HeadroomBench bench;
  bench.family(256 * kHeadroomMiB, 0);
  bench.knob(knob::kWriteBufferSize).found = 64 * kHeadroomMiB;
  bench.knob(knob::kWriteBufferSize).owner = KnobOwner::kRocktune;
  miss(bench, 5000);
  const bool others = GENERATE(false, true);
  if (others) bring_own_cache(bench);
  CHECK(bench.run(320, knob::kWriteBufferSize).has_value() == !others);
}

TEST_CASE("a database with several caches asks others for no memory", "[other_caches]") {
  HeadroomBench bench;
  miss(bench, 5000);
  const bool others = GENERATE(false, true);
  if (others) bring_own_cache(bench);
  const auto wants_cache = [&bench] {
    DemandMeter meter;
    bench.tick();
    return meter.update({bench.f, bench.indicators, bench.objective, bench.budget}).wants_cache;
  };
  CHECK(wants_cache() == !others);
  bench.knob(knob::kCacheCapacity).value = 200 * kHeadroomMiB;  // what was taken from it it does
  CHECK(wants_cache());
}
