#include "agent/distribution.h"

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

void check_buckets(Shape shape, double widest) {
  for (std::size_t bucket = 0; bucket < shape.buckets(); ++bucket) {
    const auto lower = shape.lower_bound(bucket);
    const auto upper = shape.lower_bound(bucket + 1);
    REQUIRE(upper > lower);
    REQUIRE(shape.bucket_of(lower) == bucket);
    REQUIRE(shape.bucket_of(upper - 1) == bucket);
    const auto width = static_cast<double>(upper - lower);
    REQUIRE((upper - lower == 1 || width <= widest * static_cast<double>(lower)));
  }
  CHECK(shape.lower_bound(shape.buckets()) == std::uint64_t{1} << shape.octaves);
}

TEST_CASE("every bucket begins where the one before ends and is as narrow as promised") {
  check_buckets(kFine, 0.03);
  check_buckets(kCoarse, 0.125);
}

TEST_CASE("values beyond the range count in the last bucket") {
  CHECK(kFine.bucket_of(std::uint64_t{1} << 36) == kFine.buckets() - 1);
  CHECK(kFine.bucket_of(UINT64_MAX) == kFine.buckets() - 1);
  Distribution recorder(kFine);
  recorder.record(UINT64_MAX);
  REQUIRE(recorder.snapshot().buckets.size() == 1);
  CHECK(recorder.snapshot().buckets[0].count == 1);
}

TEST_CASE("an empty recorder has no buckets") {
  const Distribution recorder(kFine);
  CHECK(recorder.snapshot() == wire::Histogram{});
  CHECK(recorder.data().count == 0);
  CHECK(recorder.data().percentile99 == 0);
}

TEST_CASE("a weight counts a value several times") {
  Distribution recorder(kFine);
  recorder.record(10, 3);
  recorder.record(20);
  const auto histogram = recorder.snapshot();
  CHECK(histogram.sum_us == 50);
  REQUIRE(histogram.buckets.size() == 2);
  CHECK(histogram.buckets[0] == wire::Histogram::Bucket{10, 11, 3});
  CHECK(histogram.buckets[1] == wire::Histogram::Bucket{20, 21, 1});
}

TEST_CASE("the summary is what RocksDB's own histogram says, to within a bucket") {
  std::mt19937_64 random(11);
  std::lognormal_distribution<double> bytes(7.0, 1.5);
  Distribution recorder(kCoarse);
  const auto reference = rocksdb::CreateDBStatistics();
  std::vector<std::uint64_t> values;
  for (int i = 0; i < 20000; ++i) {
    values.push_back(static_cast<std::uint64_t>(bytes(random)));
    recorder.record(values.back());
    reference->recordInHistogram(rocksdb::BYTES_PER_READ, values.back());
  }
  std::sort(values.begin(), values.end());
  const auto data = recorder.data();
  rocksdb::HistogramData theirs;
  reference->histogramData(rocksdb::BYTES_PER_READ, &theirs);
  CHECK(data.count == theirs.count);
  CHECK(data.sum == theirs.sum);
  CHECK(data.min == theirs.min);
  CHECK(data.max == theirs.max);
  CHECK(std::abs(data.average - theirs.average) < 1e-6 * theirs.average);
  CHECK(std::abs(data.standard_deviation - theirs.standard_deviation) <
        1e-6 * theirs.standard_deviation);
  const auto exact = [&](double q) {
    return static_cast<double>(values[static_cast<std::size_t>(q * 20000) - 1]);
  };
  CHECK(std::abs(data.median / exact(0.5) - 1) < 0.125);
  CHECK(std::abs(data.percentile95 / exact(0.95) - 1) < 0.125);
  CHECK(std::abs(data.percentile99 / exact(0.99) - 1) < 0.125);
}

TEST_CASE("cleared, it begins anew") {
  Distribution recorder(kFine);
  recorder.record(10, 3);
  recorder.clear();
  CHECK(recorder.snapshot() == wire::Histogram{});
  recorder.record(7);
  CHECK(recorder.data().min == 7);
  CHECK(recorder.data().max == 7);
}

TEST_CASE("quantiles agree with the exact ones to within a bucket") {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> latency(5.0, 2.0);
  Distribution recorder(kFine);
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
  Distribution recorder(kFine);
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
