#include "scenario/workload/rate.h"

#include <cmath>

#include "tests/support/catch.h"

using rocktune::scenario::Rate;
using rocktune::scenario::RatePlan;
using rocktune::scenario::Sine;

TEST_CASE("a constant rate", "[scenario][rate]") {
  const Rate rate(RatePlan::constant(250), 10);
  CHECK(rate.due_by(10) == 2500);
  CHECK(rate.when(0) == 0);
  CHECK(rate.when(500) == 2);
  CHECK_FALSE(Rate(RatePlan{}, 10).paced());
}

TEST_CASE("a ramp's integral and its inverse", "[scenario][rate]") {
  for (const RatePlan& plan : {RatePlan{0, 1000, {}}, RatePlan{1000, 0, {}}, RatePlan{100, 700, {}},
                               RatePlan{1000, 1000.000001, {}}}) {
    const Rate rate(plan, 20);
    CHECK(rate.due_by(20) == Approx((plan.from + plan.to) / 2 * 20));
    for (double n = 0; n < rate.due_by(20); n += 97) {
      CHECK(rate.due_by(rate.when(n)) == Approx(n).margin(1e-6));
    }
  }
}

TEST_CASE("a falling ramp has an end", "[scenario][rate]") {
  const Rate rate(RatePlan{1000, 0, {}}, 20);
  CHECK(rate.when(9999.999) < 20);
  CHECK(std::isinf(rate.when(10001)));
}

TEST_CASE("a sine's integral and its inverse", "[scenario][rate]") {
  for (const Sine& sine : {Sine{1000, 0.1, 0, 4500}, Sine{400, 6, 2, 400}, Sine{-300, 1, 1, 300},
                           Sine{1000, 0.000073, 0, 4500}, Sine{50, 0, 1, 100}}) {
    const Rate rate(RatePlan{0, 0, sine}, 60);
    // By the trapezium rule on the rate itself.
    constexpr int kSteps = 60000;
    const auto at = [&](int step) {
      return sine.a * std::sin(sine.b * step * 60 / kSteps + sine.c) + sine.d;
    };
    double sum = 0;
    for (int i = 0; i < kSteps; ++i) sum += (at(i) + at(i + 1)) / 2 * 60 / kSteps;
    CHECK(rate.due_by(60) == Approx(sum).epsilon(1e-6));
    double before = -1;
    for (double n = 0; n < rate.due_by(60); n += rate.due_by(60) / 501) {
      const double when = rate.when(n);
      CHECK(when > before);
      CHECK(rate.due_by(when) == Approx(n).margin(1e-4));
      before = when;
    }
  }
}
