#include <cmath>
#include <limits>

#include "model/features.h"
#include "tests/support/catch.h"

using namespace rocktune;

namespace {
LatencyHistogram histogram(std::vector<LatencyHistogram::Bucket> buckets, std::uint64_t sum = 0) {
  return {std::move(buckets), sum};
}
}  // namespace

TEST_CASE("a quantile is interpolated within its bucket", "[quantile]") {
  LatencyHistogram none, hundred = histogram({{100, 110, 100}}, 10500);
  CHECK(*interval_quantile_us(none, hundred, 0.5) == Approx(105));
  CHECK(*interval_quantile_us(none, hundred, 0.99) == Approx(109.9));
  CHECK(*interval_mean_us(none, hundred) == Approx(105));
}

TEST_CASE("only what was counted since the older histogram matters", "[quantile]") {
  LatencyHistogram older = histogram({{10, 11, 1000000}}, 10500000);
  LatencyHistogram newer = histogram({{10, 11, 1000000}, {5000, 5100, 10}}, 10550500);
  CHECK(*interval_quantile_us(older, newer, 0.5) == Approx(5050));
  CHECK(*interval_mean_us(older, newer) == Approx(5050));
}

TEST_CASE("bucket sets may differ: empty ones are left out", "[quantile]") {
  LatencyHistogram older = histogram({{20, 21, 5}, {40, 41, 5}}, 305);
  LatencyHistogram newer = histogram({{10, 11, 98}, {20, 21, 5}, {30, 31, 2}, {40, 41, 5}}, 1346);
  CHECK(*interval_quantile_us(older, newer, 0.5) == Approx(10 + 50.0 / 98));
  CHECK(*interval_quantile_us(older, newer, 0.99) == Approx(30.5));
}

TEST_CASE("nothing counted, or counts that fell, give no quantile", "[quantile]") {
  LatencyHistogram some = histogram({{10, 11, 5}, {12, 13, 5}}, 120);
  CHECK_FALSE(interval_quantile_us(some, some, 0.99));
  CHECK_FALSE(interval_mean_us(some, some));
  CHECK_FALSE(interval_quantile_us(some, histogram({{10, 11, 4}, {12, 13, 9}}), 0.99));
  CHECK_FALSE(interval_quantile_us(some, histogram({{12, 13, 9}}), 0.99));
  CHECK_FALSE(interval_quantile_us(some, histogram({{10, 11, 9}}), 0.99));
  CHECK_FALSE(interval_quantile_us(some, LatencyHistogram{}, 0.99));
}

TEST_CASE("a sum that fell gives no mean", "[quantile]") {
  CHECK_FALSE(interval_mean_us(histogram({{10, 11, 5}}, 500), histogram({{10, 11, 9}}, 100)));
}

TEST_CASE("an open-ended last bucket answers its lower bound", "[quantile]") {
  LatencyHistogram none;
  LatencyHistogram open =
      histogram({{60000000, std::numeric_limits<std::uint64_t>::max(), 3}}, 200000000);
  CHECK(*interval_quantile_us(none, open, 0.99) == 60000000);
}

TEST_CASE("a malformed bucket or share gives no quantile", "[quantile]") {
  LatencyHistogram none;
  CHECK_FALSE(interval_quantile_us(none, histogram({{10, 10, 5}}), 0.5));
  CHECK_FALSE(interval_quantile_us(none, histogram({{10, 11, 5}}), 0));
  CHECK_FALSE(interval_quantile_us(none, histogram({{10, 11, 5}}), 1));
  CHECK_FALSE(interval_quantile_us(none, histogram({{10, 11, 5}}), std::nan("")));
}

TEST_CASE("quantiles rise with their share", "[quantile]") {
  LatencyHistogram none;
  LatencyHistogram mixed = histogram({{1, 2, 7}, {5, 6, 50}, {90, 93, 30}, {4000, 4100, 13}}, 1);
  double before = 0;
  for (double p = 0.01; p < 1; p += 0.01) {
    Value quantile = interval_quantile_us(none, mixed, p);
    REQUIRE(quantile);
    CHECK(*quantile >= before);
    before = *quantile;
  }
}
