#include "bench/measure/histogram.h"

#include "tests/support/catch.h"

using rocktune::Nanoseconds;
using rocktune::bench::Histogram;
using rocktune::bench::LatencyBuckets;
using rocktune::bench::LiveHistogram;
using std::chrono::microseconds;
using std::chrono::milliseconds;

TEST_CASE("buckets join without gaps and stay narrow", "[bench][histogram]") {
  for (std::size_t i = 0; i + 1 < LatencyBuckets::kCount; ++i) {
    const auto lower = LatencyBuckets::lower(i);
    const auto upper = LatencyBuckets::lower(i + 1);
    REQUIRE(lower < upper);
    REQUIRE(LatencyBuckets::index(lower) == i);
    REQUIRE(LatencyBuckets::index(upper - 1) == i);
    if (lower >= 64)
      REQUIRE(static_cast<double>(upper - lower) / static_cast<double>(lower) < 0.016);
  }
}

TEST_CASE("a value counts as often as it is recorded", "[bench][histogram]") {
  Histogram histogram;
  histogram.record(microseconds(10), 3'000'000'000);
  histogram.record(std::chrono::seconds(40), 1'000'000'000);  // 4e19 ns in all
  CHECK(histogram.count() == 4'000'000'000);
  CHECK(histogram.mean_us() == Approx(1e7).epsilon(0.001));
  CHECK(histogram.percentile_us(0.75) == Approx(10).epsilon(0.016));
  CHECK(histogram.percentile_us(0.76) == Approx(40e6).epsilon(0.016));
}

TEST_CASE("percentiles of a known distribution", "[bench][histogram]") {
  Histogram histogram;
  for (int i = 1; i <= 1000; ++i) histogram.record(microseconds(i));
  CHECK(histogram.count() == 1000);
  CHECK(histogram.mean_us() == Approx(500.5));
  CHECK(histogram.max_us() == Approx(1000));
  CHECK(histogram.percentile_us(0.50) == Approx(500).epsilon(0.016));
  CHECK(histogram.percentile_us(0.95) == Approx(950).epsilon(0.016));
  CHECK(histogram.percentile_us(0.99) == Approx(990).epsilon(0.016));
  CHECK(histogram.percentile_us(0.999) == Approx(999).epsilon(0.016));
  CHECK(histogram.percentile_us(1.0) <= histogram.max_us());
}

TEST_CASE("one slow operation in a hundred is the maximum, not the P99", "[bench][histogram]") {
  Histogram histogram;
  for (int i = 0; i < 99; ++i) histogram.record(microseconds(100));
  histogram.record(milliseconds(500));
  CHECK(histogram.percentile_us(0.99) == Approx(100).epsilon(0.016));
  CHECK(histogram.percentile_us(0.999) == Approx(500000).epsilon(0.016));
  CHECK(histogram.max_us() == Approx(500000));
}

TEST_CASE("an empty histogram says zero", "[bench][histogram]") {
  const Histogram histogram;
  CHECK(histogram.count() == 0);
  CHECK(histogram.mean_us() == 0);
  CHECK(histogram.percentile_us(0.99) == 0);
}

TEST_CASE("the difference of two states is what came between", "[bench][histogram]") {
  LiveHistogram live;
  live.record(microseconds(10));
  Histogram before;
  live.add_to(before);
  live.record(milliseconds(3));
  live.record(milliseconds(5));
  Histogram after;
  live.add_to(after);

  const Histogram between = after.since(before);
  CHECK(between.count() == 2);
  CHECK(between.mean_us() == Approx(4000));
  CHECK(between.percentile_us(0.5) == Approx(3000).epsilon(0.016));
  CHECK(between.max_us() == Approx(5000).epsilon(0.016));
}

TEST_CASE("values beyond the range count in the last bucket", "[bench][histogram]") {
  Histogram histogram;
  histogram.record(std::chrono::hours(10));
  histogram.record(Nanoseconds(-5));
  CHECK(histogram.count() == 2);
  CHECK(histogram.max_us() == Approx(36e9));
  CHECK(histogram.percentile_us(0.5) == 0);
}
