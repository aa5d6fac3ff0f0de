#include "bench/report/statistics.h"
#include "tests/support/catch.h"

using namespace rocktune::bench::report;

TEST_CASE("the median is the middle, or the mean of the two in the middle", "[bench][report]") {
  CHECK(median_of({7}) == 7);
  CHECK(median_of({9, 1, 5}) == 5);
  CHECK(median_of({10, 2, 8, 4}) == 6);
}

TEST_CASE("the range of repeats", "[bench][report]") {
  CHECK_FALSE(range_of({}));
  const auto range = range_of({3, 1, 2, 10});
  REQUIRE(range);
  CHECK(range->median == 2.5);
  CHECK(range->least == 1);
  CHECK(range->most == 10);
  CHECK(range->count == 4);
}

TEST_CASE("the ratio is that of the medians, within its interval", "[bench][report][bootstrap]") {
  const ByRepeat of = {{1, 200}, {2, 220}, {3, 240}, {4, 230}, {5, 210}};
  const ByRepeat reference = {{1, 100}, {2, 110}, {3, 105}, {4, 95}, {5, 90}};
  const auto interval = bootstrap_ratio(of, reference, true, 1);
  REQUIRE(interval);
  CHECK(interval->ratio == Approx(220.0 / 100));
  CHECK(interval->paired);
  CHECK(interval->repeats == 5);
  CHECK(interval->low <= interval->ratio);
  CHECK(interval->high >= interval->ratio);
  // No resample's ratio lies beyond the most over the least.
  CHECK(interval->low >= 200.0 / 110);
  CHECK(interval->high <= 240.0 / 90);
  CHECK(interval->low < interval->high);
}

TEST_CASE("who may have none of something has no interval of a ratio to it",
          "[bench][report][bootstrap]") {
  // Five runs of which two are without any: a third of the resamples' medians are zero.
  const ByRepeat of = {{1, 1}, {2, 1.2}, {3, 1}, {4, 1.1}, {5, 1}};
  CHECK_FALSE(bootstrap_ratio(of, {{1, 0}, {2, 0}, {3, 5}, {4, 6}, {5, 5}}, true, 1));
  // One such run in nine hardly ever is the median.
  ByRepeat many, reference;
  for (int i = 0; i < 9; ++i) {
    many[i] = 1;
    reference[i] = i == 0 ? 0 : 5;
  }
  const auto interval = bootstrap_ratio(many, reference, true, 1);
  REQUIRE(interval);
  CHECK(interval->high == Approx(0.2));
}

TEST_CASE("one seed gives one interval", "[bench][report][bootstrap]") {
  const ByRepeat of = {{1, 200}, {2, 260}, {3, 240}, {4, 230}, {5, 190}, {6, 205}, {7, 251}};
  const ByRepeat reference = {{1, 100}, {2, 117}, {3, 105}, {4, 95}, {5, 90}, {6, 99}, {7, 123}};
  const auto once = bootstrap_ratio(of, reference, true, 7);
  const auto again = bootstrap_ratio(of, reference, true, 7);
  REQUIRE(once);
  REQUIRE(again);
  CHECK(once->low == again->low);
  CHECK(once->high == again->high);
}

TEST_CASE("pairs keep what a drifting machine does to both sides out of the ratio",
          "[bench][report][bootstrap]") {
  // Both sides get slower from repeat to repeat, the ratio is 2 in each.
  const ByRepeat reference = {{1, 100}, {2, 90}, {3, 80}, {4, 70}, {5, 60}};
  ByRepeat of;
  for (const auto& [repeat, value] : reference) of[repeat] = 2 * value;
  const auto paired = bootstrap_ratio(of, reference, true, 1);
  REQUIRE(paired);
  CHECK(paired->low == Approx(2));
  CHECK(paired->high == Approx(2));

  // The same values without a common number: nothing ties them together.
  ByRepeat strangers;
  for (const auto& [repeat, value] : of) strangers[repeat + 100] = value;
  const auto unpaired = bootstrap_ratio(strangers, reference, true, 1);
  REQUIRE(unpaired);
  CHECK_FALSE(unpaired->paired);
  CHECK(unpaired->low < 1.8);
  CHECK(unpaired->high > 2.2);

  // Nor does it where the sides did not take turns.
  const auto apart = bootstrap_ratio(of, reference, false, 1);
  REQUIRE(apart);
  CHECK_FALSE(apart->paired);
  CHECK(apart->low < 1.8);
}

TEST_CASE("only the repeats of both sides are pairs", "[bench][report][bootstrap]") {
  const auto interval =
      bootstrap_ratio({{1, 20}, {2, 20}, {3, 1000}}, {{1, 10}, {2, 10}, {4, 7}}, true, 1);
  REQUIRE(interval);
  CHECK(interval->paired);
  CHECK(interval->repeats == 2);
  CHECK(interval->ratio == 2);
}

TEST_CASE("without values or with a reference of zero there is no ratio",
          "[bench][report][bootstrap]") {
  CHECK_FALSE(bootstrap_ratio({}, {{1, 1}}, true, 1));
  CHECK_FALSE(bootstrap_ratio({{1, 1}}, {}, true, 1));
  CHECK_FALSE(bootstrap_ratio({{1, 1}, {2, 1}}, {{1, 0}, {2, 0}}, true, 1));
}

TEST_CASE("an interval covers its ends", "[bench][report][bootstrap]") {
  const RatioInterval interval{.ratio = 1.1, .low = 1.0, .high = 1.2};
  CHECK(interval.covers(1.0));
  CHECK(interval.covers(1.2));
  CHECK_FALSE(interval.covers(0.99));
}

TEST_CASE("the geometric mean of ratios lies within its interval", "[bench][report][bootstrap]") {
  const auto mean = bootstrap_geometric_mean({0.5, 2, 1, 1}, 1);
  REQUIRE(mean);
  CHECK(mean->mean == Approx(1));
  CHECK(mean->count == 4);
  CHECK(mean->low < 1);
  CHECK(mean->high > 1);
  CHECK(bootstrap_geometric_mean({0.5, 2, 1, 1}, 1)->low == mean->low);
  CHECK(bootstrap_geometric_mean({0, 2}, 1)->mean == 0);
  CHECK_FALSE(bootstrap_geometric_mean({}, 1));
}

TEST_CASE("values differ as a typical pair does", "[bench][report]") {
  CHECK(difference_of_pairs({1, 4, 2}) == 2.0);
  CHECK(relative_difference_of_pairs({90, 110}) == 0.2);
  CHECK_FALSE(difference_of_pairs({1}));
  CHECK_FALSE(relative_difference_of_pairs({0, 0}));
  CHECK(difference_of_pairs({0, 0}) == 0.0);
}
