#include "model/trend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace rocktune {
namespace {

constexpr std::size_t kMostPoints = 512;  // 15 s at a poll of 30 ms; older ones go first
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
  if (count_ > 0 && tick <= newest().tick) return;
  expire(tick);
  if (count_ == kMostPoints) drop_oldest();
  if (count_ == ring_.size()) grow();
  ring_[(first_ + count_) & (ring_.size() - 1)] = {tick, value};
  ++count_;
}

void Trend::grow() {
  std::vector<Point> larger(std::max<std::size_t>(8, 2 * ring_.size()));
  for (std::size_t i = 0; i < count_; ++i) larger[i] = point(i);
  ring_ = std::move(larger);
  first_ = 0;
}

void Trend::drop_oldest() {
  first_ = (first_ + 1) & (ring_.size() - 1);
  --count_;
}

void Trend::note(Nanoseconds now, const std::optional<double>& value) {
  if (value) add(now, *value);
  expire(now);
}

void Trend::expire(Nanoseconds now) {
  while (count_ > 0 && now - point(0).tick > window_) drop_oldest();
}

double Trend::span_seconds() const {
  return count_ == 0 ? 0 : seconds_between(point(0).tick, newest().tick);
}

std::optional<double> Trend::age_seconds(Nanoseconds now) const {
  if (count_ == 0) return std::nullopt;
  return seconds_between(newest().tick, now);
}

double Trend::increment_limit() const {
  if (jumps_ != Jumps::kOutliers) return 0;
  Values sizes;
  for (std::size_t i = 1; i < count_; ++i) {
    const double size = std::abs(point(i).value - point(i - 1).value);
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
  if (count_ < kFewestPoints || span_seconds() < kShortestSpanSeconds) return std::nullopt;
  const double limit = increment_limit();
  // A line through what has flowed since the oldest point, over the time from the window's middle.
  const double middle = span_seconds() / 2;
  double level = 0, times = -middle, levels = 0, squares = middle * middle, products = 0;
  for (std::size_t i = 1; i < count_; ++i) {
    const double increment = point(i).value - point(i - 1).value;
    if (!is_jump(increment, limit)) level += increment;
    const double time = seconds_between(point(0).tick, point(i).tick) - middle;
    times += time;
    levels += level;
    squares += time * time;
    products += time * level;
  }
  const auto count = static_cast<double>(count_);
  const double slope = (count * products - times * levels) / (count * squares - times * times);
  return std::isfinite(slope) ? std::optional(slope) : std::nullopt;
}

std::size_t Trend::begin_of(double seconds) const {
  if (count_ == 0) return 0;
  const Nanoseconds earliest = newest().tick - nanoseconds(seconds);
  if (point(0).tick >= earliest) return 0;
  std::size_t first = 0, end = count_;  // ticks rise
  while (first < end) {
    const std::size_t middle = (first + end) / 2;
    if (point(middle).tick >= earliest) {
      end = middle;
    } else {
      first = middle + 1;
    }
  }
  return first;
}

std::optional<double> Trend::mean(double seconds) const {
  if (count_ == 0) return std::nullopt;
  // Of the distances from the newest: the mean of what does not move is exact. In four sums, as
  // each addition waits for the one before.
  const double base = newest().value;
  const std::size_t first = begin_of(seconds);
  std::array<double, 4> sums{};
  std::size_t i = first;
  for (; i + sums.size() <= count_; i += sums.size()) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += point(i + k).value - base;
  }
  for (; i < count_; ++i) sums[0] += point(i).value - base;
  const double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  return base + sum / static_cast<double>(count_ - first);
}

std::optional<double> Trend::deviation(double seconds) const {
  const std::optional<double> middle = mean(seconds);
  const std::size_t first = begin_of(seconds);
  if (!middle || count_ - first < 2) return std::nullopt;
  double squares = 0;
  for (std::size_t i = first; i < count_; ++i) {
    squares += (point(i).value - *middle) * (point(i).value - *middle);
  }
  return std::sqrt(squares / static_cast<double>(count_ - first - 1));
}

std::optional<double> Trend::median(double seconds) const {
  Values values;
  for (std::size_t i = begin_of(seconds); i < count_; ++i) values.add(point(i).value);
  if (values.count == 0) return std::nullopt;
  return values.quantile(0.5);
}

std::optional<double> Trend::largest(double seconds) const {
  std::optional<double> largest;
  for (std::size_t i = begin_of(seconds); i < count_; ++i) {
    largest = largest ? std::max(*largest, point(i).value) : point(i).value;
  }
  return largest;
}

}  // namespace rocktune
