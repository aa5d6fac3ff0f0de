// The buffers loop of headroom: what a probe of the cache tells, and what comes of it.
#include "tests/support/catch.h"
#include "tests/unit/policy/buffers_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("buffers: a probe tells what the cache is worth", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);  // 128 MiB/s flushed; no free memory: what was found is all
  bench.objective.first = Priority::kStallSeconds;  // no growth before the verdict
  miss(bench, 20e3);
  const auto probe = bench.run(20, knob::kCacheCapacity);
  REQUIRE(probe);
  CHECK(probe->rule == "cache.probe");
  CHECK(probe->to == 192 * kHeadroomMiB);
  bench.apply(*probe);
  SECTION("the cache does not take back what was made free while nothing presses for a moment") {
    const auto grown = bench.run(12, knob::kWriteBufferSize);
    REQUIRE(grown);
    bench.apply(*grown);  // which leaves some
    bench.knob(knob::kWriteBufferSize).value -= 16 * kHeadroomMiB;
    bench.f.device_queue = 1;
    CHECK_FALSE(bench.run(10, knob::kCacheCapacity));
    const auto later = bench.run(10, knob::kCacheCapacity);
    REQUIRE(later);
    CHECK(later->rule == "cache.miss");
  }
  SECTION("more than it would save, and a column family comes meanwhile: it goes back") {
    miss(bench, 80e3);
    bench.run(5, knob::kCacheCapacity);
    ColumnFamilyReading other = bench.f.column_families.front();
    other.name = "other";
    bench.f.column_families.push_back(other);
    for (const KnobReading& knob : KnobReadings(bench.f.knobs)) {
      if (knob.column_family.empty()) continue;
      bench.f.knobs.edit().push_back(knob);
      bench.f.knobs.edit().back().column_family = "other";
    }
    CHECK(first_cache_rule(bench, 100) == "cache.returned");
  }
  SECTION("hardly anything") {
    CHECK_FALSE(bench.run(9, knob::kWriteBufferSize));
    const auto grown = bench.run(4, knob::kWriteBufferSize);
    REQUIRE(grown);
    CHECK(grown->rule == "buffers.writes");
    CHECK(grown->to == 96 * kHeadroomMiB);
    bench.apply(*grown);
    CHECK_FALSE(bench.run(60, knob::kWriteBufferSize));  // half of the budget
    CHECK_FALSE(bench.run(60, knob::kCacheCapacity));
  }
  SECTION("more than it would save as buffers: it goes back") {
    miss(bench, 80e3);
    std::optional<Proposal> back, first;
    for (int i = 0; i < 100; ++i) {
      for (const Proposal& proposal : bench.tick()) {
        CHECK(proposal.knob != knob::kWriteBufferSize);
        if (proposal.knob == knob::kCacheCapacity) back = proposal;
        if (back && !first) first = back;
      }
    }
    REQUIRE(first);
    CHECK(first->rule == "cache.returned");
    CHECK(first->to == 256 * kHeadroomMiB);
    CHECK(back->rule == "cache.returned");  // not taken so far: the guard may hold it
    SECTION("taken, it is over") {
      bench.apply(*back);
      CHECK_FALSE(bench.run(60, knob::kCacheCapacity));
    }
    SECTION("taken in part, the rest is offered") {
      bench.knob(knob::kCacheCapacity).value = 224 * kHeadroomMiB;
      const auto rest = bench.run(1, knob::kCacheCapacity);
      REQUIRE(rest);
      CHECK(rest->rule == "cache.returned");
      CHECK(rest->to == 256 * kHeadroomMiB);
    }
    SECTION("others need the memory: it is moot") {
      bench.knob(knob::kCacheCapacity).value = 150 * kHeadroomMiB;
      for (const Proposal& proposal : bench.tick()) CHECK(proposal.rule != "cache.returned");
    }
    SECTION("not for ever") {
      bench.run(40, knob::kCacheCapacity);
      const auto last = bench.run(10, knob::kCacheCapacity);
      REQUIRE(last);
      CHECK(last->rule == "cache.miss");
    }
  }
}

TEST_CASE("buffers: a probe's memory does not lie idle where bytes count", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.objective.first = Priority::kThroughput;
  auto grown_after_probe = [&bench](double misses) {
    miss(bench, misses);
    const auto probe = bench.run(20, knob::kCacheCapacity);
    REQUIRE(probe);
    CHECK(probe->rule == "cache.probe");
    bench.apply(*probe);
    return bench.run(2, knob::kWriteBufferSize);
  };
  SECTION("more than it is usually worth, but not twice") {
    CHECK_FALSE(grown_after_probe(120e3));
    CHECK(bench.run(15, knob::kWriteBufferSize)->rule == "buffers.writes");  // after the verdict
  }
  SECTION("they save twice what it is usually worth") {
    const auto grown = grown_after_probe(20e3);
    REQUIRE(grown);
    CHECK(grown->rule == "buffers.writes");
    CHECK(grown->to == 96 * kHeadroomMiB);
    bench.apply(*grown);
    SECTION("and the verdict is for them") {
      CHECK_FALSE(bench.run(60, knob::kWriteBufferSize));
      CHECK_FALSE(bench.run(60, knob::kCacheCapacity));
    }
    SECTION("the verdict is for the cache: what grew stays, and nothing more is taken") {
      miss(bench, 500e3);
      CHECK_FALSE(bench.run(60, knob::kWriteBufferSize));
      CHECK_FALSE(bench.run(60, knob::kCacheCapacity));
    }
  }
}

TEST_CASE("buffers: a probe counts by how far it stands out of the noise", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.objective.first = Priority::kStallSeconds;  // no growth before the verdict
  // Misses move by `noise` either way with every compaction, and are a third more with a quarter
  // less cache, which is more than buffers save.
  auto rule_after_probe = [&bench](double noise) {
    std::string rule;
    bool probed = false;
    for (int i = 0; i < 80 && rule.empty(); ++i) {
      const double middle = probed ? 53e3 : 40e3;
      miss(bench, middle * (1 + ((i / 4) % 2 == 0 ? noise : -noise)));
      for (const Proposal& proposal : bench.tick()) {
        if (proposal.rule == "cache.probe") {
          bench.apply(proposal);
          probed = true;
        } else if (probed) {
          rule = proposal.rule;
        }
      }
    }
    return rule;
  };
  SECTION("a quiet one is believed") {
    CHECK(rule_after_probe(0.01) == "cache.returned");
  }
  SECTION("a noisy one says little against what is usual") {
    CHECK(rule_after_probe(0.3) == "buffers.writes");
  }
}

TEST_CASE("buffers: no probe while misses drift", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  for (int i = 0; i < 40; ++i) {  // a cache that takes up another load
    miss(bench, 20e3 * std::pow(1.05, i - 40));
    for (const Proposal& proposal : bench.tick()) CHECK(proposal.rule != "cache.probe");
  }
  const auto probe = bench.run(15, knob::kCacheCapacity);
  REQUIRE(probe);
  CHECK(probe->rule == "cache.probe");
}

TEST_CASE("buffers: no probe for what was missed before readers paused", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.objective.first = Priority::kStallSeconds;  // no growth before the verdict
  bench.f.device_queue = 1;                         // nothing presses yet
  miss(bench, 20e3);
  bench.run(20, knob::kCacheCapacity);
  const double pause = GENERATE(2.0, 8.0);
  CAPTURE(pause);
  const double reads = *bench.f.reads_per_second;
  bench.f.reads_per_second = 0;
  miss(bench, 0);
  bench.run(pause, knob::kCacheCapacity);
  bench.f.reads_per_second = reads;
  miss(bench, 20e3);
  bench.f.device_queue = 30;
  const bool remembered = pause < 5;
  CHECK(bench.run(8, knob::kCacheCapacity).has_value() == remembered);
  const auto probe = bench.run(4, knob::kCacheCapacity);
  REQUIRE(probe);
  CHECK(probe->rule == "cache.probe");
}

TEST_CASE("buffers: a probe looks at the misses that a read has", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  miss(bench, 20e3);
  const auto probe = bench.run(20, knob::kCacheCapacity);
  REQUIRE(probe);
  bench.apply(*probe);
  bench.f.reads_per_second = 40e3;  // twice as many reads, and misses
  miss(bench, 40e3);
  const auto grown = bench.run(13, knob::kWriteBufferSize);
  REQUIRE(grown);
  CHECK(grown->rule == "buffers.writes");
}

TEST_CASE("buffers: a probe that was never made is no reason to rest", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  miss(bench, 20e3);
  REQUIRE(bench.run(20, knob::kCacheCapacity));  // held by the guard
  bench.f.device_queue = 1;
  bench.run(30, knob::kCacheCapacity);
  bench.f.device_queue = 30;
  CHECK(first_cache_rule(bench, 20) == "cache.probe");
}

TEST_CASE("buffers: a probe tells where samples are slow, too", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.f.interval_seconds = 12;
  bench.flushes_per_tick = 24;
  miss(bench, 20e3);
  const auto probe = bench.run(60, knob::kCacheCapacity);
  REQUIRE(probe);
  CHECK(probe->rule == "cache.probe");
  bench.apply(*probe);
  const auto grown = bench.run(48, knob::kWriteBufferSize);
  REQUIRE(grown);
  CHECK(grown->rule == "buffers.writes");
}

TEST_CASE("buffers: a probe that could not tell gives the memory back", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.objective.first = Priority::kStallSeconds;  // no growth before the verdict
  miss(bench, 20e3);
  const auto probe = bench.run(20, knob::kCacheCapacity);
  REQUIRE(probe);
  bench.apply(*probe);
  bench.f.reads_per_second = 0;  // nothing is looked up for a while
  CHECK_FALSE(bench.run(19, knob::kCacheCapacity));
  const auto back = bench.run(2, knob::kCacheCapacity);
  REQUIRE(back);
  CHECK(back->rule == "cache.returned");
  CHECK(back->to == probe->from);
}

TEST_CASE("buffers: a cache that is read and not full is not probed where reads come first",
          "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.objective.first = Priority::kReadP99;
  miss(bench, 20e3);
  bench.f.cache_fill_ratio = 0.85;
  CHECK(first_cache_rule(bench, 120) == "");
}

TEST_CASE("buffers: where reads come first the cache is probed for reads that wait for merges",
          "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.objective.first = Priority::kReadP99;
  bench.f.device_queue = 1;
  miss(bench, 20e3);
  CHECK(first_cache_rule(bench, 20) == "");  // an idle device, as it is known from now
  bench.f.device_read_await_ms = 4;
  const double slow_us = bench.objective.read_p99_seconds * 1e6 * 2;
  SECTION("they do") {
    std::string rule;
    for (int i = 0; i < 20 && rule.empty(); ++i) {  // in bursts
      bench.f.read_p99_us = slow_us;
      rule = first_cache_rule(bench, 1);
      if (i == 3) CHECK(rule.empty());  // once or twice, for all that is known
      bench.f.read_p99_us = 500;
      if (rule.empty()) rule = first_cache_rule(bench, 2);
    }
    CHECK(rule == "cache.probe");
  }
  SECTION("they keep their objective") {
    CHECK(first_cache_rule(bench, 60) == "");
  }
  SECTION("the device is idle") {
    bench.f.device_read_await_ms = 0.2;
    bench.f.read_p99_us = slow_us;
    CHECK(first_cache_rule(bench, 60) == "");
  }
}
