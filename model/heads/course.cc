#include "model/heads/course.h"

#include <cmath>

namespace rocktune {
namespace {

constexpr double kFastSeconds = 3;
constexpr double kMiddleSeconds = 15;
constexpr double kSlowSeconds = 60;
constexpr double kCourseGapSeconds = 10;

void follow(double& mean, double value, double passed, double seconds) {
  mean += (1 - std::exp(-passed / seconds)) * (value - mean);
}

}  // namespace

void Course::add(Nanoseconds tick, const std::optional<double>& value) {
  const double passed = seconds_between(last_, tick);
  if (known_ && (!(passed >= 0) || passed > kCourseGapSeconds)) known_ = false;
  if (!value || !std::isfinite(*value)) return;
  if (!known_) {
    now_ = middle_ = slow_ = *value;
    known_ = true;
  } else {
    follow(now_, *value, passed, kFastSeconds);
    follow(middle_, *value, passed, kMiddleSeconds);
    follow(slow_, *value, passed, kSlowSeconds);
  }
  last_ = tick;
}

}  // namespace rocktune
