// What changes of the cache are judged by: the hits of reads, without what compactions look up in
// vain.
#include <string>

#include "model/feature_stream.h"
#include "policy/outcomes.h"
#include "tests/support/catch.h"
#include "tests/unit/policy/buffers_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

struct ReadLoad {  // per second, of 5,000 reads
  double hits = 29'678, misses = 1'562, device_reads = 1'562, compacted_bytes = 0;
};

// ...and a compaction of 200 MiB/s, in blocks of 4 KiB and with a readahead of 128 KiB.
ReadLoad beside_compaction(ReadLoad load) {
  load.misses += 51'200;
  load.device_reads += 1'600;
  load.compacted_bytes = 200.0 * kMiB;
  return load;
}

Sample sample_of_load(const Sample& before, const ReadLoad& load) {
  Sample sample = next_sample(before);
  DatabaseReading& db = *sample.database;
  const auto add = [](Counter& counter, double per_second) {
    counter = *counter + static_cast<std::uint64_t>(per_second / 2);
  };
  add(db.keys_read, 5'000);
  add(db.block_cache_hits, load.hits);
  add(db.block_cache_misses, load.misses);
  add(db.compaction_bytes_read, load.compacted_bytes);
  if (sample.device) add(sample.device->read_ios, load.device_reads);
  return sample;
}

Features features_of_load(const ReadLoad& load, bool device = true) {
  Sample before = quiet_sample();
  if (!device) before.device.reset();
  return derive(&before, sample_of_load(before, load));
}

// A growth of the cache that expects the feature to rise, beside one load and then another.
Finished judged_growth(const char* feature, double baseline, const ReadLoad& first,
                       const ReadLoad& then) {
  Decision decision;
  decision.id = "7-1";
  decision.proposal.knob = knob::kCacheCapacity;
  decision.proposal.from = 256 * kHeadroomMiB;
  decision.proposal.to = 320 * kHeadroomMiB;
  decision.proposal.rule = "cache.miss";
  decision.proposal.expected = {feature, false, baseline, 60};
  const Actuation made{"7-1", "applied", "", decision.proposal.from, decision.proposal.to};
  Outcomes outcomes;
  FeatureStream stream;
  Sample sample = quiet_sample();
  const auto next = [&](const ReadLoad& load) {
    sample = sample_of_load(sample, load);
    return stream.next(sample);
  };
  for (int i = 0; i < 20; ++i) outcomes.observe(next(first));
  outcomes.begin(decision, made, next(first));
  for (int i = 0; i < 120; ++i) {
    const auto finished = outcomes.observe(next(i < 70 ? first : then));
    if (!finished.empty()) return finished[0];
  }
  FAIL("no outcome");
  return {};
}

}  // namespace

TEST_CASE("read hits: compactions' look-ups in vain are none of reads'", "[features]") {
  const Features quiet = features_of_load({});
  CHECK(*quiet.cache_hit_ratio == Approx(0.95).epsilon(0.001));
  CHECK(*quiet.cache_read_hit_ratio == Approx(0.95).epsilon(0.001));
  const Features busy = features_of_load(beside_compaction({}));
  CHECK(*busy.cache_hit_ratio == Approx(0.36).epsilon(0.001));
  CHECK(*busy.cache_read_hit_ratio == Approx(29'678.0 / (29'678 + 3'162)));
  // Others read from the device, too: the misses are fewer.
  CHECK_FALSE(features_of_load(beside_compaction({29'678, 1'562, 90'000, 0})).cache_read_hit_ratio);
}

TEST_CASE("read hits: absent where compactions may hide them", "[features]") {
  const ReadLoad few{450, 150, 150, 0};
  CHECK(*features_of_load(few).cache_read_hit_ratio == Approx(0.75));
  CHECK_FALSE(features_of_load(beside_compaction(few)).cache_read_hit_ratio);
  SECTION("without a device all misses count") {
    CHECK(*features_of_load({}, false).cache_read_hit_ratio == Approx(0.95).epsilon(0.001));
    CHECK_FALSE(features_of_load(beside_compaction({}), false).cache_read_hit_ratio);
  }
  SECTION("what the page cache serves nobody waits for") {
    CHECK(*features_of_load({10'000, 10'000, 200, 0}).cache_read_hit_ratio ==
          Approx(10'000.0 / 10'200));
  }
}

TEST_CASE("read hits: the start of a compaction takes no growth back", "[outcomes]") {
  const ReadLoad quiet, busy = beside_compaction(quiet);
  const Finished kept = judged_growth("cache_read_hit_ratio", 0.95, quiet, busy);
  CHECK(kept.outcome.result == "unchanged");
  CHECK_FALSE(kept.worse_by_far);
  // By all look-ups it would be to blame.
  CHECK(judged_growth("cache_hit_ratio", 0.95, quiet, busy).worse_by_far);
  SECTION("what reads miss counts") {
    CHECK(judged_growth("cache_read_hit_ratio", 0.95, quiet, {8'000, 23'240, 23'240, 0})
              .worse_by_far);
  }
  SECTION("what cannot be told is unknown") {
    const ReadLoad few{450, 150, 150, 0};
    CHECK(judged_growth("cache_read_hit_ratio", 0.75, few, beside_compaction(few)).outcome.result ==
          "unknown");
  }
}

TEST_CASE("read hits: a probe of the cache is not to cost many", "[headroom][buffers]") {
  HeadroomBench bench = pressed(2);
  bench.objective.first = Priority::kStallSeconds;
  miss(bench, 20e3);
  bench.f.cache_hit_ratio = 0.36;
  bench.f.cache_read_hit_ratio = 0.9;
  const auto probe = bench.run(20, knob::kCacheCapacity);
  REQUIRE(probe);
  CHECK(probe->rule == "cache.probe");
  CHECK(probe->expected.feature == "cache_read_hit_ratio");
  CHECK_FALSE(probe->expected.lower_is_better);
  CHECK(probe->expected.baseline.value() == Approx(0.9));
}
