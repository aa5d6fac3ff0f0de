// The block cache's loop, on hand-made features.
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {
void misses(HeadroomBench& bench, double hit_ratio) {
  bench.f.cache_hit_ratio = hit_ratio;
  bench.f.cache_misses_per_second = 5000;
}
}  // namespace

TEST_CASE("cache: grows while misses cost reads, and stops at the knee", "[headroom]") {
  HeadroomBench bench;
  bench.budget.memory_max = Bytes{4096 * kHeadroomMiB};
  misses(bench, 0.60);
  auto proposal = bench.run(10, knob::kCacheCapacity);
  REQUIRE(proposal);
  CHECK(proposal->rule == "cache.miss");
  CHECK(proposal->to == 384 * kHeadroomMiB);
  CHECK(proposal->expected.feature == "cache_read_hit_ratio");
  CHECK_FALSE(proposal->expected.lower_is_better);
  CHECK(proposal->expected.baseline.value() == Approx(0.60));
  bench.f.knobs.edit()[2].value = 384 * kHeadroomMiB;
  misses(bench, 0.615);
  CHECK_FALSE(bench.run(25, knob::kCacheCapacity));
  CHECK(bench.run(10, knob::kCacheCapacity)->to == 576 * kHeadroomMiB);
  bench.f.knobs.edit()[2].value = 576 * kHeadroomMiB;
  misses(bench, 0.62);  // hardly anything gained
  CHECK_FALSE(bench.run(600, knob::kCacheCapacity));
  misses(bench, 0.5);  // another working set
  CHECK(bench.run(30, knob::kCacheCapacity));
}

TEST_CASE("cache: one that fills for an hour has no knee before that", "[headroom]") {
  HeadroomBench bench;
  bench.budget.memory_max = Bytes{200 * 1024 * kHeadroomMiB};
  bench.f.memory_available_bytes = 500e9;
  bench.f.knobs.edit()[2] = cache_knob(32 * 1024 * kHeadroomMiB, 32 * 1024 * kHeadroomMiB);
  misses(bench, 0.60);
  const auto grown = bench.run(10, knob::kCacheCapacity);
  REQUIRE(grown);
  bench.apply(*grown);
  bench.f.cache_capacity_bytes = static_cast<double>(grown->to);
  misses(bench, 0.605);  // so far
  const bool fills = GENERATE(true, false);
  for (int i = 0; i < 1200; ++i) {
    const double used = (32.0 + (fills ? 0.015 * i : 0)) * 1024 * kHeadroomMiB;  // 16 MB/s
    bench.f.cache_usage_bytes = std::min(used, *bench.f.cache_capacity_bytes);
    bench.f.cache_fill_ratio = *bench.f.cache_usage_bytes / *bench.f.cache_capacity_bytes;
    CHECK_FALSE(bench.run(1, knob::kCacheCapacity));
    if (*bench.f.cache_fill_ratio == 1) break;
  }
  if (fills) misses(bench, 0.70);
  bench.f.cache_usage_bytes = bench.f.cache_capacity_bytes;
  bench.f.cache_fill_ratio = 1;
  CHECK(bench.run(60, knob::kCacheCapacity).has_value() == fills);
}

TEST_CASE("cache: what clearly pays goes on at once", "[headroom]") {
  HeadroomBench bench;
  bench.budget.memory_max = Bytes{4096 * kHeadroomMiB};
  misses(bench, 0.60);
  REQUIRE(bench.run(10, knob::kCacheCapacity));
  bench.f.knobs.edit()[2].value = 384 * kHeadroomMiB;
  misses(bench, 0.70);
  bench.f.cache_fill_ratio = 0.9;
  CHECK_FALSE(bench.run(10, knob::kCacheCapacity));  // it has to fill
  bench.f.cache_fill_ratio = 1;
  CHECK(bench.run(2, knob::kCacheCapacity)->to == 576 * kHeadroomMiB);
  bench.f.knobs.edit()[2].value = 576 * kHeadroomMiB;
  misses(bench, 0.713);  // 4% of the misses: worth it, but no reason to hurry
  CHECK_FALSE(bench.run(25, knob::kCacheCapacity));
  CHECK(bench.run(10, knob::kCacheCapacity)->to == 864 * kHeadroomMiB);
}

TEST_CASE("cache: more misses after a growth are another load's, and no knee", "[headroom]") {
  HeadroomBench bench;
  bench.budget.memory_max = Bytes{4096 * kHeadroomMiB};
  misses(bench, 0.90);
  REQUIRE(bench.run(10, knob::kCacheCapacity));
  bench.f.knobs.edit()[2].value = 384 * kHeadroomMiB;
  misses(bench, 0.80);
  const auto proposal = bench.run(8, knob::kCacheCapacity);
  REQUIRE(proposal);
  CHECK(proposal->to == 768 * kHeadroomMiB);  // no experiment: twice the size
  // Nobody can tell by half another load's misses what that gained: the next one tells.
  bench.apply(*proposal);
  const auto next = bench.run(8, knob::kCacheCapacity);
  REQUIRE(next);
  CHECK(next->to == 1152 * kHeadroomMiB);
  bench.apply(*next);
  CHECK_FALSE(bench.run(600, knob::kCacheCapacity));
}

TEST_CASE("cache: who wants small growths has two of them for another load", "[headroom]") {
  HeadroomBench bench;
  bench.policy = *make_policy("headroom", {{"cache_growth_factor", 1.1}});
  bench.budget.memory_max = Bytes{4096 * kHeadroomMiB};
  misses(bench, 0.90);
  const auto first = bench.run(10, knob::kCacheCapacity);
  REQUIRE(first);
  bench.apply(*first);
  misses(bench, 0.80);
  const auto next = bench.run(8, knob::kCacheCapacity);
  REQUIRE(next);
  CHECK(static_cast<double>(next->to) == Approx(1.21 * static_cast<double>(first->to)));
}

TEST_CASE("cache: what compactions miss tells nothing where reads' misses are known",
          "[headroom]") {
  HeadroomBench bench;
  bench.budget.memory_max = Bytes{4096 * kHeadroomMiB};
  misses(bench, 0.90);
  bench.f.cache_read_hit_ratio = 0.92;
  REQUIRE(bench.run(10, knob::kCacheCapacity));
  bench.f.knobs.edit()[2].value = 384 * kHeadroomMiB;
  misses(bench, 0.80);
  SECTION("reads miss as before: the knee") {
    CHECK_FALSE(bench.run(120, knob::kCacheCapacity));
  }
  SECTION("reads miss less: on at once") {
    bench.f.cache_read_hit_ratio = 0.93;
    const auto next = bench.run(8, knob::kCacheCapacity);
    REQUIRE(next);
    CHECK(next->to == 576 * kHeadroomMiB);
  }
  SECTION("nobody can tell what reads miss any more: no knee where it may be another load") {
    bench.f.cache_read_hit_ratio.reset();
    CHECK_FALSE(bench.run(25, knob::kCacheCapacity));
    CHECK(bench.run(30, knob::kCacheCapacity));
  }
}

TEST_CASE("cache: a compaction that ends after a growth is no gain of it", "[headroom]") {
  HeadroomBench bench;
  bench.budget.memory_max = Bytes{4096 * kHeadroomMiB};
  misses(bench, 0.80);  // reads' are hidden
  REQUIRE(bench.run(10, knob::kCacheCapacity));
  bench.f.knobs.edit()[2].value = 384 * kHeadroomMiB;
  misses(bench, 0.90);
  bench.f.cache_read_hit_ratio = 0.92;
  CHECK_FALSE(bench.run(25, knob::kCacheCapacity));
}

TEST_CASE("cache: no knee where another load may have come within the seconds before a growth",
          "[headroom]") {
  HeadroomBench bench;
  bench.budget.memory_max = Bytes{4096 * kHeadroomMiB};
  misses(bench, 0.99);
  CHECK_FALSE(bench.run(4, knob::kCacheCapacity));
  misses(bench, 0.70);
  const auto grown = bench.run(2, knob::kCacheCapacity);
  REQUIRE(grown);
  bench.apply(*grown);
  misses(bench, 0.75);
  CHECK(bench.run(40, knob::kCacheCapacity));
}

TEST_CASE("cache: a load that changed just before a growth does not hide its gain", "[headroom]") {
  HeadroomBench bench;
  bench.budget.memory_max = Bytes{4096 * kHeadroomMiB};
  misses(bench, 0.97);
  bench.f.device_read_iops = 0;
  CHECK_FALSE(bench.run(15, knob::kCacheCapacity));
  misses(bench, 0.89);
  CHECK_FALSE(bench.run(5, knob::kCacheCapacity));
  bench.f.device_read_iops = 5000;  // some of the last ten seconds are the old load's
  REQUIRE(bench.run(3, knob::kCacheCapacity));
  bench.f.knobs.edit()[2].value = 384 * kHeadroomMiB;
  misses(bench, 0.92);
  const auto proposal = bench.run(8, knob::kCacheCapacity);
  REQUIRE(proposal);
  CHECK(proposal->to == 576 * kHeadroomMiB);
}

TEST_CASE("cache: does not grow without a reason or without room", "[headroom]") {
  HeadroomBench bench;
  bench.budget.memory_max = Bytes{4096 * kHeadroomMiB};
  misses(bench, 0.60);
  SECTION("it is not full") {
    bench.f.cache_fill_ratio = 0.5;
  }
  SECTION("misses cost nothing") {
    bench.f.device_read_iops = 0;
  }
  SECTION("most are compactions': reads wait for few") {
    bench.f.device_read_iops = 500;
  }
  SECTION("the device's reads are lost for a moment") {
    bench.f.device_read_iops = 500;
    bench.run(5, knob::kCacheCapacity);
    bench.f.device_read_iops.reset();
    CHECK_FALSE(bench.run(14, knob::kCacheCapacity));
    bench.f.device_read_iops = 500;
  }
  SECTION("compactions may be what looks up, and no device tells") {
    bench.f.device_read_iops.reset();
    bench.f.compaction_read_bytes_per_second = 100e6;
    bench.f.cache_read_hit_ratio.reset();
  }
  SECTION("there are few") {
    bench.f.cache_misses_per_second = 20;
  }
  SECTION("few reads see one") {
    bench.f.reads_per_second = 200e3;
  }
  SECTION("nobody reads: compactions miss") {
    bench.f.reads_per_second = 0;
  }
  SECTION("memory is low") {
    bench.f.memory_available_bytes = 1e9;
  }
  SECTION("memory is unknown") {
    bench.f.memory_available_bytes.reset();
  }
  SECTION("the budget is spent") {
    bench.budget.memory_max = Bytes{256 * kHeadroomMiB};
  }
  SECTION("there is no budget beyond what was found") {
    bench.budget.memory_max.reset();
  }
  CHECK_FALSE(bench.run(60, knob::kCacheCapacity));
}

TEST_CASE("cache: no growth takes what makes memory low", "[headroom]") {
  HeadroomBench bench;
  bench.budget.memory_max = Bytes{8192 * kHeadroomMiB};
  bench.f.cache_hit_ratio = 0.6;
  bench.f.cache_misses_per_second = 5000;
  bench.f.memory_available_bytes = 1.6e9 + 40.0 * kHeadroomMiB;
  const auto grown = bench.run(10, knob::kCacheCapacity);
  REQUIRE(grown);
  CHECK(grown->to - grown->from <= 40 * kHeadroomMiB);
  bench.f.shared = SharedBudget{};
  bench.f.shared->host_members = 2;
  const auto half = bench.run(2, knob::kCacheCapacity);
  REQUIRE(half);
  CHECK(half->to - half->from <= 20 * kHeadroomMiB);
  bench.f.shared->host_members = 8;
  CHECK_FALSE(bench.run(2, knob::kCacheCapacity));  // too little to learn from
}

TEST_CASE("cache: up to what was found there is no knee", "[headroom]") {
  HeadroomBench bench;
  bench.f.cache_hit_ratio = 0.4;
  bench.f.cache_misses_per_second = 5000;
  KnobReading& cache = bench.f.knobs.edit()[2];
  cache.found = 1024 * kHeadroomMiB;  // memory was short once
  cache.owner = KnobOwner::kRocktune;
  bench.objective.first = Priority::kThroughput;
  int growths = 0;
  for (; growths < 40 && bench.f.knobs.edit()[2].value < 1024 * kHeadroomMiB; ++growths) {
    const auto grown = bench.run(35, knob::kCacheCapacity);
    REQUIRE(grown);
    CHECK(grown->rule == "cache.miss");
    bench.apply(*grown);
  }
  CHECK(growths > 3);
  CHECK(bench.f.knobs.edit()[2].value == 1024 * kHeadroomMiB);
}

TEST_CASE("cache: a knee is asked anew", "[headroom]") {
  HeadroomBench bench;
  bench.budget.memory_max = Bytes{8192 * kHeadroomMiB};
  bench.f.cache_hit_ratio = 0.6;
  bench.f.cache_misses_per_second = 5000;
  const auto grown = bench.run(10, knob::kCacheCapacity);
  REQUIRE(grown);
  bench.apply(*grown);
  CHECK_FALSE(bench.run(600, knob::kCacheCapacity));  // it gained nothing
  SECTION("after an hour, and then two") {
    const auto next = bench.run(3600, knob::kCacheCapacity);
    REQUIRE(next);
    bench.apply(*next);
    CHECK_FALSE(bench.run(2 * 3600 - 10, knob::kCacheCapacity));
  }
  SECTION("when there are fewer misses: another working set") {
    bench.f.cache_hit_ratio = 0.7;
    CHECK_FALSE(bench.run(20, knob::kCacheCapacity));
    CHECK(bench.run(30, knob::kCacheCapacity));
  }
}

TEST_CASE("cache: a growth is to raise the hits of reads", "[headroom]") {
  HeadroomBench bench;
  bench.budget.memory_max = Bytes{4096 * kHeadroomMiB};
  misses(bench, 0.36);  // most are compactions'
  bench.f.cache_read_hit_ratio = 0.9;
  auto proposal = bench.run(10, knob::kCacheCapacity);
  REQUIRE(proposal);
  CHECK(proposal->expected ==
        Expectation{"cache_read_hit_ratio", false, proposal->expected.baseline, 60});
  CHECK(proposal->expected.baseline.value() == Approx(0.9));
  bench.f.cache_read_hit_ratio.reset();  // hidden by compactions for longer than means last
  proposal = bench.run(20, knob::kCacheCapacity);
  REQUIRE(proposal);
  CHECK(proposal->expected.baseline.value() == Approx(0.36));
}

TEST_CASE("cache: what falls below its knee comes back to it, and no further", "[headroom]") {
  HeadroomBench bench;
  bench.budget.memory_max = Bytes{8192 * kHeadroomMiB};
  misses(bench, 0.60);
  const auto grown = bench.run(10, knob::kCacheCapacity);
  REQUIRE(grown);
  REQUIRE(grown->to == 384 * kHeadroomMiB);
  bench.apply(*grown);
  CHECK_FALSE(bench.run(600, knob::kCacheCapacity));            // it gained nothing
  bench.knob(knob::kCacheCapacity).value = 240 * kHeadroomMiB;  // as by a probe
  misses(bench, 0.48);
  const auto step = bench.run(45, knob::kCacheCapacity);  // once the probe is judged
  REQUIRE(step);
  CHECK(step->to == 360 * kHeadroomMiB);
  SECTION("at once: what that gained says nothing of more") {
    bench.knob(knob::kCacheCapacity).value = 384 * kHeadroomMiB;
    misses(bench, 0.60);
    CHECK_FALSE(bench.run(600, knob::kCacheCapacity));
    SECTION("the knee is asked anew after its hour, and then after two") {
      const auto next = bench.run(2500, knob::kCacheCapacity);
      REQUIRE(next);
      CHECK(next->to == 576 * kHeadroomMiB);
      bench.apply(*next);
      CHECK_FALSE(bench.run(2 * 3600 - 10, knob::kCacheCapacity));
    }
  }
  SECTION("step by step, as long as that pays") {
    bench.apply(*step);
    misses(bench, 0.55);
    const auto last = bench.run(10, knob::kCacheCapacity);
    REQUIRE(last);
    CHECK(last->to == 384 * kHeadroomMiB);
    bench.apply(*last);
    misses(bench, 0.60);
    CHECK_FALSE(bench.run(600, knob::kCacheCapacity));
  }
  SECTION("back, and with more misses than then: another working set, once it has filled") {
    bench.knob(knob::kCacheCapacity).value = 384 * kHeadroomMiB;
    misses(bench, 0.45);
    bench.f.cache_fill_ratio = 0.9;
    CHECK_FALSE(bench.run(60, knob::kCacheCapacity));
    bench.f.cache_fill_ratio = 1;
    CHECK(bench.run(10, knob::kCacheCapacity));
  }
}

TEST_CASE("cache: back where it stood, a growth beyond is a step of its own", "[headroom]") {
  HeadroomBench bench;
  bench.budget.memory_max = Bytes{8192 * kHeadroomMiB};
  misses(bench, 0.60);
  REQUIRE(bench.run(10, knob::kCacheCapacity));
  bench.knob(knob::kCacheCapacity).value = 192 * kHeadroomMiB;  // a probe, and no knee
  misses(bench, 0.48);
  bench.run(10, knob::kCacheCapacity);
  bench.knob(knob::kCacheCapacity).value = 256 * kHeadroomMiB;
  misses(bench, 0.60);
  CHECK_FALSE(bench.run(28, knob::kCacheCapacity));  // it warms up
  const auto next = bench.run(10, knob::kCacheCapacity);
  REQUIRE(next);
  CHECK(next->to == 384 * kHeadroomMiB);
}

TEST_CASE("cache: a growth that fell before its verdict has it when it comes again", "[headroom]") {
  HeadroomBench bench;
  bench.budget.memory_max = Bytes{8192 * kHeadroomMiB};
  misses(bench, 0.60);
  const auto grown = bench.run(10, knob::kCacheCapacity);
  REQUIRE(grown);
  bench.apply(*grown);
  CHECK_FALSE(bench.run(10, knob::kCacheCapacity));
  bench.knob(knob::kCacheCapacity).value = grown->from;
  const auto again = bench.run(45, knob::kCacheCapacity);
  REQUIRE(again);
  CHECK(again->to == grown->to);
  bench.apply(*again);
  CHECK_FALSE(bench.run(600, knob::kCacheCapacity));  // the knee
}

TEST_CASE("cache: by what reads hit, at polls of ten seconds, too", "[headroom]") {
  HeadroomBench bench;
  bench.f.interval_seconds = 10;
  bench.budget.memory_max = Bytes{4096 * kHeadroomMiB};
  misses(bench, 0.60);
  bench.f.cache_read_hit_ratio = 0.60;
  const auto grown = bench.run(60, knob::kCacheCapacity);
  REQUIRE(grown);
  bench.apply(*grown);
  bench.f.cache_hit_ratio = 0.60;  // a compaction looks up what is not there
  bench.f.cache_read_hit_ratio = 0.70;
  CHECK(bench.run(60, knob::kCacheCapacity));
}
