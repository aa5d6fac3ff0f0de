// What repeated runs say: the middle and the range of a figure, and how far the ratio of two
// policies can be trusted. Pure: the bootstrap's random numbers come from a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rocktune::bench::report {

// Median, least and most of the repeats that have the figure.
struct Range {
  double median = 0;
  double least = 0;
  double most = 0;
  std::size_t count = 0;
};

// Nothing of nothing.
std::optional<Range> range_of(std::vector<double> values);
// The median of `values`, which are not empty.
double median_of(std::vector<double> values);

// A figure by the number of the repeat that it comes from.
using ByRepeat = std::map<std::int64_t, double>;

// The ratio of two medians and what 95% of the resamples give for it.
struct RatioInterval {
  double ratio = 0;
  double low = 0;
  double high = 0;
  std::size_t repeats = 0;  // pairs, or the fewer of the two sides
  bool paired = false;

  [[nodiscard]] bool covers(double value) const { return low <= value && value <= high; }
};

inline constexpr int kResamples = 10'000;
inline constexpr double kConfidence = 0.95;

// The percentile bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter
// 13) of median(of)/median(reference). Where the sides took turns (repeat n of both ran beside each
// other on the same machine) and have at least two repeats of the same numbers, whole pairs are
// drawn; otherwise each side is drawn for itself. Nothing where a side is empty or the
// reference is not above zero, in its median or in more of the resamples than may lie above the
// interval: whoever has none of something has no ratio to it. With one repeat the interval has no
// width: see `repeats`.
std::optional<RatioInterval> bootstrap_ratio(const ByRepeat& of, const ByRepeat& reference,
                                             bool took_turns, std::uint64_t seed);

// The mean of the logarithms, taken back, of ratios that are each as good as another; its interval
// by the same bootstrap, drawing ratios. Nothing of nothing; zero where a ratio is. None is below
// zero.
struct MeanInterval {
  double mean = 0;
  double low = 0;
  double high = 0;
  std::size_t count = 0;
};
std::optional<MeanInterval> bootstrap_geometric_mean(const std::vector<double>& ratios,
                                                     std::uint64_t seed);

// By how much values that should be the same differ: the median over all pairs of |a - b|, and of
// that over the mean of a and b (pairs whose mean is not above zero left out). Unlike the range,
// which every further value can only widen, it tells the same noise by two values as by ten.
// Nothing without a pair.
std::optional<double> difference_of_pairs(const std::vector<double>& values);
std::optional<double> relative_difference_of_pairs(const std::vector<double>& values);

// One sentence for readers: how the intervals were made.
std::string bootstrap_method();

}  // namespace rocktune::bench::report
