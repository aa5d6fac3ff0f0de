#include "score/bootstrap.h"

#include <algorithm>

#include "tests/support/catch.h"

using namespace rocktune::score;

namespace {

// So many runs, each a recording of its own.
std::vector<std::string> alone(std::size_t runs) {
  std::vector<std::string> recordings;
  for (std::size_t i = 0; i < runs; ++i) recordings.push_back(std::to_string(i));
  return recordings;
}

}  // namespace

TEST_CASE("the same seed gives the same draws, another one others", "[score]") {
  const auto draws = resample_runs(alone(12), 100, 7);
  CHECK(draws == resample_runs(alone(12), 100, 7));
  CHECK(draws != resample_runs(alone(12), 100, 8));
  REQUIRE(draws.size() == 100);
  std::size_t least = 12, most = 0;
  for (const auto& draw : draws) {
    REQUIRE(draw.size() == 12);
    for (const std::size_t run : draw) {
      least = std::min(least, run);
      most = std::max(most, run);
    }
  }
  CHECK(least == 0);
  CHECK(most == 11);
}

TEST_CASE("one run has no interval", "[score]") {
  CHECK(resample_runs(alone(1), 100, 1).empty());
  CHECK(resample_runs({}, 100, 1).empty());
  CHECK_FALSE(interval_of({}));
}

TEST_CASE("databases of one recording are drawn together, and alone have no interval", "[score]") {
  for (const auto& draw : resample_runs({"a", "b", "a", "b", "a"}, 50, 3)) {
    const auto of_a = std::count(draw.begin(), draw.end(), 0U);
    const auto of_b = std::count(draw.begin(), draw.end(), 1U);
    CHECK(of_a + of_b == 2);
    CHECK(std::count(draw.begin(), draw.end(), 2U) == of_a);
    CHECK(std::count(draw.begin(), draw.end(), 4U) == of_a);
    CHECK(std::count(draw.begin(), draw.end(), 3U) == of_b);
  }
  CHECK(resample_runs({"a", "a", "a"}, 50, 3).empty());
}

TEST_CASE("the interval is the middle 95%, of the draws that have the figure", "[score]") {
  std::vector<std::optional<double>> values;
  for (int i = 0; i <= 100; ++i) values.emplace_back(i);
  CHECK(interval_of(values)->low == Approx(2.5));
  CHECK(interval_of(values)->high == Approx(97.5));
  values.insert(values.end(), 50, std::nullopt);
  CHECK(interval_of(values)->high == Approx(97.5));
  values.insert(values.end(), 100, std::nullopt);
  CHECK_FALSE(interval_of(values));
}

TEST_CASE("the mean of many runs lies in its interval, which is about as wide as it should be",
          "[score]") {
  // 50 runs of 0 and 50 of 1: the mean's standard error is 0.05.
  std::vector<std::optional<double>> means;
  for (const auto& draw : resample_runs(alone(100), kResamples, kDefaultSeed)) {
    double sum = 0;
    for (const std::size_t run : draw) sum += run < 50 ? 0 : 1;
    means.emplace_back(sum / 100);
  }
  const auto interval = interval_of(means);
  CHECK(interval->low == Approx(0.402).margin(0.02));
  CHECK(interval->high == Approx(0.598).margin(0.02));
}
