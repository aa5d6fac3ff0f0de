#include "model/trend.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

namespace rocktune {
namespace {

constexpr std::size_t kMostPoints = 512;  // 15 s at a poll of 30 ms; older ones go first
constexpr std::size_t kFewestPoints = 6;
constexpr double kShortestSpanSeconds = 2;

// On the stack: at most kMostPoints.
using Points = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostPoints, 1>;

// A sorted copy's element at share p.
double quantile(std::vector<double> values, double p) {
  auto rank = static_cast<std::size_t>(p * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank),
                   values.end());
  return values[rank];
}

}  // namespace

Trend::Trend(Jumps jumps, double fall_limit, double window_seconds)
    : jumps_(jumps), fall_limit_(fall_limit), window_seconds_(window_seconds) {}

void Trend::add(Nanoseconds tick, double value) {
  if (!std::isfinite(value)) return;
  if (!points_.empty() && tick <= points_.back().tick) return;
  points_.push_back({tick, value});
  expire(tick);
}

void Trend::expire(Nanoseconds now) {
  while (!points_.empty() && (points_.size() > kMostPoints ||
                              seconds_between(points_.front().tick, now) > window_seconds_)) {
    points_.pop_front();
  }
}

double Trend::span_seconds() const {
  if (points_.empty()) return 0;
  return seconds_between(points_.front().tick, points_.back().tick);
}

std::optional<double> Trend::age_seconds(Nanoseconds now) const {
  if (points_.empty()) return std::nullopt;
  return seconds_between(points_.back().tick, now);
}

double Trend::increment_limit() const {
  if (jumps_ != Jumps::kOutliers) return 0;
  std::vector<double> sizes;
  for (std::size_t i = 1; i < points_.size(); ++i) {
    double size = std::abs(points_[i].value - points_[i - 1].value);
    if (size > 0) sizes.push_back(size);
  }
  if (sizes.size() < 2) return 0;  // a single step proves no flow
  return 4 * quantile(std::move(sizes), 0.8);
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
  if (points_.size() < kFewestPoints || span_seconds() < kShortestSpanSeconds) return std::nullopt;
  double limit = increment_limit();
  auto count = static_cast<Eigen::Index>(points_.size());
  Points time(count), level(count);
  time(0) = 0;
  level(0) = 0;
  for (Eigen::Index i = 1; i < count; ++i) {
    const Point& before = points_[static_cast<std::size_t>(i - 1)];
    const Point& point = points_[static_cast<std::size_t>(i)];
    double increment = point.value - before.value;
    time(i) = seconds_between(points_.front().tick, point.tick);
    level(i) = level(i - 1) + (is_jump(increment, limit) ? 0 : increment);
  }
  time.array() -= time.mean();
  level.array() -= level.mean();
  double slope = time.dot(level) / time.squaredNorm();
  return std::isfinite(slope) ? std::optional(slope) : std::nullopt;
}

std::optional<double> Trend::mean(double seconds) const {
  double sum = 0, count = 0;
  for (const Point& point : points_) {
    if (seconds_between(point.tick, points_.back().tick) > seconds) continue;
    count += 1;
    sum += (point.value - sum) / count;  // a running mean: huge values do not overflow
  }
  return count > 0 ? std::optional(sum) : std::nullopt;
}

std::optional<double> Trend::median(double seconds) const {
  std::vector<double> values;
  for (const Point& point : points_) {
    if (seconds_between(point.tick, points_.back().tick) <= seconds) values.push_back(point.value);
  }
  if (values.empty()) return std::nullopt;
  return quantile(std::move(values), 0.5);
}

std::optional<double> Trend::largest(double seconds) const {
  std::optional<double> largest;
  for (const Point& point : points_) {
    if (seconds_between(point.tick, points_.back().tick) > seconds) continue;
    largest = largest ? std::max(*largest, point.value) : point.value;
  }
  return largest;
}

}  // namespace rocktune
