#include "agent/latency_recorder.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <thread>
#include <vector>

#include "tests/support/catch.h"

namespace rocktune::agent {
namespace {

// The bucket that holds the value of rank ceil(q * n).
wire::Histogram::Bucket bucket_at(const wire::Histogram& histogram, double q) {
  std::uint64_t total = 0;
  for (const auto& bucket : histogram.buckets) total += bucket.count;
  auto rank = static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(total)));
  for (const auto& bucket : histogram.buckets) {
    if (bucket.count >= rank) return bucket;
    rank -= bucket.count;
  }
  return {};
}

TEST_CASE("every bucket begins where the one before ends and is at most 3% wide") {
  for (std::size_t bucket = 0; bucket + 1 < LatencyRecorder::kBuckets; ++bucket) {
    const auto lower = LatencyRecorder::lower_bound(bucket);
    const auto upper = LatencyRecorder::lower_bound(bucket + 1);
    REQUIRE(upper > lower);
    REQUIRE(LatencyRecorder::bucket_of(lower) == bucket);
    REQUIRE(LatencyRecorder::bucket_of(upper - 1) == bucket);
    const auto width = static_cast<double>(upper - lower);
    REQUIRE((upper - lower == 1 || width <= 0.03 * static_cast<double>(lower)));
  }
}

TEST_CASE("values beyond the range count in the last bucket") {
  CHECK(LatencyRecorder::bucket_of(std::uint64_t{1} << 36) == LatencyRecorder::kBuckets - 1);
  CHECK(LatencyRecorder::bucket_of(UINT64_MAX) == LatencyRecorder::kBuckets - 1);
  LatencyRecorder recorder;
  recorder.record(UINT64_MAX);
  REQUIRE(recorder.snapshot().buckets.size() == 1);
  CHECK(recorder.snapshot().buckets[0].count == 1);
}

TEST_CASE("an empty recorder has no buckets") {
  const LatencyRecorder recorder;
  CHECK(recorder.snapshot() == wire::Histogram{});
}

TEST_CASE("quantiles agree with the exact ones to within a bucket") {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> latency(5.0, 2.0);
  LatencyRecorder recorder;
  std::vector<std::uint64_t> values;
  std::uint64_t sum = 0;
  for (int i = 0; i < 50000; ++i) {
    values.push_back(static_cast<std::uint64_t>(latency(random)));
    sum += values.back();
    recorder.record(values.back());
  }
  std::sort(values.begin(), values.end());
  const auto histogram = recorder.snapshot();
  CHECK(histogram.sum_us == sum);
  for (const double q : {0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto rank = static_cast<std::size_t>(std::ceil(q * 50000)) - 1;
    const auto bucket = bucket_at(histogram, q);
    INFO("q " << q << " exact " << values[rank]);
    CHECK(bucket.lower_us <= values[rank]);
    CHECK(values[rank] < bucket.upper_us);
  }
}

TEST_CASE("nothing is lost when many threads record") {
  LatencyRecorder recorder(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&recorder] {
      for (std::uint64_t i = 0; i < 20000; ++i) recorder.record(i % 1000);
    });
  }
  for (auto& thread : threads) thread.join();
  std::uint64_t count = 0;
  for (const auto& bucket : recorder.snapshot().buckets) count += bucket.count;
  CHECK(count == 80000);
  CHECK(recorder.snapshot().sum_us == 80000 / 1000 * 499500ULL);
}

}  // namespace
}  // namespace rocktune::agent
