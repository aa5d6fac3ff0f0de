// Moments: the running mean and spread of each input, by which heads standardise it: (x - mean) /
// deviation, cut at +-6 (warning.md of the prototypes; a single wild reading must not move a
// weight far). Old readings fade: their weight is that of at most kMostReadings. Pure.
#pragma once

#include <array>

#include "model/heads/inputs.h"

namespace rocktune {

using HeadVector = std::array<float, kHeadInputs>;  // standardised inputs

class Moments {
 public:
  static constexpr double kMostReadings = 3600;  // an hour, at one a second
  static constexpr double kMostDeviations = 6;
  // Inputs are scaled so that 1 is much: what varies by less than this is as good as constant.
  static constexpr double kLeastDeviation = 0.05;

  void add(const HeadInputs& inputs);
  [[nodiscard]] HeadVector standardise(const HeadInputs& inputs) const;
  // Halves the weight of what was, so that what comes counts.
  void fade();

  struct One {
    double count = 0, mean = 0, variance = 0;
    bool operator==(const One&) const = default;
  };
  // For saving; anything that is not finite or negative where that makes no sense is refused.
  [[nodiscard]] const std::array<One, kHeadInputs>& all() const { return all_; }
  [[nodiscard]] bool load(const std::array<One, kHeadInputs>& all);

 private:
  std::array<One, kHeadInputs> all_{};
};

}  // namespace rocktune
