#include "scenario/workload/sizes.h"

#include <cmath>
#include <map>

#include "scenario/workload/generator.h"
#include "tests/support/catch.h"

using rocktune::scenario::Random;
using rocktune::scenario::Sizes;

namespace {

constexpr int kSizeDraws = 200000;

double mean(const Sizes& sizes) {
  Random random(3);
  double sum = 0;
  for (int i = 0; i < kSizeDraws; ++i) sum += static_cast<double>(sizes.at(random.uniform()));
  return sum / kSizeDraws;
}

}  // namespace

TEST_CASE("fixed and uniform sizes", "[scenario][sizes]") {
  CHECK(Sizes(1000).at(0) == 1000);
  CHECK(Sizes(1000).at(0.999) == 1000);
  const Sizes uniform = Sizes::uniform(1, 100);
  CHECK(uniform.at(0) == 1);
  CHECK(uniform.at(0.9999999) == 100);
  std::map<std::int64_t, int> seen;
  Random random(5);
  for (int i = 0; i < kSizeDraws; ++i) ++seen[uniform.at(random.uniform())];
  REQUIRE(seen.size() == 100);
  // 2000 of each, give or take five standard deviations.
  for (const auto& [size, count] : seen) CHECK(std::abs(count - 2000) < 5 * std::sqrt(2000));
}

TEST_CASE("a list's sizes come by weight", "[scenario][sizes]") {
  const Sizes list = Sizes::list({{100, 3}, {4096, 1}});
  CHECK(list.at(0.74) == 100);
  CHECK(list.at(0.76) == 4096);
  CHECK(list.smallest() == 100);
  CHECK(list.largest() == 4096);
  CHECK(mean(list) == Approx((3 * 100 + 4096) / 4.0).epsilon(0.02));
}

TEST_CASE("the generalised Pareto distribution", "[scenario][sizes]") {
  // db_bench's parameters for the values of ZippyDB; far ends, so that hardly any is cut.
  const double k = 0.2615;
  const double sigma = 25.45;
  const Sizes pareto = Sizes::pareto(k, sigma, 0, 1, 1 << 20);
  // P(X > x) = (1 + k x / sigma)^(-1/k)
  for (const double x : {10.0, 35.0, 100.0, 400.0}) {
    Random random(8);
    int above = 0;
    for (int i = 0; i < kSizeDraws; ++i) {
      if (static_cast<double>(pareto.at(random.uniform())) > x) ++above;
    }
    const double expected = std::pow(1 + k * x / sigma, -1 / k);
    const double deviation = std::sqrt(expected * (1 - expected) / kSizeDraws);
    CHECK(std::abs(static_cast<double>(above) / kSizeDraws - expected) < 5 * deviation);
  }
  // The mean of the continuous distribution is sigma / (1 - k); rounding up adds about a half.
  CHECK(mean(pareto) == Approx(sigma / (1 - k) + 0.5).epsilon(0.02));
}

TEST_CASE("Pareto with k 0 is exponential, and ends are kept", "[scenario][sizes]") {
  CHECK(mean(Sizes::pareto(0, 500, 0, 1, 1 << 20)) == Approx(500.5).epsilon(0.02));
  const Sizes cut = Sizes::pareto(2.5, 14, 0, 5, 50);
  CHECK(cut.at(0) == 5);
  CHECK(cut.at(0.9999999999) == 50);
}

TEST_CASE("different distributions have different names", "[scenario][sizes]") {
  CHECK(Sizes(1000).text() == "1000");
  CHECK(Sizes::uniform(1, 9).text() == "uniform 1 to 9");
  CHECK(Sizes::list({{1, 0.5}, {2, 3}}).text() == "list 1 (x0.5), 2 (x3)");
  CHECK(Sizes::pareto(0.2615, 25.45, 0, 10, 100).text() ==
        "pareto k=0.2615 sigma=25.45 theta=0, 10 to 100");
}
