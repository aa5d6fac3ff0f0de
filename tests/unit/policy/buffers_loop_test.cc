// The buffers loop of headroom on hand-made features: write buffers against the cache.
#include <cmath>

#include "tests/support/catch.h"
#include "tests/unit/policy/buffers_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// A probe was made of what the cache is worth, and it is hardly anything.
HeadroomBench probed() {
  HeadroomBench bench = pressed(2);
  miss(bench, 20e3);
  bench.apply(*bench.run(20, knob::kCacheCapacity));
  REQUIRE(bench.run(12, knob::kWriteBufferSize));
  bench.knob(knob::kCacheCapacity).value = 256 * kHeadroomMiB;  // somebody took it back
  bench.run(12, knob::kCacheCapacity);
  return bench;
}

}  // namespace

TEST_CASE("buffers: free memory goes to writes that press", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.budget.memory_max = Bytes{1024 * kHeadroomMiB};
  const auto proposal = bench.run(8, knob::kWriteBufferSize);
  REQUIRE(proposal);
  CHECK(proposal->rule == "buffers.writes");
  CHECK(proposal->column_family == "default");
  CHECK(proposal->to == 128 * kHeadroomMiB);
  CHECK(proposal->expected.feature == "stalled_ratio");  // too early to know what writes cost
  CHECK_FALSE(bench.run(5, knob::kCacheCapacity));
  SECTION("what writes cost is known after half a minute") {
    HeadroomBench later = pressed(2);
    later.run(30, knob::kWriteBufferSize);
    later.budget.memory_max = Bytes{1024 * kHeadroomMiB};
    const auto known = later.run(5, knob::kWriteBufferSize);
    REQUIRE(known);
    CHECK(known->expected.feature == "write_amplification");
    const Features& f = later.f;
    CHECK(known->expected.baseline.value() ==
          Approx((*f.flush_bytes_per_second + *f.compaction_write_bytes_per_second) /
                 *f.user_write_bytes_per_second));
  }
  SECTION("held by somebody else's word it claims nothing for long") {
    bench.run(15, knob::kWriteBufferSize);
    CHECK_FALSE(bench.run(500, knob::kWriteBufferSize));
    CHECK(bench.run(200, knob::kWriteBufferSize));
  }
  SECTION("up to half of the budget") {
    bench.apply(*proposal);
    const auto more = bench.run(5, knob::kWriteBufferSize);
    REQUIRE(more);
    CHECK(more->to == 256 * kHeadroomMiB);
    bench.apply(*more);
    CHECK_FALSE(bench.run(60, knob::kWriteBufferSize));
  }
}

TEST_CASE("buffers: a loaded device presses", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.f.device_queue = 1;
  bench.budget.memory_max = Bytes{1024 * kHeadroomMiB};
  CHECK_FALSE(bench.run(20, knob::kWriteBufferSize));  // 0.2 ms a read: idle
  bench.f.device_read_await_ms = 2;
  const auto grown = bench.run(12, knob::kWriteBufferSize);
  REQUIRE(grown);
  CHECK(grown->rule == "buffers.writes");
}

TEST_CASE("buffers: without a reason they stay", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.budget.memory_max = Bytes{1024 * kHeadroomMiB};
  SECTION("nothing presses") {
    bench.f.device_queue = 1;
  }
  SECTION("hardly anything is written") {
    bench.flushes_per_tick = 0;
  }
  SECTION("there is nothing to merge with") {
    bench.merged_again = 1;
  }
  SECTION("another compaction style") {
    bench.f.column_families[0].leveled_compaction = 0;
  }
  SECTION("the size cannot be changed") {
    bench.knob(knob::kWriteBufferSize).changeable = false;
  }
  CHECK_FALSE(bench.run(60, knob::kWriteBufferSize));
  CHECK_FALSE(bench.run(60, knob::kCacheCapacity));
}

TEST_CASE("buffers: a cache that saves more keeps its memory", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  miss(bench, 2e6);  // even at the least elasticity
  for (int i = 0; i < 120; ++i) {
    for (const Proposal& proposal : bench.tick()) {
      CHECK(proposal.rule != "cache.probe");
      CHECK(proposal.rule != "buffers.writes");
    }
  }
}

TEST_CASE("buffers: what compactions look up in vain is no miss that reads wait for",
          "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.f.device_read_iops = 20e3;
  bench.f.cache_misses_per_second = 2e6;
  const auto probe = bench.run(20, knob::kCacheCapacity);
  REQUIRE(probe);
  CHECK(probe->rule == "cache.probe");
  bench.apply(*probe);
  bench.f.cache_misses_per_second = 4e6;  // larger compactions: reads are served as before
  const auto grown = bench.run(13, knob::kWriteBufferSize);
  REQUIRE(grown);
  CHECK(grown->rule == "buffers.writes");
}

TEST_CASE("buffers: what compactions drop makes them worth more", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.merged_again = 2;
  const bool drop = GENERATE(false, true);
  bench.f.compaction_read_bytes_per_second =
      20e6 + (drop ? 128.0 * kHeadroomMiB : 0);  // all that is flushed
  bench.budget.memory_max = Bytes{1024 * kHeadroomMiB};
  const auto grown = bench.run(8, knob::kWriteBufferSize);
  REQUIRE(grown);
  // 128 MiB/s are merged again, and half of it is saved twice; or as much again.
  const char* saved = drop ? "larger buffers save 256 MiB/s" : "larger buffers save 128 MiB/s";
  INFO(grown->reason);
  CHECK(grown->reason.find(saved) != std::string::npos);
}

TEST_CASE("buffers: of compressed files what they save is counted in files",
          "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.file_of_buffer = 0.5;
  bench.budget.memory_max = Bytes{1024 * kHeadroomMiB};
  const auto grown = bench.run(8, knob::kWriteBufferSize);
  REQUIRE(grown);
  INFO(grown->reason);
  CHECK(grown->reason.find("larger buffers save 64 MiB/s") != std::string::npos);
}

TEST_CASE("buffers: a cache that still fills is worth nobody knows what", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  miss(bench, 5000);
  bench.f.cache_capacity_bytes = 256.0 * kHeadroomMiB;
  const bool fills = GENERATE(false, true);
  std::optional<Proposal> taken;
  for (int i = 0; i < 200 && !taken; ++i) {
    bench.f.cache_usage_bytes = (fills ? 100.0 + 0.5 * i : 100.0) * kHeadroomMiB;
    bench.f.cache_fill_ratio = *bench.f.cache_usage_bytes / *bench.f.cache_capacity_bytes;
    taken = bench.run(0.5, knob::kCacheCapacity);
  }
  CHECK(taken.has_value() != fills);
}

TEST_CASE("buffers: a large cache fills by a little at a time", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  miss(bench, 2000);
  constexpr std::int64_t kBytes = 128 * 1024 * kHeadroomMiB;
  const auto size = static_cast<double>(kBytes);
  bench.f.knobs.edit()[2] = cache_knob(kBytes, kBytes);
  bench.f.cache_capacity_bytes = size;
  for (int i = 0; i < 400; ++i) {
    bench.f.cache_usage_bytes = 0.75 * size + 8.0 * i * kHeadroomMiB;
    bench.f.cache_fill_ratio = *bench.f.cache_usage_bytes / size;
    CHECK_FALSE(bench.run(0.5, knob::kCacheCapacity));
  }
}

TEST_CASE("buffers: misses that the page cache serves tell nothing", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  miss(bench, 20e3);
  bench.f.device_read_iops = 0;
  CHECK(first_cache_rule(bench, 1300) == "");
}

TEST_CASE("buffers: what was learnt of the cache is forgotten", "[headroom][buffers]") {
  HeadroomBench bench = probed();
  SECTION("not before its time") {
    CHECK(first_cache_rule(bench, 10) == "cache.trade");
  }
  SECTION("with another working set") {
    miss(bench, 28e3);
    bench.run(20, knob::kCacheCapacity);
    CHECK(first_cache_rule(bench, 1) == "cache.probe");
  }
  SECTION("after half an hour") {
    bench.f.device_queue = 1;
    bench.run(1800, knob::kCacheCapacity);
    bench.f.device_queue = 30;
    CHECK(first_cache_rule(bench, 20) == "cache.probe");
  }
  SECTION("a reading far out, alone, is no other working set") {
    bench.f.device_queue = 1;
    bench.budget.memory_max = Bytes{378 * kHeadroomMiB};
    bench.knob(knob::kCacheCapacity).value = 250 * kHeadroomMiB;  // what was read before is dropped
    miss(bench, 80e3);
    bench.tick();
    miss(bench, 20e3);
    bench.run(20, knob::kCacheCapacity);
    bench.f.device_queue = 30;
    CHECK(first_cache_rule(bench, 20) == "cache.trade");
  }
  SECTION("nor is it known while nobody counts misses") {
    bench.f.cache_misses_per_second.reset();
    bench.run(16, knob::kCacheCapacity);
    CHECK(first_cache_rule(bench, 30) == "");
  }
}

TEST_CASE("buffers: smaller than the least that may be set they grow to that at least",
          "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.knob(knob::kWriteBufferSize).value = bench.knob(knob::kWriteBufferSize).found =
      kHeadroomMiB / 8;
  bench.flushes_per_tick = 400;
  SECTION("where there is memory") {
    bench.budget.memory_max = Bytes{1024 * kHeadroomMiB};
    const auto grown = bench.run(8, knob::kWriteBufferSize);
    REQUIRE(grown);
    CHECK(grown->to == kHeadroomMiB);
  }
  SECTION("or not at all") {
    bench.knob(knob::kCacheCapacity).value = bench.knob(knob::kCacheCapacity).found = kHeadroomMiB;
    bench.budget.memory_max = Bytes{3 * kHeadroomMiB};  // half of it is less than 2 MiB
    for (int i = 0; i < 120; ++i) CHECK(bench.tick().empty());
  }
}

TEST_CASE("buffers: room for less than the least that the knob may have is no room",
          "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.knob(knob::kWriteBufferSize).value = kHeadroomMiB / 2;
  bench.knob(knob::kWriteBufferSize).found = kHeadroomMiB / 2;
  bench.knob(knob::kCacheCapacity).value = bench.knob(knob::kCacheCapacity).found =
      8 * kHeadroomMiB;
  bench.flushes_per_tick = 100;
  miss(bench, 200);
  bench.budget.memory_max = Bytes{9 * kHeadroomMiB + kHeadroomMiB / 2};
  CHECK_FALSE(bench.run(8, knob::kWriteBufferSize));
  const auto room = bench.run(12, knob::kCacheCapacity);
  REQUIRE(room);
  CHECK(room->rule == "cache.probe");
  bench.apply(*room);
  const auto grown = bench.run(14, knob::kWriteBufferSize);
  REQUIRE(grown);
  CHECK(grown->to == kHeadroomMiB);
}

TEST_CASE("buffers: while memory is low they take what the cache gives up, and no more",
          "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.f.memory_available_bytes = 0.08 * 16e9;
  bench.budget.memory_max = Bytes{1024 * kHeadroomMiB};
  miss(bench, 20e3);
  const auto probe = bench.run(20, knob::kCacheCapacity);
  REQUIRE(probe);
  CHECK(probe->rule == "cache.probe");
  bench.apply(*probe);
  // A wish that the guard holds for a while costs the cache nothing more.
  std::optional<Proposal> grown;
  for (int i = 0; i < 40; ++i) {
    for (const Proposal& proposal : bench.tick()) {
      CHECK_FALSE((proposal.knob == knob::kCacheCapacity && proposal.to < proposal.from));
      if (proposal.knob == knob::kWriteBufferSize) grown = proposal;
    }
  }
  REQUIRE(grown);
  CHECK(grown->to == 96 * kHeadroomMiB);
}

TEST_CASE("buffers: held by somebody else's word between pauses they rest, too",
          "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.budget.memory_max = Bytes{1024 * kHeadroomMiB};
  for (int i = 0; i < 2; ++i) {
    bench.f.device_queue = 30;
    bench.run(6, knob::kWriteBufferSize);
    bench.f.device_queue = 1;
    bench.run(12, knob::kWriteBufferSize);
  }
  bench.f.device_queue = 30;
  CHECK_FALSE(bench.run(500, knob::kWriteBufferSize));
  CHECK(bench.run(200, knob::kWriteBufferSize));
}

TEST_CASE("buffers: a burst of compactions does not end a trade", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  miss(bench, 20e3);
  const auto probe = bench.run(20, knob::kCacheCapacity);
  REQUIRE(probe);
  bench.apply(*probe);
  bench.run(10, knob::kCacheCapacity);
  bench.f.compaction_write_bytes_per_second = 10e9;
  for (const Proposal& proposal : bench.tick()) CHECK(proposal.rule != "cache.returned");
  bench.f.compaction_write_bytes_per_second = 20e6;
  CHECK(bench.run(4, knob::kWriteBufferSize));
}

TEST_CASE("buffers: a cache that grows in a hurry does not shut them out", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.budget.memory_max = Bytes{4096 * kHeadroomMiB};
  miss(bench, 5000);
  bench.f.read_p99_us = 9000;
  bench.f.device_queue = 1;
  bench.run(7, knob::kCacheCapacity);
  bench.knob(knob::kCacheCapacity).value += 64 * kHeadroomMiB;
  bench.f.device_queue = 30;
  CHECK(bench.run(8, knob::kWriteBufferSize));
}
