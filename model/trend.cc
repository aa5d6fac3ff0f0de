#include "model/trend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace rocktune {
namespace {

constexpr std::size_t kMostPoints = 512;  // older ones go first
// Windows up to this are whole at any poll interval: what comes too soon after the last is left
// out.
constexpr Nanoseconds kWhole = std::chrono::seconds(60);
constexpr std::size_t kFewestPoints = 6;
constexpr double kShortestSpanSeconds = 2;
constexpr double kLargestValue = 1e300;  // sums of kMostPoints differences stay finite

Nanoseconds nanoseconds(double seconds) {
  return std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(seconds));
}

// Values of as many points, on the stack.
struct Values {
  std::array<double, kMostPoints> at;
  std::size_t count = 0;

  void add(double value) { at[count++] = value; }
  // What stands at share p once they are sorted; changes their order. Not empty.
  double quantile(double p) {
    const auto rank = static_cast<std::ptrdiff_t>(p * static_cast<double>(count - 1));
    std::nth_element(at.begin(), at.begin() + rank,
                     at.begin() + static_cast<std::ptrdiff_t>(count));
    return at[static_cast<std::size_t>(rank)];
  }
};

}  // namespace

Trend::Trend(Jumps jumps, double fall_limit, double window_seconds)
    : jumps_(jumps), fall_limit_(fall_limit), window_(nanoseconds(window_seconds)) {}

void Trend::add(Nanoseconds tick, double value) {
  if (!(std::abs(value) <= kLargestValue)) return;
  constexpr auto kMost = static_cast<std::int64_t>(kMostPoints);
  const auto spacing = std::max(Nanoseconds(1), std::min(window_, kWhole) / kMost);
  if (size() > 0 && tick - ticks_.back() < spacing) return;
  expire(tick);
  if (size() == kMostPoints) ++first_;
  make_room();
  ticks_.push_back(tick);
  values_.push_back(value);
}

// Where the memory is full, what has left the window makes room; else it grows.
void Trend::make_room() {
  if (first_ == 0 || ticks_.size() < ticks_.capacity()) return;
  ticks_.erase(ticks_.begin(), ticks_.begin() + static_cast<std::ptrdiff_t>(first_));
  values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(first_));
  first_ = 0;
}

void Trend::clear() {
  ticks_.clear();
  values_.clear();
  first_ = 0;
}

void Trend::note(Nanoseconds now, const std::optional<double>& value) {
  if (value) add(now, *value);
  expire(now);
}

void Trend::expire(Nanoseconds now) {
  while (size() > 0 && now - ticks_[first_] > window_) ++first_;
}

double Trend::span_seconds() const {
  return size() == 0 ? 0 : seconds_between(ticks_[first_], ticks_.back());
}

std::optional<double> Trend::age_seconds(Nanoseconds now) const {
  if (size() == 0) return std::nullopt;
  return seconds_between(ticks_.back(), now);
}

double Trend::increment_limit() const {
  if (jumps_ != Jumps::kOutliers) return 0;
  const auto points = values();
  Values sizes;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double size = std::abs(points[i] - points[i - 1]);
    if (size > 0) sizes.add(size);
  }
  if (sizes.count < 2) return 0;  // a single step proves no flow
  return 4 * sizes.quantile(0.8);
}

bool Trend::is_jump(double increment, double limit) const {
  switch (jumps_) {
    case Jumps::kKeep:
      return false;
    case Jumps::kFalls:
      return increment < -fall_limit_;
    case Jumps::kOutliers:
      return std::abs(increment) > limit;
  }
  return false;
}

std::optional<double> Trend::slope() const {
  if (size() < kFewestPoints || span_seconds() < kShortestSpanSeconds) return std::nullopt;
  const double limit = increment_limit();
  const auto points = values();
  const auto times = ticks();
  // A line through what has flowed since the oldest point, over the time from the window's middle.
  const double middle = span_seconds() / 2;
  double level = 0, sum_time = -middle, sum_level = 0, squares = middle * middle, products = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double increment = points[i] - points[i - 1];
    if (!is_jump(increment, limit)) level += increment;
    const double time = seconds_between(times[0], times[i]) - middle;
    sum_time += time;
    sum_level += level;
    squares += time * time;
    products += time * level;
  }
  const auto count = static_cast<double>(points.size());
  const double slope =
      (count * products - sum_time * sum_level) / (count * squares - sum_time * sum_time);
  return std::isfinite(slope) ? std::optional(slope) : std::nullopt;
}

std::span<const double> Trend::values_of(double seconds) const {
  if (size() == 0) return {};
  const auto all = ticks();
  const Nanoseconds earliest = all.back() - nanoseconds(seconds);
  if (all.front() >= earliest) return values();
  const auto first = std::lower_bound(all.begin(), all.end(), earliest);  // ticks rise
  return values().subspan(static_cast<std::size_t>(first - all.begin()));
}

std::optional<double> Trend::mean(double seconds) const {
  const auto points = values_of(seconds);
  if (points.empty()) return std::nullopt;
  // Of the distances from the newest: the mean of what does not move is exact. In four sums, as
  // each addition waits for the one before.
  const double newest = points.back();
  std::array<double, 4> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= points.size(); i += sums.size()) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += points[i + k] - newest;
  }
  for (; i < points.size(); ++i) sums[0] += points[i] - newest;
  const double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  return newest + sum / static_cast<double>(points.size());
}

std::optional<double> Trend::deviation(double seconds) const {
  const auto points = values_of(seconds);
  if (points.size() < 2) return std::nullopt;
  const double middle = *mean(seconds);
  double squares = 0;
  for (const double value : points) squares += (value - middle) * (value - middle);
  return std::sqrt(squares / static_cast<double>(points.size() - 1));
}

std::optional<double> Trend::median(double seconds) const {
  Values values;
  for (const double value : values_of(seconds)) values.add(value);
  if (values.count == 0) return std::nullopt;
  return values.quantile(0.5);
}

std::optional<double> Trend::largest(double seconds) const {
  const auto points = values_of(seconds);
  if (points.empty()) return std::nullopt;
  return *std::max_element(points.begin(), points.end());
}

std::optional<double> Trend::smallest(double seconds) const {
  const auto points = values_of(seconds);
  if (points.empty()) return std::nullopt;
  return *std::min_element(points.begin(), points.end());
}

}  // namespace rocktune
