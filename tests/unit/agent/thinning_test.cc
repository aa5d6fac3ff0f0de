#include "agent/thinning.h"

#include <cmath>
#include <random>
#include <vector>

#include "tests/support/catch.h"

namespace rocktune::agent {
namespace {

TEST_CASE("a slow thread has everything measured") {
  Thinning thinning;
  for (std::uint32_t interval = 0; interval < 50; ++interval) {
    for (std::uint32_t i = 0; i < 2 * Thinning::kPerInterval - 1; ++i) {
      REQUIRE(thinning.take(interval) == 1);
    }
  }
}

TEST_CASE("a thread that was idle or unpolled for a while begins with everything again") {
  Thinning thinning;
  for (int i = 0; i < 1'000'000; ++i) thinning.take(1);
  CHECK(thinning.take(3) == 1);
  for (int i = 0; i < 1'000'000; ++i) thinning.take(3);
  std::uint32_t measured = 0;
  for (int i = 0; i < 1000; ++i) measured += thinning.take(4) != 0 ? 1 : 0;
  CHECK(measured < 40);  // the interval before was busy
  CHECK(thinning.take(5) <= 2);
}

TEST_CASE("a busy thread's share falls as its rate rises, and is bounded") {
  for (const int rate : {2000, 10000, 50000, 1'000'000}) {
    Thinning thinning;
    int measured = 0;
    for (std::uint32_t interval = 0; interval < 10; ++interval) {
      measured = 0;
      for (int i = 0; i < rate; ++i) measured += thinning.take(interval) != 0 ? 1 : 0;
    }
    INFO("rate " << rate << " measured " << measured);
    CHECK(measured >= static_cast<int>(Thinning::kPerInterval) * 9 / 10);
    CHECK(measured <= std::max(static_cast<int>(2 * Thinning::kPerInterval) + 2,
                               rate / static_cast<int>(Thinning::kMaxWeight) + 1));
  }
}

// Property: counts and sums come out right in expectation, whatever the rates and the pattern.
TEST_CASE("the estimates are unbiased") {
  for (const std::uint32_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    std::mt19937 random(seed);
    Thinning thinning;
    std::uniform_int_distribution<int> rate(10, 60000);
    const auto period = std::uniform_int_distribution<std::uint64_t>(2, 64)(random);
    double count = 0;
    double estimated_count = 0;
    double slow = 0;
    double estimated_slow = 0;
    for (std::uint32_t interval = 0; interval < 200; ++interval) {
      const int operations = rate(random);
      for (int i = 0; i < operations; ++i) {
        const bool is_slow = static_cast<std::uint64_t>(i) % period == 0;
        const double weight = thinning.take(interval);
        count += 1;
        estimated_count += weight;
        slow += is_slow ? 1 : 0;
        estimated_slow += is_slow ? weight : 0;
      }
    }
    INFO("seed " << seed << " period " << period);
    CHECK(std::abs(estimated_count / count - 1) < 0.005);
    // Some 100,000 measured operations, one in `period` of them slow: five standard errors.
    CHECK(std::abs(estimated_slow / slow - 1) <
          5 * std::sqrt(static_cast<double>(period) / 100000));
  }
}

TEST_CASE("every place in a stratum has the same chance") {
  Thinning thinning;
  constexpr int kOperations = 200000;
  for (int i = 0; i < kOperations; ++i) thinning.take(0);  // up to the largest weight
  std::vector<int> at(Thinning::kMaxWeight, 0);
  std::vector<int> strata(2, 0);
  int measured = 0;
  for (int i = 0; i < 64 * 100000; ++i) {
    const auto weight = thinning.take(0);
    if (weight == 0) continue;
    REQUIRE(weight == Thinning::kMaxWeight);
    ++at[static_cast<std::size_t>(i % 64)];
    ++measured;
  }
  CHECK(std::abs(measured - 100000) <= 1);
  for (const int count : at) CHECK(std::abs(count - measured / 64) < 200);  // five deviations
}

TEST_CASE("what was begun keeps its weight until its end") {
  Thinning thinning;
  std::uint64_t begun = 0;
  std::uint64_t counted = 0;
  for (int i = 0; i < 300000; ++i) {
    if (!thinning.begin(0)) continue;
    ++begun;
    const auto weight = thinning.end(0);
    REQUIRE(weight > 0);
    counted += weight;
  }
  CHECK(begun < 30000);
  CHECK(std::abs(static_cast<double>(counted) - 300000) < 200);
}

TEST_CASE(
    "the short way through skips what the long way would not have measured, and nothing else") {
  Thinning timed;
  Thinning counted;
  Thinning timed_long = timed;  // the same random numbers
  Thinning counted_long = counted;
  std::uint64_t measured = 0;
  for (std::uint32_t i = 0; i < 300000; ++i) {
    const std::uint32_t interval = i / 40000 + i / 100000;  // some follow each other, some do not
    const bool begins = !timed.skip(interval) && timed.begin(interval);
    REQUIRE(begins == timed_long.begin(interval));
    if (begins && i % 3 != 0) {  // of some operations the end never comes
      REQUIRE_FALSE(timed.skip_end(interval));
      REQUIRE(timed.end(interval) == timed_long.end(interval));
    }
    const std::uint32_t weight = counted.skip_end(interval) ? 0 : counted.end(interval);
    REQUIRE(weight == counted_long.end(interval));
    measured += weight;
  }
  CHECK(std::abs(static_cast<double>(measured) - 300000) < 64 * 12);  // one stratum per interval
}

}  // namespace
}  // namespace rocktune::agent
