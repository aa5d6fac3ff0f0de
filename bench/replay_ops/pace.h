// When a recorded operation is due: as long after the begin of the replay as it was recorded after
// the begin of the trace, times 1/speed. The schedule does not wait for operations that are late,
// and latency counts from the due time. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/clock.h"

namespace rocktune::bench {

class RecordedPace {
 public:
  RecordedPace(std::uint64_t first_us, double speed, Nanoseconds begin)
      : first_us_(first_us), speed_(speed), begin_(begin), latest_(begin) {}

  // Times are of the wall clock, which may have been set back meanwhile: never before the operation
  // in front of it.
  Nanoseconds due(std::uint64_t recorded_us) {
    const double after_us =
        recorded_us > first_us_ ? static_cast<double>(recorded_us - first_us_) : 0;
    constexpr double kNsPerUs = 1000;
    latest_ = std::max(
        latest_, begin_ + Nanoseconds(static_cast<std::int64_t>(after_us * kNsPerUs / speed_)));
    return latest_;
  }

 private:
  const std::uint64_t first_us_;
  const double speed_;
  const Nanoseconds begin_;
  Nanoseconds latest_;
};

}  // namespace rocktune::bench
