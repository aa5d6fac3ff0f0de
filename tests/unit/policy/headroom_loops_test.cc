// The loops of headroom beside limiter, jobs and cache, each on hand-made features.
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("subcompactions: when level 0 waits and CPUs are free", "[headroom][subcompactions]") {
  HeadroomBench bench;
  bench.f.knobs.edit().push_back(knob_reading(knob::kSubcompactions, 1, 1, 1, 64));
  bench.backlog(18);
  bench.f.running_compactions = 1;
  bench.f.knobs.edit()[1] = jobs_knob(4);  // enough
  SECTION("more jobs are what helps first, for a while") {
    bench.f.knobs.edit()[1] = jobs_knob(2);
    CHECK_FALSE(bench.run(20, knob::kSubcompactions));
    CHECK(bench.run(3, knob::kSubcompactions));
  }
  SECTION("a loaded device does not get faster by more threads") {
    bench.backlog(2);
    bench.run(10, knob::kSubcompactions);
    bench.backlog(18);
    bench.f.stalled_ratio = 0.3;
    bench.f.device_read_await_ms = 3;
    CHECK_FALSE(bench.run(60, knob::kSubcompactions));
  }
  SECTION("they are") {
    const auto proposal = bench.run(5, knob::kSubcompactions);
    REQUIRE(proposal);
    CHECK(proposal->rule == "subcompactions.l0");
    CHECK(proposal->to == 2);
    bench.apply(*proposal);
    CHECK(bench.run(5, knob::kSubcompactions)->to == 4);
    bench.knob(knob::kSubcompactions).value = 4;  // as many as there are CPUs
    CHECK_FALSE(bench.run(20, knob::kSubcompactions));
    bench.backlog(2);
    CHECK_FALSE(bench.run(299, knob::kSubcompactions));
    CHECK(bench.run(5, knob::kSubcompactions)->rule == "subcompactions.idle");
  }
  SECTION("not again before a compaction has begun with them") {
    bench.family(64 * kHeadroomMiB, 2);
    auto& family = bench.f.column_families[0];
    const auto raised = bench.run(5, knob::kSubcompactions);
    REQUIRE(raised);
    bench.apply(*raised);
    for (int i = 0; i < 60; ++i) {  // a minute of one that runs already
      family.l0_compaction_age_ms = 5000 + static_cast<std::uint64_t>(i) * 1000;
      CHECK_FALSE(bench.run(1, knob::kSubcompactions));
    }
    family.l0_compaction_age_ms = 0;  // level 0 waits for a deeper one
    CHECK_FALSE(bench.run(30, knob::kSubcompactions));
    family.l0_compaction_age_ms = 500;
    CHECK(bench.run(3, knob::kSubcompactions)->to == 4);
  }
  SECTION("they are not") {
    bench.f.cpu_busy_ratio = 0.8;
    CHECK_FALSE(bench.run(60, knob::kSubcompactions));
  }
  SECTION("the limiter is what level 0 waits for") {
    bench.set_limit(40 * kHeadroomMiB, 39.0 * kHeadroomMiB);
    CHECK_FALSE(bench.run(60, knob::kSubcompactions));
  }
}

TEST_CASE("filters: where reads look in vain and the option can be changed", "[headroom][filter]") {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 0);
  KnobReading bits = knob_reading(knob::kBloomBits, 2, 2, 2, 32);
  bits.column_family = "default";
  bench.f.knobs.edit().push_back(bits);
  bench.f.reads_per_second = 5000;
  bench.f.cache_misses_per_second = 4000;
  bench.f.writes_per_second = 20e3;  // of 500 bytes: 24 million keys in 5.6 GiB of files
  SECTION("they do") {
    const auto proposal = bench.run(20, knob::kBloomBits);
    REQUIRE(proposal);
    CHECK(proposal->rule == "filter.reads");
    CHECK(proposal->to == 10);
    bench.apply(*proposal);
    CHECK_FALSE(bench.run(20, knob::kBloomBits));
  }
  SECTION("old RocksDB") {
    bench.knob(knob::kBloomBits).changeable = false;
    CHECK_FALSE(bench.run(60, knob::kBloomBits));
  }
  SECTION("they hardly miss") {
    bench.f.cache_misses_per_second = 500;
    CHECK_FALSE(bench.run(60, knob::kBloomBits));
  }
  SECTION("seeks are among them, and few") {
    bench.f.seeks_per_second = 400;
    CHECK(bench.run(20, knob::kBloomBits));
  }
  SECTION("it is iterators that miss") {
    bench.f.reads_per_second = 100;
    bench.f.seeks_per_second = 2000;
    CHECK_FALSE(bench.run(60, knob::kBloomBits));
  }
  SECTION("or may be") {
    bench.f.seeks_per_second = 1000;
    CHECK_FALSE(bench.run(60, knob::kBloomBits));
  }
  SECTION("each of them hardly misses, with the few seeks") {
    bench.f.cache_misses_per_second = 1050;  // 0.21 of the reads alone
    bench.f.seeks_per_second = 480;
    CHECK_FALSE(bench.run(60, knob::kBloomBits));
  }
  SECTION("compactions do, reads hardly") {
    bench.f.device_read_iops = 500;
    CHECK_FALSE(bench.run(60, knob::kBloomBits));
  }
  SECTION("compactions may, and no device tells") {
    bench.f.device_read_iops.reset();
    bench.f.cache_hit_ratio = 0.5;
    bench.f.cache_read_hit_ratio.reset();
    bench.f.compaction_read_bytes_per_second = 50e6;
    CHECK_FALSE(bench.run(60, knob::kBloomBits));
  }
  SECTION("one sorted run") {
    bench.f.column_families[0].levels = {{0, 0}, {8, 512u << 20}};
    CHECK_FALSE(bench.run(60, knob::kBloomBits));
  }
}

TEST_CASE("filters: where there is memory for them", "[headroom][filter]") {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 0);
  KnobReading bits = knob_reading(knob::kBloomBits, 0, 0, 2, 32);
  bits.column_family = "default";
  bench.f.knobs.edit().push_back(bits);
  bench.f.reads_per_second = 5000;
  bench.f.cache_misses_per_second = 4000;
  bench.f.writes_per_second = 100e3;  // of 100 bytes
  std::uint64_t& deepest = bench.f.column_families[0].levels[2].bytes;
  deepest = std::uint64_t{50} << 30;  // a thousand million keys: 1.3 GB of filters
  SECTION("there is") {
    CHECK(bench.run(20, knob::kBloomBits));
  }
  SECTION("memory is low") {
    bench.f.memory_available_bytes = 1.5e9;
    CHECK_FALSE(bench.run(60, knob::kBloomBits));
  }
  SECTION("not so much of it") {
    bench.f.memory_available_bytes = 4e9;  // of which 2.4 are to spare
    CHECK_FALSE(bench.run(60, knob::kBloomBits));
    deepest /= 2;
    CHECK(bench.run(2, knob::kBloomBits));
  }
  SECTION("nobody knows") {
    bench.f.memory_available_bytes.reset();
    CHECK_FALSE(bench.run(60, knob::kBloomBits));
  }
  SECTION("nobody knows, and files are too small to count") {
    bench.f.memory_available_bytes.reset();
    for (LevelReading& level : bench.f.column_families[0].levels) level.bytes = 0;
    bench.file_of_buffer = 0;
    CHECK_FALSE(bench.run(60, knob::kBloomBits));
  }
  SECTION("entries are large in the mean, and may be small in one column family") {
    bench.f.writes_per_second = 2e3;  // of 5,000 bytes
    bench.flushes_per_tick = 1;
    const bool mixed = GENERATE(false, true);
    deepest *= 4;  // 0.11 GB of filters, and 2.7 at 200 bytes an entry; 0.2 are there
    bench.f.memory_available_bytes = 2e9;
    if (mixed) {
      ColumnFamilyReading other = bench.f.column_families[0];
      other.name = "other";
      bench.f.column_families.push_back(other);
    }
    CHECK(bench.run(60, knob::kBloomBits).has_value() == !mixed);
  }
  SECTION("nobody knows how large an entry is, and no file would get any") {
    bench.f.writes_per_second = 0;
    CHECK_FALSE(bench.run(60, knob::kBloomBits));
  }
  SECTION("the budget") {
    bench.budget.memory_max = Bytes{2048 * kHeadroomMiB};  // of which 384 MiB are taken
    CHECK(bench.run(20, knob::kBloomBits));
    bench.budget.memory_max = Bytes{1024 * kHeadroomMiB};
    CHECK_FALSE(bench.run(60, knob::kBloomBits));
    deepest /= 3;
    CHECK(bench.run(2, knob::kBloomBits));
  }
  SECTION("others will have it") {
    ColumnFamilyReading other = bench.f.column_families[0];
    other.name = "other";
    other.levels[2].bytes *= 2;
    bench.f.column_families.push_back(other);
    bits = knob_reading(knob::kBloomBits, 10, 0, 2, 32);
    bits.owner = KnobOwner::kRocktune;
    bits.column_family = "other";
    bench.f.knobs.edit().push_back(bits);
    CHECK_FALSE(bench.run(60, knob::kBloomBits));
  }
}

TEST_CASE("filters: values in blob files have none", "[headroom][filter]") {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 2);
  KnobReading bits = knob_reading(knob::kBloomBits, 0, 0, 2, 32);
  bits.column_family = "default";
  bench.f.knobs.edit().push_back(bits);
  bench.f.reads_per_second = 5000;
  bench.f.cache_misses_per_second = 4000;
  bench.f.memory_available_bytes = 2e9;  // of which 0.2 are for filters
  bench.f.writes_per_second = 2e3;       // of 5,000 bytes, and 50 of them in tables
  bench.f.column_families[0].levels[2].bytes = std::uint64_t{10} << 30;
  SECTION("tables have no more than keys and handles: 430 million, for 0.5 GB") {
    bench.file_of_buffer = 0.01;
    bench.blobs_of_buffer = 0.99;
    CHECK_FALSE(bench.run(60, knob::kBloomBits));
  }
  SECTION("tables have all of it, compressed") {
    bench.file_of_buffer = 0.4;
    CHECK(bench.run(60, knob::kBloomBits));
  }
  SECTION("nobody has seen what tables have of it") {
    bench.flushes_per_tick = 0;
    bench.f.column_families[0].levels[2].bytes *= 3;  // 0.4 GB, at 200 bytes an entry
    CHECK_FALSE(bench.run(60, knob::kBloomBits));
    bench.f.writes_per_second = 100e3;  // of 100 bytes
    bench.f.column_families[0].levels[2].bytes = std::uint64_t{5} << 30;
    CHECK(bench.run(120, knob::kBloomBits));
  }
}

TEST_CASE("limiter: lowerings that gain reads nothing are taken back", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(200 * kHeadroomMiB, 60.0 * kHeadroomMiB);
  bench.f.read_p99_us = 9000;
  bench.f.running_compactions = 1;
  bench.f.device_queue = 30;
  const bool helps = GENERATE(false, true);
  int lowered = 0;
  std::optional<Proposal> back;
  for (int i = 0; i < 400 && !back; ++i) {
    for (const Proposal& proposal : bench.tick()) {
      if (proposal.knob != knob::kRateLimit) continue;
      if (proposal.rule == "limiter.futile") {
        back = proposal;
        continue;
      }
      CHECK(proposal.rule == "limiter.reads");
      ++lowered;
      bench.set_limit(proposal.to, 60.0 * kHeadroomMiB);
      bench.f.knobs.edit()[0].owner = KnobOwner::kRocktune;
      if (helps) *bench.f.read_p99_us *= 0.97;
    }
  }
  CHECK(back.has_value() != helps);
  if (helps) return;
  CHECK(lowered == 4);  // the first takes nothing away that passed
  CHECK(back->to == 200 * kHeadroomMiB);
  bench.set_limit(back->to, 60.0 * kHeadroomMiB);
  CHECK_FALSE(bench.run(59, knob::kRateLimit));
}

TEST_CASE("limiter: a forecast that nothing else bears out moves it a little", "[headroom]") {
  HeadroomBench bench;
  bench.set_limit(40 * kHeadroomMiB, 39.0 * kHeadroomMiB);
  bench.backlog(4);
  bench.indicators[0].state = AlertState::kWarning;
  const auto proposal = bench.run(2, knob::kRateLimit);
  REQUIRE(proposal);
  CHECK(proposal->to == 50 * kHeadroomMiB);
  bench.indicators[0].calibrated = true;
  CHECK(bench.run(2, knob::kRateLimit)->to == 80 * kHeadroomMiB);
}

TEST_CASE("cache: it hurries while reads are slow", "[headroom]") {
  HeadroomBench bench;
  bench.budget.memory_max = Bytes{4096 * kHeadroomMiB};
  bench.f.cache_hit_ratio = 0.6;
  bench.f.cache_misses_per_second = 5000;
  bench.f.read_p99_us = 9000;
  const auto proposal = bench.run(10, knob::kCacheCapacity);
  REQUIRE(proposal);
  CHECK(proposal->to == 384 * kHeadroomMiB);
  bench.apply(*proposal);
  CHECK(bench.run(10, knob::kCacheCapacity)->to == 576 * kHeadroomMiB);
}
