// Larger write buffers on their way back, on hand-made features.
#include <cmath>

#include "tests/support/catch.h"
#include "tests/unit/policy/buffers_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// Whose buffers of 64 MiB are so many MiB by now.
HeadroomBench grown_from_64(std::int64_t mib, std::uint64_t flushes) {
  HeadroomBench bench;
  bench.family(mib * kHeadroomMiB, flushes);
  bench.knob(knob::kWriteBufferSize).found = 64 * kHeadroomMiB;
  bench.knob(knob::kWriteBufferSize).owner = KnobOwner::kRocktune;
  return bench;
}

}  // namespace

TEST_CASE("buffers: they go back when nobody writes and reads miss", "[headroom][buffers]") {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 0);
  bench.knob(knob::kWriteBufferSize).value = 256 * kHeadroomMiB;
  bench.knob(knob::kWriteBufferSize).owner = KnobOwner::kRocktune;
  bench.f.cache_hit_ratio = 0.6;
  bench.f.cache_misses_per_second = 5000;
  CHECK_FALSE(bench.run(299, knob::kWriteBufferSize));
  const auto back = bench.run(4, knob::kWriteBufferSize);
  REQUIRE(back);
  CHECK(back->rule == "buffers.idle");
  CHECK(back->to == 128 * kHeadroomMiB);
}

TEST_CASE("buffers: they stay where half of them would be wanted back", "[headroom][buffers]") {
  HeadroomBench bench = grown_from_64(256, 2);  // 512 MiB/s flushed: 1 GiB/s would be saved again
  // As cache 256 MiB of it, beside as many, spare misses/s * (1 - 2^-0.2) * 6 KiB, and the cache is
  // not known better.
  const double even = 2.0 * 512 * kHeadroomMiB / ((1 - std::pow(2, -0.2)) * 6144);
  SECTION("less than twice as much") {
    miss(bench, 1.9 * even);
    CHECK_FALSE(bench.run(320, knob::kWriteBufferSize));
  }
  SECTION("more") {
    miss(bench, 2.1 * even);
    const auto back = bench.run(320, knob::kWriteBufferSize);
    REQUIRE(back);
    CHECK(back->rule == "buffers.idle");
  }
}

TEST_CASE("buffers: half of what memtables never fill costs nothing", "[headroom][buffers]") {
  HeadroomBench bench = grown_from_64(256, 2);
  miss(bench, 5000);
  bench.f.column_families[0].active_memtable_bytes = 10u << 20;
  CHECK_FALSE(bench.run(295, knob::kWriteBufferSize));
  const auto back = bench.run(20, knob::kWriteBufferSize);
  REQUIRE(back);
  CHECK(back->rule == "buffers.idle");
  CHECK(back->to == 128 * kHeadroomMiB);
}

TEST_CASE("buffers: a device that reads keep loaded does not hold them", "[headroom][buffers]") {
  HeadroomBench bench = grown_from_64(256, 0);
  miss(bench, 5000);
  bench.run(10, knob::kWriteBufferSize);
  bench.f.running_compactions = 1;
  bench.f.device_read_await_ms = 1.2;
  bench.flushes_per_tick = 1;
  bench.budget.memory_max = Bytes{2048 * kHeadroomMiB};
  REQUIRE(bench.run(10, knob::kWriteBufferSize));  // it is: writes would have more
  bench.flushes_per_tick = 0;
  bench.budget.memory_max.reset();
  bench.run(100, knob::kWriteBufferSize);
  const auto back = bench.run(305, knob::kWriteBufferSize);
  REQUIRE(back);
  CHECK(back->rule == "buffers.idle");
}

TEST_CASE("buffers: each column family gives back by its own merges", "[headroom][buffers]") {
  HeadroomBench bench = grown_from_64(256, 0);
  ColumnFamilyReading other = bench.f.column_families[0];
  other.name = "bursty";
  bench.f.column_families.push_back(other);
  for (const std::string_view name : {knob::kWriteBufferSize, knob::kWriteBuffers}) {
    KnobReading reading = bench.knob(name);
    reading.column_family = "bursty";
    bench.f.knobs.edit().push_back(reading);
  }
  miss(bench, 5000);
  std::vector<std::string> back;
  for (int i = 0; i < 1300; ++i) {
    // A burst of a second in each minute.
    if (i % 120 < 2) *bench.f.column_families[1].flushes += 1;
    if (i % 120 < 2) *bench.f.column_families[1].l0_compactions_input_bytes += 2ull << 30;
    for (const Proposal& proposal : bench.tick()) {
      if (proposal.rule == "buffers.idle") back.push_back(proposal.column_family);
    }
  }
  CHECK(back == std::vector<std::string>{"default", "default"});
}

TEST_CASE("buffers: what was made larger goes back while the machine is short of memory",
          "[headroom][buffers]") {
  HeadroomBench bench = grown_from_64(256, 2);
  bench.f.memory_available_bytes = 0.03 * *bench.f.memory_total_bytes;
  const auto back = bench.run(1, knob::kWriteBufferSize);
  REQUIRE(back);
  CHECK(back->rule == "buffers.memory");
  CHECK(back->to == 128 * kHeadroomMiB);
  CHECK(back->expected.feature == "memory_pressure_ratio");
  SECTION("down to what was found and no further") {
    bench.apply(*back);
    bench.apply(*bench.run(1, knob::kWriteBufferSize));
    CHECK(bench.knob(knob::kWriteBufferSize).value == 64 * kHeadroomMiB);
    CHECK_FALSE(bench.run(60, knob::kWriteBufferSize));
  }
  SECTION("not while writers stall") {
    bench.f.write_stopped = 1;
    bench.run(1, knob::kWriteBufferSize);
    CHECK_FALSE(bench.run(5, knob::kWriteBufferSize));
  }
  SECTION("what somebody else set stays") {
    bench.knob(knob::kWriteBufferSize).owner = KnobOwner::kManual;
    CHECK_FALSE(bench.run(5, knob::kWriteBufferSize));
  }
}

TEST_CASE("buffers: unused ones go back where others may use the memory", "[headroom][buffers]") {
  HeadroomBench bench = grown_from_64(256, 2);
  bench.run(20, knob::kWriteBufferSize);
  bench.flushes_per_tick = 0;
  SECTION("alone they stay") {
    CHECK_FALSE(bench.run(700, knob::kWriteBufferSize));
  }
  SECTION("beside others") {
    bench.f.shared = SharedBudget{};
    bench.f.shared->memory_max_bytes = std::uint64_t{2} << 30;
    CHECK_FALSE(bench.run(300, knob::kWriteBufferSize));
    const auto back = bench.run(300, knob::kWriteBufferSize);
    REQUIRE(back);
    CHECK(back->rule == "buffers.idle");
    CHECK(back->reason.find("nothing was flushed") != std::string::npos);
    bench.apply(*back);
    bench.flushes_per_tick = 1;  // once more written to
    bench.run(20, knob::kWriteBufferSize);
    CHECK_FALSE(bench.run(700, knob::kWriteBufferSize));
  }
}

TEST_CASE("buffers: a cache that somebody else holds gets none of them", "[headroom][buffers]") {
  HeadroomBench bench = grown_from_64(256, 0);
  miss(bench, 5000);
  bench.knob(knob::kCacheCapacity).owner = KnobOwner::kManual;
  CHECK_FALSE(bench.run(700, knob::kWriteBufferSize));
}

TEST_CASE("buffers: a backlog near its limits keeps them", "[headroom][buffers]") {
  HeadroomBench bench = grown_from_64(256, 0);
  miss(bench, 5000);
  SECTION("of level 0") {
    bench.f.l0_files = 12;
    bench.f.l0_ratio = 0.6;
  }
  SECTION("or where nobody knows") {
    bench.f.l0_files.reset();
    bench.f.l0_ratio.reset();
  }
  CHECK_FALSE(bench.run(700, knob::kWriteBufferSize));
}

TEST_CASE("buffers: without the listener's counts they stay", "[headroom][buffers]") {
  HeadroomBench bench = grown_from_64(256, 0);
  miss(bench, 5000);
  bench.f.column_families.clear();
  CHECK_FALSE(bench.run(700, knob::kWriteBufferSize));
}

TEST_CASE("buffers: back from below the least that may be set is all the way",
          "[headroom][buffers]") {
  HeadroomBench bench;
  bench.family(kHeadroomMiB, 0);
  bench.knob(knob::kWriteBufferSize).found = kHeadroomMiB / 8;
  bench.knob(knob::kWriteBufferSize).owner = KnobOwner::kRocktune;
  miss(bench, 5000);
  const auto back = bench.run(310, knob::kWriteBufferSize);
  REQUIRE(back);
  CHECK(back->to == kHeadroomMiB / 8);
}
