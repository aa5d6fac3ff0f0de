#include "model/heads/moments.h"

#include <algorithm>
#include <cmath>

namespace rocktune {
namespace {

// Inputs are shares and logarithms. What is beyond was never learnt, and squares of it overflow.
constexpr double kLargestMean = 1e6;
constexpr double kLargestVariance = 1e12;
constexpr float kPackedSteps = 4096;  // of a deviation; 6 of them fit into 16 bits
static_assert(kMostDeviations * static_cast<double>(kPackedSteps) <= INT16_MAX);

}  // namespace

void add_reading(InputMoments& moments, const HeadInputs& inputs) {
  for (std::size_t i = 0; i < kHeadInputs; ++i) {
    const double value = inputs[i];
    if (!std::isfinite(value)) continue;
    Moments& one = moments[i];
    one.count = std::min(one.count + 1, kMostReadings);
    const double weight = 1 / one.count;
    const double off = value - one.mean;
    one.mean += weight * off;
    one.variance = (1 - weight) * (one.variance + weight * off * off);
  }
}

HeadVector standardise(const InputMoments& moments, const HeadInputs& inputs) {
  HeadVector out{};
  for (std::size_t i = 0; i < kHeadInputs; ++i) {
    const Moments& one = moments[i];
    if (!std::isfinite(inputs[i]) || one.count < 1) continue;
    const double deviation = std::max(std::sqrt(one.variance), kLeastDeviation);
    const double off = (inputs[i] - one.mean) / deviation;
    out[i] = static_cast<float>(std::clamp(off, -kMostDeviations, kMostDeviations));
  }
  return out;
}

PackedHeadVector pack(const HeadVector& inputs) {
  PackedHeadVector out{};
  std::transform(inputs.begin(), inputs.end(), out.begin(), [](float input) {
    return static_cast<std::int16_t>(input * kPackedSteps + (input < 0 ? -0.5F : 0.5F));
  });
  return out;
}

HeadVector unpack(const PackedHeadVector& packed) {
  HeadVector out{};
  std::transform(packed.begin(), packed.end(), out.begin(),
                 [](std::int16_t input) { return static_cast<float>(input) / kPackedSteps; });
  return out;
}

void fade(InputMoments& moments) {
  for (Moments& one : moments) one.count = std::min(one.count, kMostReadings) / 2;
}

bool is_sound(const InputMoments& moments) {
  return std::all_of(moments.begin(), moments.end(), [](const Moments& one) {
    return std::isfinite(one.count) && one.count >= 0 && std::abs(one.mean) <= kLargestMean &&
           one.variance >= 0 && one.variance <= kLargestVariance;
  });
}

}  // namespace rocktune
