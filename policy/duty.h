// Duty: the share of late time in which something was so; what is longer ago counts less (a third
// after ten minutes). From never it takes 23 minutes without a break to nine tenths. Pure; internal
// to policy/.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "model/clock.h"

namespace rocktune {

class Duty {
 public:
  // Call with every sample; of a longer time in which nobody looked half a minute counts.
  double update(bool is_so, Nanoseconds now) {
    const double passed = looked_ ? std::min(seconds_between(*looked_, now), kMostSeconds) : 0;
    looked_ = now;
    share_ += (1 - std::exp(-passed / kFadesSeconds)) * ((is_so ? 1 : 0) - share_);
    return share_;
  }
  void reset() { *this = Duty(); }

 private:
  static constexpr double kFadesSeconds = 600, kMostSeconds = 30;
  double share_ = 0;
  std::optional<Nanoseconds> looked_;
};

}  // namespace rocktune
