// The buffers loop of headroom where somebody else's word holds its wishes.
#include <set>
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/policy/buffers_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("buffers: the cache makes no room again and again for a growth that nobody grants",
          "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.objective.first = Priority::kWriteAmplification;  // presses always
  miss(bench, 20e3);
  int taken = 0, wishes = 0;
  for (int i = 0; i < 2 * 2 * 3600; ++i) {
    for (const Proposal& one : bench.tick()) {
      if (one.knob == knob::kWriteBufferSize) ++wishes;
      if (one.knob != knob::kCacheCapacity) continue;
      if (one.to < one.from) ++taken;
      bench.apply(one);
    }
  }
  CHECK(wishes > 10);
  CHECK(taken == 2);  // the first may have met something that passes
  CHECK(bench.knob(knob::kCacheCapacity).value == 256 * kHeadroomMiB);
}

TEST_CASE("buffers: a column family whose growth nobody grants holds up no other",
          "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.budget.memory_max = Bytes{2048 * kHeadroomMiB};
  bench.tick();
  bench.f.column_families.push_back(bench.f.column_families[0]);
  bench.f.column_families[1].name = "other";
  for (const std::string_view name : {knob::kWriteBufferSize, knob::kWriteBuffers}) {
    KnobReading reading = bench.knob(name);
    reading.column_family = "other";
    bench.f.knobs.edit().push_back(reading);
  }
  bench.f.device_queue = 1;
  bench.run(62, knob::kWriteBufferSize);  // what there is has just changed
  bench.f.device_queue = 30;
  std::set<std::string> wished;
  for (int i = 0; i < 2 * 50; ++i) {
    for (const Proposal& one : bench.tick()) {
      if (one.knob == knob::kWriteBufferSize) wished.insert(one.column_family);
    }
  }
  CHECK(wished == std::set<std::string>{"default", "other"});
  CHECK_FALSE(bench.run(500, knob::kWriteBufferSize));  // both rest
  SECTION("the next rest is twice as long") {
    CHECK(bench.run(150, knob::kWriteBufferSize));
    CHECK_FALSE(bench.run(1000, knob::kWriteBufferSize));
    CHECK(bench.run(300, knob::kWriteBufferSize));
  }
  SECTION("one that somebody makes larger rests no more") {
    for (KnobReading& knob : bench.f.knobs.edit()) {
      const bool size = knob.name == knob::kWriteBufferSize && knob.column_family == "other";
      if (size) knob.value += 16 * kHeadroomMiB;
    }
    const auto grown = bench.run(5, knob::kWriteBufferSize);
    REQUIRE(grown);
    CHECK(grown->column_family == "other");
  }
}
