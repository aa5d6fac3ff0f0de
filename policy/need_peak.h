// NeedPeak: the largest rate that writes needed in the background, less and less as that is longer
// ago: a load that comes and goes needs what it needed when it was there. Pure; internal to
// policy/.
#pragma once

#include <algorithm>
#include <cmath>

#include "policy/situation.h"

namespace rocktune {

class NeedPeak {
 public:
  // Call with every sample.
  void observe(const Situation& situation) {
    const double passed = looked_ ? seconds_between(*looked_, situation.now) : 0;
    looked_ = situation.now;
    if (peak_) *peak_ *= std::exp(-passed / kFadesSeconds);
    // Not yet what is to be remembered: one compaction beside seconds of writes can be anything.
    if (!situation.need || !situation.write_amplification) return;
    // As a burst begins it is written times what writes cost before it: nobody has seen that pass.
    const bool waits = situation.binding || situation.trouble || !situation.passed_peak;
    const double need = waits ? *situation.need : std::min(*situation.need, *situation.passed_peak);
    peak_ = std::max(need, peak_.value_or(0));
  }
  // Bytes/s; 0 where no need is known.
  [[nodiscard]] double largest(const Situation& situation) const {
    return std::max(situation.need.value_or(0), peak_.value_or(0));
  }

 private:
  static constexpr double kFadesSeconds = 600;  // to a third
  Value peak_;
  std::optional<Nanoseconds> looked_;
};

}  // namespace rocktune
