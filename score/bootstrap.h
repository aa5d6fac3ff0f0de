// How far a figure that was pooled over runs can be trusted: the percentile bootstrap (Efron and
// Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13) over whole recordings, since the
// seconds of one depend on each other, and so do databases that were recorded side by side. Pure:
// the random numbers come from the seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rocktune::score {

inline constexpr std::size_t kResamples = 1000;
inline constexpr double kConfidence = 0.95;
inline constexpr std::uint64_t kDefaultSeed = 1;

struct Interval {
  double low = 0, high = 0;
  bool operator==(const Interval&) const = default;
};

// Draws `resamples` times as many recordings as there are, with replacement; each draw is the list
// of the runs in them. `recording_of` says which recording each run is of. None of one recording.
std::vector<std::vector<std::size_t>> resample_runs(const std::vector<std::string>& recording_of,
                                                    std::size_t resamples, std::uint64_t seed);

// The middle 95% of a figure's values over the draws. Draws without the figure (no event in them)
// are left out; absent when more than half are.
std::optional<Interval> interval_of(const std::vector<std::optional<double>>& values);

}  // namespace rocktune::score
