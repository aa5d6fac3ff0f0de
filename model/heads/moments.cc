#include "model/heads/moments.h"

#include <algorithm>
#include <cmath>

namespace rocktune {
namespace {

// Inputs are shares and logarithms. What is beyond was never learnt, and squares of it overflow.
constexpr double kLargestMean = 1e6;
constexpr double kLargestVariance = 1e12;

}  // namespace

void Moments::add(const HeadInputs& inputs) {
  for (std::size_t i = 0; i < kHeadInputs; ++i) {
    const double value = inputs[i];
    if (!std::isfinite(value)) continue;
    One& one = all_[i];
    one.count = std::min(one.count + 1, kMostReadings);
    const double weight = 1 / one.count;
    const double off = value - one.mean;
    one.mean += weight * off;
    one.variance = (1 - weight) * (one.variance + weight * off * off);
  }
}

HeadVector Moments::standardise(const HeadInputs& inputs) const {
  HeadVector out{};
  for (std::size_t i = 0; i < kHeadInputs; ++i) {
    const One& one = all_[i];
    if (!std::isfinite(inputs[i]) || one.count < 1) continue;
    const double deviation = std::max(std::sqrt(one.variance), kLeastDeviation);
    const double off = (inputs[i] - one.mean) / deviation;
    out[i] = static_cast<float>(std::clamp(off, -kMostDeviations, kMostDeviations));
  }
  return out;
}

void Moments::fade() {
  for (One& one : all_) one.count /= 2;
}

bool Moments::load(const std::array<One, kHeadInputs>& all) {
  for (const One& one : all) {
    const bool finite =
        std::isfinite(one.count) && std::isfinite(one.mean) && std::isfinite(one.variance);
    if (!finite || one.count < 0 || one.variance < 0) return false;
    if (std::abs(one.mean) > kLargestMean || one.variance > kLargestVariance) return false;
  }
  all_ = all;
  for (One& one : all_) one.count = std::min(one.count, kMostReadings);
  return true;
}

}  // namespace rocktune
