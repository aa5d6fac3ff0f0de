#include "sim/latency.h"

#include <algorithm>

#include "tests/support/catch.h"

namespace rocktune::sim {
namespace {

TEST_CASE("what is done from memory takes about that long") {
  LatencyTotals totals;
  totals.add(1000, {10e-6, 0, 0, 0, {}, 0});
  CHECK(totals.operations() == Approx(1000));
  CHECK(totals.mean_seconds() == Approx(10e-6));
  CHECK(totals.quantile_seconds(0.5) == Approx(10e-6).epsilon(0.1));
  CHECK(totals.quantile_seconds(0.99) <= 20e-6 * 1.1);
}

TEST_CASE("one in twenty that waits makes the P99") {
  const LatencyMix mix{10e-6, 0.05, 100e-6, 0.5, {4e-3, 1}, 0};
  LatencyTotals totals;
  totals.add(100000, mix);
  // One in a hundred is two in five of those that wait: 4 ms * ln(0.5 / 0.2).
  CHECK(totals.quantile_seconds(0.99) == Approx(100e-6 + 4e-3 * 0.9163).epsilon(0.1));
  CHECK(totals.quantile_seconds(0.5) < 25e-6);
  CHECK(totals.mean_seconds() == Approx(0.95 * 10e-6 + 0.05 * (100e-6 + 2e-3)));
}

TEST_CASE("a queue before delays all") {
  LatencyTotals totals;
  totals.add(1000, {10e-6, 0, 0, 0, {}, 2});
  CHECK(totals.quantile_seconds(0.01) == Approx(2).epsilon(0.1));
  CHECK(totals.quantile_seconds(0.99) == Approx(2).epsilon(0.1));
}

TEST_CASE("the share that takes longer falls from all to none") {
  const LatencyMix mix{50e-6, 0.3, 400e-6, 0.7, {3e-3, 0.5}, 1e-3};
  double before = 1;
  for (double seconds = 1e-7; seconds < 10; seconds *= 1.1) {
    const double longer = mix.longer_than(seconds);
    CHECK(longer <= before + 1e-12);
    CHECK(longer >= 0);
    before = longer;
  }
  CHECK(mix.longer_than(1e-7) == 1);
  CHECK(before < 1e-9);
}

TEST_CASE("a histogram counts all, and later ones are never below earlier ones") {
  LatencyTotals totals;
  totals.add(12345, {10e-6, 0.1, 90e-6, 0.5, {1e-3, 1}, 0});
  const LatencyHistogram first = totals.histogram();
  totals.add(54321, {20e-6, 0.2, 90e-6, 0.9, {9e-3, 1}, 0});
  const LatencyHistogram second = totals.histogram();
  std::uint64_t count = 0;
  std::uint64_t last_upper = 0;
  for (const auto& bucket : second.buckets) {
    count += bucket.count;
    CHECK(bucket.lower_us >= last_upper);
    CHECK(bucket.upper_us > bucket.lower_us);
    last_upper = bucket.upper_us;
  }
  CHECK(count > 66666 - 300);  // a fraction is cut off of each bucket
  CHECK(count <= 66666);
  for (const auto& bucket : first.buckets) {
    const auto same =
        std::find_if(second.buckets.begin(), second.buckets.end(),
                     [&](const auto& one) { return one.lower_us == bucket.lower_us; });
    REQUIRE(same != second.buckets.end());
    CHECK(same->count >= bucket.count);
  }
}

TEST_CASE("what came since then is the difference") {
  LatencyTotals totals;
  totals.add(900, {10e-6, 0, 0, 0, {}, 0});
  const LatencyTotals before = totals;
  totals.add(100, {10e-3, 0, 0, 0, {}, 0});
  const LatencyTotals since = totals.since(before);
  CHECK(since.operations() == Approx(100));
  CHECK(since.quantile_seconds(0.5) > 4e-3);
  CHECK(totals.quantile_seconds(0.5) < 25e-6);
  CHECK(LatencyTotals().quantile_seconds(0.99) == 0);
}

}  // namespace
}  // namespace rocktune::sim
