// Learnt: what the heads have learnt, apart from what they are looking at now. `rocktune train`
// writes it as the prior of new databases, the daemon saves it for each database. Plain data of
// bounded size.
#pragma once

#include <array>
#include <cstdint>

#include "model/heads/linear_head.h"

namespace rocktune {

inline constexpr std::array<double, 3> kHeadHorizons = {10, 30, 60};  // seconds
// The place of the one that is nearest to `seconds`.
std::size_t nearest_head_horizon(double seconds);
inline constexpr std::array<double, 2> kHeadQuantiles = {0.5, 0.9};

// What a value head forecasts: the largest value within the horizon. ln(read P99 / SLO) and
// ln(write P99 / SLO); L0 files / slowdown trigger; ln(device use / limit).
inline constexpr std::size_t kMostHeadValues = 2;

// Where a threshold begins, in log odds: probability 0.6. It belongs to one database and its
// budget, so that what `rocktune train` learnt from other databases begins with it, too.
inline constexpr double kFirstThreshold = 0.405;

struct LearntIndicator {
  InputMoments moments{};
  std::array<HeadWeights, kHeadHorizons.size()> events{};
  // By value, horizon, quantile.
  std::array<std::array<std::array<HeadWeights, kHeadQuantiles.size()>, kHeadHorizons.size()>,
             kMostHeadValues>
      values{};
  double threshold_log_odds = kFirstThreshold;  // from which on to warn
  std::uint64_t seconds = 0;                    // of samples that were learnt from
  std::uint64_t onsets = 0;                     // among them
  bool operator==(const LearntIndicator&) const = default;
};

struct Learnt {
  // Rises whenever inputs, horizons or their meaning change: what an older version learnt does not
  // fit then.
  static constexpr int kVersion = 1;
  std::array<LearntIndicator, 3> indicators{};  // in the order of IndicatorKind
  bool operator==(const Learnt&) const = default;
};

// Every number finite, counts and squares not negative.
[[nodiscard]] bool is_sound(const Learnt& learnt);
[[nodiscard]] bool is_sound(const LearntIndicator& learnt);

}  // namespace rocktune
