// Headroom's memory where nobody reads the cache: it makes room for write buffers, and readers who
// come have it again.
#include <algorithm>

#include "tests/support/catch.h"
#include "tests/unit/policy/buffers_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("buffers: without reads the cache is worth nothing", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  miss(bench, 20e3);  // compactions' own
  SECTION("a bulk load") {
    bench.f.reads_per_second.reset();  // the first sample has no rates
    bench.f.interval_seconds = 0;
    bench.tick();
    bench.f.interval_seconds = 0.5;
    bench.f.reads_per_second = 0;
    CHECK(first_cache_rule(bench, 9) == "");
    CHECK(first_cache_rule(bench, 5) == "cache.trade");
  }
  SECTION("reads that ended a minute ago") {
    bench.run(2, knob::kCacheCapacity);
    bench.f.reads_per_second = 0;
    CHECK(first_cache_rule(bench, 55) == "");
    CHECK(first_cache_rule(bench, 10) == "cache.trade");
  }
  SECTION("reads that nobody counts") {
    bench.f.reads_per_second.reset();
    CHECK(first_cache_rule(bench, 120) == "");
  }
}

TEST_CASE("buffers: a cache that nobody reads makes room, also where reads come first",
          "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.objective.first = Priority::kReadP99;
  miss(bench, 100);
  bench.f.reads_per_second = 0;
  SECTION("while writes press") {}
  SECTION("while reads of others on the device wait for what it writes") {
    bench.f.running_compactions = 0;
    bench.f.device_queue = 1;
    bench.f.shared = SharedBudget{};
    bench.f.shared->device_members = 2;
    CHECK(first_cache_rule(bench, 30) == "");
    bench.f.shared->write_size_max_bytes = 128 << 10;
  }
  auto cache = bench.run(15, knob::kCacheCapacity);
  REQUIRE(cache);
  CHECK(cache->rule == "cache.trade");
  bench.apply(*cache);
  // Nothing is to be learnt of it first.
  const auto grown = bench.run(1, knob::kWriteBufferSize);
  REQUIRE(grown);
  CHECK(grown->rule == "buffers.writes");
  SECTION("it is not given back to nobody") {
    bench.merged_again = 1;  // no merging to be saved any more
    CHECK(first_cache_rule(bench, 120) == "");
  }
  SECTION("to four fifths of the memory") {
    bench.apply(*grown);
    double most = 0;
    for (int i = 0; i < 600; ++i) {
      trade(bench, 0.5);
      const auto size = static_cast<double>(bench.knob(knob::kWriteBufferSize).value);
      most = std::max(most, 2 * size);
    }
    const double budget = (256 + 128) * kHeadroomMiB;
    CHECK(most > 0.5 * budget);
    CHECK(most <= 0.8 * budget);
    CHECK(bench.knob(knob::kCacheCapacity).value >= 64 * kHeadroomMiB);
  }
}

TEST_CASE("buffers: who writes nothing makes no room for it", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.objective.first = Priority::kReadP99;
  miss(bench, 100);
  bench.f.reads_per_second = 0;
  bench.f.running_compactions = 0;
  bench.f.device_queue = 1;
  bench.f.shared = SharedBudget{};
  bench.f.shared->device_members = 2;
  bench.f.shared->write_size_max_bytes = 128 << 10;
  bench.flushes_per_tick = 0;
  SECTION("nor does anything else") {
    bench.f.user_write_bytes_per_second = bench.f.flush_bytes_per_second = 0;
    bench.f.compaction_write_bytes_per_second = 0;
  }
  SECTION("though it was not always so") {
    bench.flushes_per_tick = 1;
    bench.f.shared->write_size_max_bytes.reset();
    bench.run(20, knob::kWriteBufferSize);
    bench.flushes_per_tick = 0;
    bench.f.user_write_bytes_per_second = bench.f.flush_bytes_per_second = 0;
    bench.f.compaction_write_bytes_per_second = 0;
    bench.run(11, knob::kWriteBufferSize);
    bench.f.shared->write_size_max_bytes = 128 << 10;
  }
  SECTION("where write amplification comes first, which always presses") {
    bench.objective.first = Priority::kWriteAmplification;
    bench.f.shared.reset();
    bench.f.reads_per_second = 20e3;
    bench.flushes_per_tick = 1;
    bench.knob(knob::kCacheCapacity).owner = KnobOwner::kManual;
    bench.run(20, knob::kWriteBufferSize);
    bench.knob(knob::kCacheCapacity).owner = KnobOwner::kFound;
    bench.flushes_per_tick = 0;
    bench.f.reads_per_second = 0;
    bench.f.user_write_bytes_per_second = bench.f.flush_bytes_per_second = 0;
    bench.f.compaction_write_bytes_per_second = 0;
    bench.run(11, knob::kWriteBufferSize);
  }
  CHECK(first_cache_rule(bench, 120) == "");
  CHECK_FALSE(bench.run(10, knob::kWriteBufferSize));
}

TEST_CASE("buffers: a cache that is read has its memory again where reads come first",
          "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.objective.first = Priority::kReadP99;
  miss(bench, 100);
  bench.f.reads_per_second = 0;
  trade(bench, 30);
  REQUIRE(bench.knob(knob::kWriteBufferSize).value > 64 * kHeadroomMiB);
  REQUIRE(bench.knob(knob::kCacheCapacity).value < 256 * kHeadroomMiB);
  SECTION("reads that begin") {
    bench.f.reads_per_second = 20e3;
    miss(bench, 5000);  // fewer than would outweigh what is merged
    CHECK(trade(bench, 9).empty());
    trade(bench, 60);
    CHECK(bench.knob(knob::kWriteBufferSize).value == 64 * kHeadroomMiB);
    CHECK(bench.knob(knob::kCacheCapacity).value == 256 * kHeadroomMiB);
    CHECK(trade(bench, 300).empty());
  }
  SECTION("also of an engine that began anew") {
    bench.policy = *make_policy("headroom", {});
    trade(bench, 12);  // nobody reads yet
    bench.f.reads_per_second = 20e3;
    miss(bench, 5000);
    for (const Proposal& one : traded(bench, 70)) {
      // Nobody remembers what took of it.
      if (one.rule != "cache.returned" && one.rule != "buffers.idle") continue;
      CHECK(one.reason ==
            "the cache stands below what was found since before rocktuned, or its configuration, "
            "began anew, and somebody reads");
    }
    CHECK(bench.knob(knob::kCacheCapacity).value == 256 * kHeadroomMiB);
    CHECK(bench.knob(knob::kWriteBufferSize).value == 64 * kHeadroomMiB);
  }
  SECTION("though buffers grew on in the first seconds of the reads") {
    bench.f.reads_per_second = 20e3;
    bench.budget.memory_max = Bytes{2048 * kHeadroomMiB};
    const auto growths = trade(bench, 9);
    CHECK_FALSE(growths.empty());
    CHECK(std::count(growths.begin(), growths.end(), "buffers.writes") ==
          static_cast<std::ptrdiff_t>(growths.size()));
    const auto rules = trade(bench, 5);
    REQUIRE_FALSE(rules.empty());
    CHECK(rules.front() == "cache.returned");
    CHECK(bench.knob(knob::kCacheCapacity).value == 256 * kHeadroomMiB);
  }
  SECTION("reads that come now and then") {
    miss(bench, 5000);
    for (int i = 0; i < 12; ++i) {
      bench.f.reads_per_second = i % 2 == 0 ? 200 : 0;
      trade(bench, 5);
    }
    trade(bench, 20);
    CHECK(bench.knob(knob::kCacheCapacity).value == 256 * kHeadroomMiB);
  }
  SECTION("once memory is not low any more") {
    bench.f.reads_per_second = 20e3;
    miss(bench, 5000);
    bench.f.memory_available_bytes = 1e9;  // of 16
    trade(bench, 60);
    CHECK(bench.knob(knob::kWriteBufferSize).value == 64 * kHeadroomMiB);
    CHECK(bench.knob(knob::kCacheCapacity).value < 256 * kHeadroomMiB);
    bench.f.memory_available_bytes = 8e9;
    trade(bench, 100);
    CHECK(bench.knob(knob::kCacheCapacity).value < 256 * kHeadroomMiB);  // of two minutes the least
    trade(bench, 30);
    CHECK(bench.knob(knob::kCacheCapacity).value == 256 * kHeadroomMiB);
  }
  SECTION("once the host has it to spare") {
    bench.f.reads_per_second = 20e3;
    miss(bench, 5000);
    bench.f.memory_available_bytes = 1.6e9 + 5e6;  // of 16e9
    trade(bench, 60);
    CHECK(bench.knob(knob::kWriteBufferSize).value == 64 * kHeadroomMiB);
    CHECK(bench.knob(knob::kCacheCapacity).value < 256 * kHeadroomMiB);
    bench.f.memory_available_bytes = 8e9;
    trade(bench, 130);
    CHECK(bench.knob(knob::kCacheCapacity).value == 256 * kHeadroomMiB);
  }
  SECTION("no faster than it fills what it has back") {
    bench.f.reads_per_second = 20e3;
    miss(bench, 5000);
    const std::int64_t size = bench.knob(knob::kCacheCapacity).value;
    bench.f.cache_usage_bytes = static_cast<double>(size);
    bench.f.memory_available_bytes = 1.6e9 + 20.0 * kHeadroomMiB;
    trade(bench, 60);
    CHECK(bench.knob(knob::kCacheCapacity).value <= size + 20 * kHeadroomMiB);
  }
  SECTION("not where something else comes first") {
    bench.objective.first = Priority::kThroughput;
    bench.f.reads_per_second = 20e3;
    trade(bench, 60);
    CHECK(bench.knob(knob::kCacheCapacity).value < 256 * kHeadroomMiB);
  }
  SECTION("not for one sample that tells of reads") {
    SECTION("a health check") {
      bench.f.reads_per_second = 20;
    }
    SECTION("missing statistics") {
      bench.f.reads_per_second.reset();
    }
    trade(bench, 0.5);
    bench.f.reads_per_second = 0;
    for (const std::string& rule : trade(bench, 60)) {
      CHECK(rule != "cache.returned");
      CHECK(rule != "buffers.idle");
    }
  }
  SECTION("not from writers who near a limit") {
    bench.f.reads_per_second = 20e3;
    miss(bench, 5000);
    bench.backlog(18);
    CHECK(trade(bench, 60).empty());
    bench.backlog(2);
    trade(bench, 60);
    CHECK(bench.knob(knob::kCacheCapacity).value == 256 * kHeadroomMiB);
  }
  SECTION("not from writers who have just stalled") {
    bench.f.reads_per_second = 20e3;
    miss(bench, 5000);
    bench.f.stalled_ratio = 0.5;
    bench.tick();
    bench.f.stalled_ratio = 0;
    CHECK(trade(bench, 55).empty());
    trade(bench, 30);
    CHECK(bench.knob(knob::kCacheCapacity).value == 256 * kHeadroomMiB);
  }
  SECTION("not to a cache that cannot take it") {
    const std::int64_t grown = bench.knob(knob::kWriteBufferSize).value;
    bench.knob(knob::kCacheCapacity).changeable = false;
    bench.f.reads_per_second = 20e3;
    miss(bench, 5000);
    trade(bench, 60);
    CHECK(bench.knob(knob::kWriteBufferSize).value == grown);
    bench.budget.memory_max = Bytes{4096 * kHeadroomMiB};
    trade(bench, 30);  // nor does anybody wait for it
    CHECK(bench.knob(knob::kWriteBufferSize).value > grown);
  }
  SECTION("once it may be turned again, where everything was frozen") {
    auto freeze = [&bench](bool frozen) {
      for (KnobReading& knob : bench.f.knobs.edit()) knob.changeable = !frozen;
    };
    freeze(true);
    bench.f.reads_per_second = 20e3;
    miss(bench, 5000);
    CHECK(trade(bench, 200).empty());
    freeze(false);
    trade(bench, 60);
    CHECK(bench.knob(knob::kCacheCapacity).value == 256 * kHeadroomMiB);
  }
  SECTION("not from an operator") {
    bench.knob(knob::kCacheCapacity).owner = KnobOwner::kManual;
    bench.f.reads_per_second = 20e3;
    CHECK(trade(bench, 60).empty());
  }
}
