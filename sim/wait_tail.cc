#include "sim/wait_tail.h"

#include <algorithm>
#include <array>
#include <numbers>

namespace rocktune::sim {
namespace {

// Of a mean of 1.
struct Shape {
  double variation = 1, linear = 1, square = 0;
};

// The integral of exp(-(a t + b t^2)) from 0 on.
double mean_of(double linear, double square) {
  const double root = std::sqrt(square);
  return std::sqrt(std::numbers::pi) / (2 * root) * std::exp(linear * linear / (4 * square)) *
         std::erfc(linear / (2 * root));
}

Shape shape_of(double linear) {
  double low = 1e-9, high = 1;  // of the square's coefficient: the larger, the smaller the mean
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (mean_of(linear, middle) > 1 ? low : high) = middle;
  }
  const double square = (low + high) / 2;
  // E t^2 is twice the integral of t exp(-(a t + b t^2)): (1 - a mean) / b.
  return {(1 - linear) / square - 1, linear, square};
}

constexpr std::size_t kShapes = 20;

// From a Rayleigh distribution to an exponential one: by rising variation.
const std::array<Shape, kShapes + 1>& shapes() {
  static const auto kAll = [] {
    std::array<Shape, kShapes + 1> all;
    for (std::size_t i = 0; i < kShapes; ++i) {
      all.at(i) = shape_of(static_cast<double>(i) / static_cast<double>(kShapes));
    }
    return all;
  }();
  return kAll;
}

}  // namespace

WaitTail::WaitTail(double mean_seconds, double variation) : mean_(mean_seconds) {
  const auto& all = shapes();
  const auto above = std::find_if(all.begin() + 1, all.end() - 1,
                                  [&](const Shape& one) { return one.variation >= variation; });
  const Shape& low = *(above - 1);
  const double way =
      std::clamp((variation - low.variation) / (above->variation - low.variation), 0.0, 1.0);
  linear_ = (low.linear + way * (above->linear - low.linear)) / mean_;
  square_ = (low.square + way * (above->square - low.square)) / (mean_ * mean_);
}

}  // namespace rocktune::sim
