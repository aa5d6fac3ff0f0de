#include "sim/wait_tail.h"

#include "tests/support/catch.h"

namespace rocktune::sim {
namespace {

// Of the distribution itself, by its tail.
struct Moments {
  double mean = 0, variation = 0;
};

Moments moments_of(const WaitTail& tail, double most) {
  constexpr int kSteps = 200'000;
  const double step = most / kSteps;
  double first = 0, second = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double at = (i + 0.5) * step;
    first += tail.longer_than(at) * step;
    second += 2 * at * tail.longer_than(at) * step;
  }
  return {first, second / (first * first) - 1};
}

TEST_CASE("a wait's tail has the mean and the variation that were asked for") {
  for (const double mean : {0.003, 2.0}) {
    for (const double variation : {0.3, 0.4, 0.6, 0.8, 0.95, 1.0}) {
      const Moments moments = moments_of(WaitTail(mean, variation), 40 * mean);
      CAPTURE(mean, variation);
      CHECK(moments.mean == Approx(mean).epsilon(0.01));
      CHECK(moments.variation == Approx(variation).epsilon(0.03));
    }
  }
}

TEST_CASE("the evener waits are the shorter is their tail") {
  CHECK(WaitTail(1, 1).longer_than(3) == Approx(std::exp(-3)));
  CHECK(WaitTail(1, 0.6).longer_than(3) < WaitTail(1, 0.9).longer_than(3));
  CHECK(WaitTail(1, 0.3).longer_than(3) < WaitTail(1, 0.6).longer_than(3));
}

TEST_CASE("beyond an exponential and a Rayleigh distribution it is the nearest of them") {
  CHECK(WaitTail(1, 5).longer_than(2) == WaitTail(1, 1).longer_than(2));
  CHECK(WaitTail(1, 0).longer_than(2) == WaitTail(1, 0.2).longer_than(2));
  CHECK(WaitTail(1, 0).longer_than(2) > 0);
}

}  // namespace
}  // namespace rocktune::sim
