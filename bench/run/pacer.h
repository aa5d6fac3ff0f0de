// When is each operation of one thread due? Open loop: the schedule does not wait for operations
// that are late, and latency counts from the due time, so that a stall is charged to every
// operation that it delayed (no coordinated omission).
//
// The threads of a phase interleave: thread t of n has the due times start + (k*n + t)/rate.
// Without a rate every operation is due when the one before has ended (closed loop). Pure.
#pragma once

#include <cstdint>

#include "model/clock.h"

namespace rocktune::bench {

class Pacer {
 public:
  Pacer(double ops_per_second, std::int64_t thread, std::int64_t threads, Nanoseconds start,
        Nanoseconds end)
      : interval_ns_(ops_per_second > 0 ? static_cast<double>(threads) * 1e9 / ops_per_second : 0),
        offset_ns_(ops_per_second > 0 ? static_cast<double>(thread) * 1e9 / ops_per_second : 0),
        start_(start),
        end_(end) {}

  // The due time of the next operation, given the time now; moves on to the one after. May be in
  // the past (late) or the future (sleep until then); at or after the end there is none.
  Nanoseconds next(Nanoseconds now) {
    if (interval_ns_ <= 0) return now;
    const double at = offset_ns_ + interval_ns_ * static_cast<double>(index_++);
    return start_ + Nanoseconds(static_cast<std::int64_t>(at));
  }

  // Operations that were due before `now` or the end, and for which next() was never called.
  [[nodiscard]] std::uint64_t never_started(Nanoseconds now) const {
    if (interval_ns_ <= 0) return 0;
    const Nanoseconds until = now < end_ ? now : end_;
    const double due = (static_cast<double>((until - start_).count()) - offset_ns_) / interval_ns_;
    if (due < 0) return 0;
    const auto scheduled = static_cast<std::uint64_t>(due) + 1;
    return scheduled > index_ ? scheduled - index_ : 0;
  }

 private:
  double interval_ns_;
  double offset_ns_;
  Nanoseconds start_;
  Nanoseconds end_;
  std::uint64_t index_ = 0;
};

}  // namespace rocktune::bench
