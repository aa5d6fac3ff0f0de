#include "model/trend.h"

#include <cmath>
#include <limits>

#include "model/probability.h"
#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"

using namespace rocktune;
using rocktune::test::at_seconds;

TEST_CASE("a line's slope is found", "[trend]") {
  Trend trend(Trend::Jumps::kKeep);
  for (int i = 0; i < 20; ++i) trend.add(at_seconds(10 + 0.5 * i), 3 + 2 * 0.5 * i);
  CHECK(*trend.slope() == Approx(2));
  CHECK(*trend.largest(1) == Approx(3 + 19));
  CHECK(*trend.mean(1) == Approx(3 + 18));
}

TEST_CASE("few points, or little time, give no slope", "[trend]") {
  Trend trend(Trend::Jumps::kKeep);
  CHECK_FALSE(trend.mean(5));
  for (int i = 0; i < 5; ++i) trend.add(at_seconds(i), i);
  CHECK_FALSE(trend.slope());
  trend.add(at_seconds(5), 5);
  CHECK(trend.slope());
  Trend brief(Trend::Jumps::kKeep);
  for (int i = 0; i < 100; ++i) brief.add(at_seconds(0.01 * i), i);
  CHECK_FALSE(brief.slope());
}

TEST_CASE("a fall of L0 at a compaction's end does not hide the inflow", "[trend]") {
  Trend trend(Trend::Jumps::kFalls, 2.5);
  double files = 4;
  for (int i = 0; i < 30; ++i) {
    if (i % 2 == 0) files += 1;
    if (i == 15) files -= 8;
    trend.add(at_seconds(0.5 * i), files);
  }
  CHECK(*trend.slope() == Approx(1).epsilon(0.15));
}

TEST_CASE("a jump of pending bytes is not extrapolated", "[trend]") {
  Trend jumps(Trend::Jumps::kOutliers);
  Trend keeps(Trend::Jumps::kKeep);
  double pending = 0;
  for (int i = 0; i < 30; ++i) {
    pending += 1;
    if (i == 20) pending += 500;
    jumps.add(at_seconds(0.5 * i), pending);
    keeps.add(at_seconds(0.5 * i), pending);
  }
  CHECK(*jumps.slope() == Approx(2).epsilon(0.1));
  CHECK(*keeps.slope() > 20);
}

TEST_CASE("pending bytes that move only with every eighth poll still flow", "[trend]") {
  Trend trend(Trend::Jumps::kOutliers);
  double pending = 0;
  for (int i = 0; i < 30; ++i) {
    if (i % 8 == 7) pending += 64;
    if (i == 20) pending += 5000;
    trend.add(at_seconds(0.5 * i), pending);
  }
  CHECK(*trend.slope() == Approx(64 / 4.0).epsilon(0.2));
}

TEST_CASE("a single step is no flow", "[trend]") {
  Trend trend(Trend::Jumps::kOutliers);
  for (int i = 0; i < 30; ++i) trend.add(at_seconds(0.5 * i), i < 15 ? 1 : 1000);
  CHECK(*trend.slope() == 0);
}

TEST_CASE("what is not finite or not later is ignored, and old points go", "[trend]") {
  Trend trend(Trend::Jumps::kKeep, 0, 5);
  trend.add(at_seconds(1), 1);
  trend.add(at_seconds(1), 2);
  trend.add(at_seconds(0), 2);
  trend.add(at_seconds(2), std::nan(""));
  trend.add(at_seconds(2), std::numeric_limits<double>::infinity());
  CHECK(trend.size() == 1);
  trend.add(at_seconds(7), 1);
  CHECK(trend.size() == 1);
  CHECK(*trend.age_seconds(at_seconds(9)) == Approx(2));
  for (int i = 0; i < 100000; ++i) trend.add(at_seconds(10 + 1e-5 * i), i);
  CHECK(trend.size() <= 512);
}

TEST_CASE("a window of a minute is whole at polls of ten milliseconds", "[trend]") {
  Trend trend(Trend::Jumps::kKeep, 0, 60);
  for (int i = 0; i <= 9000; ++i) trend.add(at_seconds(0.01 * i), i < 4500 ? 0 : 1);
  CHECK(trend.span_seconds() == Approx(60).epsilon(0.01));
  CHECK(*trend.mean(60) == Approx(0.75).epsilon(0.01));
  CHECK(*trend.mean(1) == 1);
}

TEST_CASE("the standard deviation is that of the window", "[trend]") {
  Trend trend(Trend::Jumps::kKeep, 0, 60);
  CHECK_FALSE(trend.deviation(10));
  trend.add(at_seconds(1), 100);
  CHECK_FALSE(trend.deviation(10));
  for (int i = 0; i < 4; ++i) trend.add(at_seconds(20 + i), i % 2 == 0 ? 3 : 5);
  CHECK(*trend.deviation(10) == Approx(std::sqrt(4.0 / 3)));
}

TEST_CASE("huge values stay finite", "[trend]") {
  Trend trend(Trend::Jumps::kKeep);
  for (int i = 0; i < 20; ++i) trend.add(at_seconds(i), (i % 2 ? 1 : -1) * 1e150);
  CHECK(std::isfinite(*trend.slope()));
  CHECK(std::isfinite(*trend.mean(10)));
}

TEST_CASE("the probability rises with use and falls with the time left", "[probability]") {
  for (double use = 0; use < 2; use += 0.05) {
    double nearer = crossing_probability(use, 1, 30), later = crossing_probability(use, 60, 30);
    CHECK(nearer >= later);
    CHECK(later >= crossing_probability(use, std::nullopt, 30));
    CHECK(crossing_probability(use + 0.05, 10, 30) >= crossing_probability(use, 10, 30));
    CHECK((nearer >= 0 && nearer <= 1));
  }
  CHECK(crossing_probability(0.9, std::nullopt, 30) == Approx(0.5));
  CHECK(crossing_probability(0.2, 1, 30) < 0.01);
}

TEST_CASE("time to the limit", "[probability]") {
  CHECK(*time_to_limit(0.5, 0.1) == Approx(5));
  CHECK(*time_to_limit(1.2, std::nullopt) == 0);
  CHECK_FALSE(time_to_limit(0.5, 0));
  CHECK_FALSE(time_to_limit(0.5, -1));
  CHECK_FALSE(time_to_limit(0.5, 1e-9));
}
