// Which misses of the block cache reads wait for, and who asks for a larger one.
#include "policy/memory.h"

#include "policy/demand.h"
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

Features at(double seconds, Value misses, Value device_reads) {
  Features f;
  f.at.tick = at_seconds(seconds);
  f.cache_misses_per_second = misses;
  f.device_read_iops = device_reads;
  return f;
}

}  // namespace

TEST_CASE("misses that reads wait for are no more than the device's reads", "[memory]") {
  ReadMisses misses;
  CHECK(misses.look(at(0, 5000, 300)) == 300);
  CHECK(misses.look(at(1, 200, 300)) == 200);
  CHECK_FALSE(misses.look(at(2, std::nullopt, 300)));
  SECTION("samples without the device's reads say nothing, until it is gone for good") {
    CHECK_FALSE(misses.look(at(3, 5000, std::nullopt)));
    CHECK_FALSE(misses.look(at(16.9, 5000, std::nullopt)));
    CHECK(misses.look(at(17, 5000, std::nullopt)) == 5000);
    CHECK(misses.look(at(18, 5000, 300)) == 300);
  }
}

TEST_CASE("without a device all misses count, unless compactions may have a part of them",
          "[memory]") {
  ReadMisses misses;
  CHECK(misses.look(at(0, 5000, std::nullopt)) == 5000);
  Features f = at(1, 5000, std::nullopt);
  f.cache_hit_ratio = 0.5;
  f.compaction_read_bytes_per_second = 50e6;
  CHECK_FALSE(misses.look(f));
  f.cache_read_hit_ratio = 0.6;
  CHECK(misses.look(f) == 5000);
}

TEST_CASE("a database wants cache for the misses that its reads wait for", "[memory]") {
  HeadroomBench bench;
  bench.f.cache_misses_per_second = 5000;  // of 20,000 reads
  const auto wants_cache = [&bench](double device_reads) {
    DemandMeter meter;
    bench.f.device_read_iops = device_reads;
    bench.tick();
    return meter.update({bench.f, bench.indicators, bench.objective, bench.budget}).wants_cache;
  };
  CHECK(wants_cache(5000));
  CHECK_FALSE(wants_cache(500));  // the others are compactions'
}

TEST_CASE("who is scanned is read, though few reads begin", "[memory]") {
  Features f;
  f.reads_per_second = 0;
  f.seeks_per_second = 5;
  CHECK_FALSE(is_read(f));
  f.iterator_steps_per_second = 300;  // a health check that looks through a range
  CHECK_FALSE(is_read(f));
  f.iterator_steps_per_second = 5 * 100'000;
  CHECK(is_read(f));

  HeadroomBench bench;
  bench.f.reads_per_second = bench.f.seeks_per_second = 0;  // by iterators that stay
  bench.f.cache_misses_per_second = 5000;
  DemandMeter meter;
  const auto is_seen_read = [&](double steps) {
    bench.f.iterator_steps_per_second = steps;
    Demand demand;
    for (int i = 0; i < 10; ++i) {
      bench.tick();
      demand = meter.update({bench.f, bench.indicators, bench.objective, bench.budget});
    }
    return demand.reads;
  };
  CHECK_FALSE(is_seen_read(300));
  CHECK(is_seen_read(500'000));
}

TEST_CASE("write buffers of column families whose options are not read count as the default one's",
          "[memory]") {
  std::vector<ColumnFamilyReading> families(3);
  families[0].name = "default";
  families[0].write_buffer_bytes = 64 << 20;
  families[0].max_write_buffer_number = 3;
  families[1].name = "65th";
  families[2].name = "66th";
  CHECK(memory_use({}, families).write_buffers == 9 * (64 << 20));
  // As it was opened, whatever was made of that since.
  KnobReading size = knob_reading(knob::kWriteBufferSize, 128 << 20, 64 << 20, 1, 1 << 30);
  KnobReading number = knob_reading(knob::kWriteBuffers, 3, 3, 2, 64);
  size.column_family = number.column_family = "default";
  families[0].write_buffer_bytes = 128 << 20;
  const MemoryUse use = memory_use({size, number}, families);
  CHECK(use.write_buffers == 3 * (128 << 20) + 6.0 * (64 << 20));
  CHECK(use.found_buffers == 9.0 * (64 << 20));
}

TEST_CASE("write buffers take no more at once than the write buffer manager lets them",
          "[memory]") {
  Features f;
  for (int i = 0; i < 100; ++i) {
    ColumnFamilyReading& family = f.column_families.emplace_back();
    family.name = std::to_string(i);
    family.write_buffer_bytes = 64 << 20;
    family.max_write_buffer_number = 2;
  }
  const double nominal = 200.0 * (64 << 20), limit = 1 << 30;
  CHECK(memory_use(f).write_buffers == nominal);
  f.write_buffer_limit_bytes = 0;  // none
  CHECK(memory_use(f).write_buffers == nominal);
  f.write_buffer_limit_bytes = limit;
  CHECK(memory_use(f).write_buffers == limit);
  CHECK(memory_use(f).found_buffers == limit);
  CHECK(memory_budget({}, memory_use(f)) == limit);
  f.write_buffer_limit_bytes = 2 * nominal;
  CHECK(memory_use(f).write_buffers == nominal);
}
