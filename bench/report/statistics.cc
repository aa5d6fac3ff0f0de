#include "bench/report/statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace rocktune::bench::report {
namespace {

using Random = std::mt19937_64;

std::vector<double> values_of(const ByRepeat& by_repeat) {
  std::vector<double> values;
  for (const auto& [repeat, value] : by_repeat) values.push_back(value);
  return values;
}

// A whole number below `bound`. Not uniform_int_distribution, whose result depends on the library:
// the same seed gives the same interval everywhere. The bias is below bound / 2^64.
std::size_t below(Random& random, std::size_t bound) {
  return static_cast<std::size_t>(random() % bound);
}

// As many values as there are, each any of them.
std::vector<double> resampled(const std::vector<double>& values, Random& random) {
  std::vector<double> drawn;
  drawn.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    drawn.push_back(values[below(random, values.size())]);
  return drawn;
}

struct Pairs {
  std::vector<double> of;
  std::vector<double> reference;
};

Pairs pairs_of(const ByRepeat& of, const ByRepeat& reference) {
  Pairs pairs;
  for (const auto& [repeat, value] : of) {
    const auto other = reference.find(repeat);
    if (other == reference.end()) continue;
    pairs.of.push_back(value);
    pairs.reference.push_back(other->second);
  }
  return pairs;
}

// One resample's ratio of medians; of something to nothing it is infinite.
double resampled_ratio(const Pairs& sides, bool paired, Random& random) {
  double of = 0;
  double reference = 0;
  if (paired) {
    Pairs drawn;
    for (std::size_t i = 0; i < sides.of.size(); ++i) {
      const std::size_t pick = below(random, sides.of.size());
      drawn.of.push_back(sides.of[pick]);
      drawn.reference.push_back(sides.reference[pick]);
    }
    of = median_of(std::move(drawn.of));
    reference = median_of(std::move(drawn.reference));
  } else {
    of = median_of(resampled(sides.of, random));
    reference = median_of(resampled(sides.reference, random));
  }
  if (reference > 0) return of / reference;
  return of > 0 ? std::numeric_limits<double>::infinity() : 1;
}

// The value below which `share` of the sorted values lie, by the nearest rank.
double quantile(const std::vector<double>& sorted, double share) {
  const double last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(std::lround(share * last))];
}

double geometric_mean(const std::vector<double>& ratios) {
  double sum = 0;
  for (const double ratio : ratios) sum += std::log(ratio);  // of zero: minus infinity
  return std::exp(sum / static_cast<double>(ratios.size()));
}

std::optional<double> median_over_pairs(const std::vector<double>& values, bool relative) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      const double mean = (values[i] + values[j]) / 2;
      if (relative && mean <= 0) continue;
      differences.push_back(std::abs(values[i] - values[j]) / (relative ? mean : 1));
    }
  }
  if (differences.empty()) return std::nullopt;
  return median_of(std::move(differences));
}

}  // namespace

double median_of(std::vector<double> values) {
  assert(!values.empty());
  const std::size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle),
                   values.end());
  const double upper = values[middle];
  if (values.size() % 2 == 1) return upper;
  const double lower =
      *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle));
  return (lower + upper) / 2;
}

std::optional<Range> range_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  Range range{.least = *least, .most = *most, .count = values.size()};
  range.median = median_of(std::move(values));
  return range;
}

std::optional<RatioInterval> bootstrap_ratio(const ByRepeat& of, const ByRepeat& reference,
                                             bool took_turns, std::uint64_t seed) {
  if (of.empty() || reference.empty()) return std::nullopt;
  Pairs sides = pairs_of(of, reference);
  const bool paired = took_turns && sides.of.size() >= 2;
  if (!paired) sides = {values_of(of), values_of(reference)};
  const double base = median_of(sides.reference);
  if (base <= 0) return std::nullopt;

  RatioInterval interval;
  interval.paired = paired;
  interval.repeats = std::min(sides.of.size(), sides.reference.size());
  interval.ratio = median_of(sides.of) / base;
  Random random(seed);
  std::vector<double> ratios;
  ratios.reserve(kResamples);
  for (int i = 0; i < kResamples; ++i) ratios.push_back(resampled_ratio(sides, paired, random));
  std::sort(ratios.begin(), ratios.end());
  interval.low = quantile(ratios, (1 - kConfidence) / 2);
  interval.high = quantile(ratios, (1 + kConfidence) / 2);
  if (!std::isfinite(interval.high)) return std::nullopt;
  return interval;
}

std::optional<MeanInterval> bootstrap_geometric_mean(const std::vector<double>& ratios,
                                                     std::uint64_t seed) {
  if (ratios.empty()) return std::nullopt;
  MeanInterval interval{.mean = geometric_mean(ratios), .count = ratios.size()};
  Random random(seed);
  std::vector<double> means;
  means.reserve(kResamples);
  for (int i = 0; i < kResamples; ++i) means.push_back(geometric_mean(resampled(ratios, random)));
  std::sort(means.begin(), means.end());
  interval.low = quantile(means, (1 - kConfidence) / 2);
  interval.high = quantile(means, (1 + kConfidence) / 2);
  return interval;
}

std::optional<double> difference_of_pairs(const std::vector<double>& values) {
  return median_over_pairs(values, false);
}

std::optional<double> relative_difference_of_pairs(const std::vector<double>& values) {
  return median_over_pairs(values, true);
}

std::string bootstrap_method() {
  return "Intervals: percentile bootstrap of the ratio of medians, " + std::to_string(kResamples) +
         " resamples with a fixed seed, 95% of them; repeats of one number are drawn together, as "
         "pairs, where both sides have two or more and took turns: the ratio is of these repeats "
         "alone, where a stopped comparison has more of one side.";
}

}  // namespace rocktune::bench::report
