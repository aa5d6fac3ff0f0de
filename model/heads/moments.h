// Moments: the running mean and spread of each input, by which heads standardise it: (x - mean) /
// deviation, cut at +-6 (warning.md of the prototypes; a single wild reading must not move a
// weight far). Old readings fade: their weight is that of at most kMostReadings. Pure.
#pragma once

#include <array>
#include <cstdint>

#include "model/heads/inputs.h"

namespace rocktune {

using HeadVector = std::array<float, kHeadInputs>;  // standardised inputs
// The same in half the memory, each to 1/8192 of a deviation: for those that wait.
using PackedHeadVector = std::array<std::int16_t, kHeadInputs>;

struct Moments {
  double count = 0, mean = 0, variance = 0;
  bool operator==(const Moments&) const = default;
};
using InputMoments = std::array<Moments, kHeadInputs>;

inline constexpr double kMostReadings = 3600;  // an hour, at one a second
inline constexpr double kMostDeviations = 6;
// Inputs are scaled so that 1 is much: what varies by less than this is as good as constant.
inline constexpr double kLeastDeviation = 0.05;

// An input that is not known leaves its moments as they are, and counts as its mean.
void add_reading(InputMoments& moments, const HeadInputs& inputs);
[[nodiscard]] HeadVector standardise(const InputMoments& moments, const HeadInputs& inputs);
[[nodiscard]] PackedHeadVector pack(const HeadVector& inputs);
[[nodiscard]] HeadVector unpack(const PackedHeadVector& packed);
// Halves the weight of what was, so that what comes counts.
void fade(InputMoments& moments);
// All finite, nothing negative where that makes no sense.
[[nodiscard]] bool is_sound(const InputMoments& moments);

}  // namespace rocktune
