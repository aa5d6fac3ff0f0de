#include "model/trend.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace rocktune {
namespace {

constexpr std::size_t kMostPoints = 512;  // 15 s at a poll of 30 ms; older ones go first
constexpr std::size_t kFewestPoints = 6;
constexpr double kShortestSpanSeconds = 2;

// On the stack: at most kMostPoints.
using Points = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostPoints, 1>;

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
    : jumps_(jumps), fall_limit_(fall_limit), window_seconds_(window_seconds) {}

void Trend::add(Nanoseconds tick, double value) {
  if (!std::isfinite(value)) return;
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
  while (count_ > 0 && seconds_between(point(0).tick, now) > window_seconds_) drop_oldest();
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
  const auto count = static_cast<Eigen::Index>(count_);
  Points time(count), level(count);
  time(0) = 0;
  level(0) = 0;
  for (Eigen::Index i = 1; i < count; ++i) {
    const Point& before = point(static_cast<std::size_t>(i - 1));
    const Point& now = point(static_cast<std::size_t>(i));
    const double increment = now.value - before.value;
    time(i) = seconds_between(point(0).tick, now.tick);
    level(i) = level(i - 1) + (is_jump(increment, limit) ? 0 : increment);
  }
  time.array() -= time.mean();
  level.array() -= level.mean();
  const double slope = time.dot(level) / time.squaredNorm();
  return std::isfinite(slope) ? std::optional(slope) : std::nullopt;
}

std::size_t Trend::begin_of(double seconds) const {
  std::size_t first = 0, end = count_;  // ticks rise
  while (first < end) {
    const std::size_t middle = (first + end) / 2;
    if (seconds_between(point(middle).tick, newest().tick) <= seconds) {
      end = middle;
    } else {
      first = middle + 1;
    }
  }
  return first;
}

std::optional<double> Trend::mean(double seconds) const {
  double sum = 0, count = 0;
  for (std::size_t i = begin_of(seconds); i < count_; ++i) {
    count += 1;
    sum += (point(i).value - sum) / count;  // a running mean: huge values do not overflow
  }
  return count > 0 ? std::optional(sum) : std::nullopt;
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
