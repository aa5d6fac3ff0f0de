// Course: means of one value over the last seconds, a quarter of a minute and a minute, older
// readings fading. Their differences are slopes that one reading cannot fake. Pure.
#pragma once

#include <optional>

#include "model/clock.h"

namespace rocktune {

class Course {
 public:
  // Values that are not known or not finite are left out; a gap of more than 10 s begins anew.
  void add(Nanoseconds tick, const std::optional<double>& value);
  void clear() { *this = Course(); }

  // Absent where nothing was added for 10 s.
  [[nodiscard]] std::optional<double> now() const { return value(now_); }
  [[nodiscard]] std::optional<double> slope_15() const { return value(now_ - middle_); }
  [[nodiscard]] std::optional<double> slope_60() const { return value(middle_ - slow_); }
  [[nodiscard]] std::optional<double> against_60() const { return value(now_ - slow_); }

 private:
  [[nodiscard]] std::optional<double> value(double of) const {
    return known_ ? std::optional(of) : std::nullopt;
  }

  bool known_ = false;
  Nanoseconds last_{0};
  double now_ = 0, middle_ = 0, slow_ = 0;
};

}  // namespace rocktune
