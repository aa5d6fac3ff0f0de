// StopPattern: whether writes are stopped again and again. Samples catch a stop or miss it: one
// that is caught is a pattern at no poll interval. Pure; a fixed size; internal.
#pragma once

#include "model/trend.h"

namespace rocktune {

class StopPattern {
 public:
  static constexpr double kSeconds = 30;  // that it looks back

  // Of a sample: `stopped` is 0 or 1.
  void note(Nanoseconds now, double stopped) { stopped_.add(now, stopped); }
  void expire(Nanoseconds now) { stopped_.expire(now); }  // where a sample has none
  void clear() { stopped_.clear(); }

  // Of the samples of kSeconds, those in a stop.
  [[nodiscard]] double share() const { return stopped_.mean(kSeconds).value_or(0); }
  [[nodiscard]] double span_seconds() const { return stopped_.span_seconds(); }
  [[nodiscard]] bool holds() const {
    return share() >= kShare && share() * static_cast<double>(stopped_.size()) > kFewest - 0.5;
  }

 private:
  static constexpr double kShare = 0.1;
  static constexpr double kFewest = 3;  // samples

  Trend stopped_{Trend::Jumps::kKeep, 0, kSeconds};
};

}  // namespace rocktune
