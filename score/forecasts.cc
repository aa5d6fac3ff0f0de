// The two textbook forecasts of a course: a line, and Holt's smoothing.
#include <cmath>

#include "score/baselines.h"
#include "score/timeline.h"

namespace rocktune::score {
namespace {

constexpr double kRangeSeconds = 60;
constexpr double kWarmUpSeconds = 30;
// Of readings 1 s apart. Of eight pairs that were tried on development logs, the one whose figures
// came nearest to those of an earlier prototype; not tuned for the best score.
constexpr double kLevelWeight = 0.5;
constexpr double kTrendWeight = 0.1;

// As in model/: what came before so many missed polls says nothing of what comes now.
constexpr std::uint64_t kMostMissedPolls = 10;

bool begins_anew(const Features& features) {
  return features.reset || features.missed_polls > kMostMissedPolls;
}

bool is_stale(Nanoseconds last, Nanoseconds now) {
  return seconds_between(last, now) > static_cast<double>(kLongestHoleSeconds);
}

// The weight of a reading that comes `seconds` after the last one.
double weight_after(double weight, double seconds) {
  return 1 - std::pow(1 - weight, seconds);
}

}  // namespace

void LinearDetector::update(const Features& features, const Sample& /*sample*/) {
  const Uses uses = uses_now(features, objective_);
  now_ = features.at.tick;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    std::deque<Point>& points = points_.at(i);
    if (begins_anew(features)) points.clear();
    const auto& use = uses.at(i);
    if (use && (points.empty() || points.back().tick < now_)) points.push_back({now_, *use});
    while (!points.empty() && seconds_between(points.front().tick, now_) > kRangeSeconds) {
      points.pop_front();
    }
  }
}

std::optional<double> LinearDetector::score(IndicatorKind kind, std::size_t horizon) const {
  const std::deque<Point>& points = points_.at(static_cast<std::size_t>(kind));
  if (points.empty() || is_stale(points.back().tick, now_)) return std::nullopt;
  if (seconds_between(points.front().tick, points.back().tick) < kWarmUpSeconds) {
    return std::nullopt;
  }
  const auto count = static_cast<double>(points.size());
  double time_mean = 0, value_mean = 0, time_square = 0, product = 0;
  for (const Point& point : points) {
    time_mean += seconds_between(now_, point.tick) / count;
    value_mean += point.value / count;
  }
  for (const Point& point : points) {
    const double time = seconds_between(now_, point.tick) - time_mean;
    time_square += time * time;
    product += time * (point.value - value_mean);
  }
  const double slope = product / time_square;
  return value_mean + slope * (static_cast<double>(horizon) - time_mean);
}

void HoltDetector::follow(std::optional<Course>& course, Nanoseconds tick, double value) {
  if (!course) {
    course = Course{tick, tick, value, 0};
    return;
  }
  const double seconds = seconds_between(course->last, tick);
  if (!(seconds > 0)) return;
  const double level_weight = weight_after(kLevelWeight, seconds);
  const double trend_weight = weight_after(kTrendWeight, seconds);
  const double before = course->level;
  const double expected = before + course->per_second * seconds;
  course->level = expected + level_weight * (value - expected);
  const double moved = (course->level - before) / seconds;
  course->per_second += trend_weight * (moved - course->per_second);
  course->last = tick;
}

void HoltDetector::update(const Features& features, const Sample& /*sample*/) {
  const Uses uses = uses_now(features, objective_);
  now_ = features.at.tick;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (begins_anew(features)) courses_.at(i).reset();
    if (uses.at(i)) follow(courses_.at(i), now_, *uses.at(i));
  }
}

std::optional<double> HoltDetector::score(IndicatorKind kind, std::size_t horizon) const {
  const std::optional<Course>& course = courses_.at(static_cast<std::size_t>(kind));
  if (!course || is_stale(course->last, now_)) return std::nullopt;
  if (seconds_between(course->first, course->last) < kWarmUpSeconds) return std::nullopt;
  return course->level + course->per_second * static_cast<double>(horizon);
}

}  // namespace rocktune::score
