#include "scenario/workload/rate.h"

#include <cmath>
#include <limits>

#include "model/text.h"

namespace rocktune::scenario {
namespace {

constexpr Range<double> kRates{0, 1e8};

Sine read_sine(const YAML::Node& node, const std::string& prefix, Problems& problems) {
  MapReader map(node, problems, prefix);
  Sine sine;
  for (const char* key : {"a", "b", "d"}) {
    if (map.is_map() && !map.node(key)) map.missing(key);
  }
  map.number("a", sine.a, {-1e8, 1e8});
  map.number("b", sine.b, {0, 1e4});
  map.number("c", sine.c, {-1e6, 1e6});
  map.number("d", sine.d, kRates);
  if (std::abs(sine.a) > sine.d || sine.d <= 0) {
    map.problem("d", "must be above 0 and not below |a|: the rate would fall below zero");
  }
  map.finish();
  return sine;
}

}  // namespace

void read_rate(MapReader& map, const std::string& key, Problems& problems, RatePlan& out) {
  const auto node = map.node(key);
  if (!node) return;
  if (!node->IsMap()) {
    double rate = 0;
    if (map.number(key, rate, kRates)) out = RatePlan::constant(rate);
    return;
  }
  MapReader inner(*node, problems, map.qualified(key) + ".");
  if (const auto sine = inner.node("sine")) {
    out.sine = read_sine(*sine, map.qualified(key) + ".sine.", problems);
  } else {
    for (const char* end : {"from", "to"}) {
      if (!inner.node(end)) inner.missing(end);
    }
    inner.number("from", out.from, kRates);
    inner.number("to", out.to, kRates);
  }
  inner.finish();
}

std::string rate_text(const RatePlan& plan) {
  const auto number = [](double value) { return text::number(value, value < 10 ? 4 : 0); };
  if (!plan.paced()) return "as fast as possible";
  if (plan.sine) {
    return number(plan.sine->a) + " sin(" + number(plan.sine->b) + " t + " + number(plan.sine->c) +
           ") + " + number(plan.sine->d);
  }
  if (plan.from == plan.to) return number(plan.from);
  return number(plan.from) + " to " + number(plan.to);
}

double Rate::due_by(double t) const {
  if (plan_.sine) return sine_due_by(t);
  return plan_.from * t + (plan_.to - plan_.from) / seconds_ * t * t / 2;
}

double Rate::when(double n) const {
  if (plan_.sine) return sine_when(n);
  if (plan_.from == plan_.to) return n / plan_.from;
  if (n <= 0) return 0;
  // The root of due_by(t) = n, in the form that has no difference of nearly equal numbers.
  const double slope = (plan_.to - plan_.from) / seconds_;
  const double square = plan_.from * plan_.from + 2 * slope * n;
  if (square < 0) return std::numeric_limits<double>::infinity();  // a falling ramp has run out
  return 2 * n / (plan_.from + std::sqrt(square));
}

double Rate::sine_due_by(double t) const {
  const Sine& s = *plan_.sine;
  if (s.b == 0) return (s.a * std::sin(s.c) + s.d) * t;
  return s.d * t - s.a / s.b * (std::cos(s.b * t + s.c) - std::cos(s.c));
}

// Bisection on the integral, which never falls: exact to the last bit that matters, and at some 60
// cosines cheap beside the operation that it schedules.
double Rate::sine_when(double n) const {
  if (n <= 0) return 0;
  const Sine& s = *plan_.sine;
  // The integral is at most the swing 2|a|/b away from d * t.
  const double swing = s.b == 0 ? 0 : 2 * std::abs(s.a) / s.b;
  double low = std::fmax(0, (n - swing) / s.d);
  double high = (n + swing) / s.d + 1e-9;
  if (s.b == 0) return n / (s.a * std::sin(s.c) + s.d);
  for (int i = 0; i < 200 && high - low > 1e-10; ++i) {
    const double middle = low + (high - low) / 2;
    (sine_due_by(middle) < n ? low : high) = middle;
  }
  return high;
}

}  // namespace rocktune::scenario
