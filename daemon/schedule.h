// Schedule: when polls are due. The next one is due at the previous due time plus the interval,
// never at "now plus the interval", so that a late poll does not shift those after it.
// Arithmetic only; the caller waits.
#pragma once

#include <cstdint>

#include "model/clock.h"

namespace rocktune::daemon {

class Schedule {
 public:
  Schedule(Nanoseconds interval, Nanoseconds first_due) : interval_(interval), next_(first_due) {}

  struct Poll {
    Nanoseconds due{0};           // of the poll to make now
    Nanoseconds first_missed{0};  // due times that passed unpolled: this one, then each interval
    std::uint64_t missed = 0;
    bool late = false;  // began later than half an interval after it was due
  };

  [[nodiscard]] Nanoseconds next() const { return next_; }
  [[nodiscard]] Nanoseconds interval() const { return interval_; }

  // The poll to make at `now`, which must not be before next(). Whole intervals that passed
  // meanwhile are missed; the latest due time not after `now` is the one polled.
  Poll take(Nanoseconds now);

  // From the next poll on.
  void set_interval(Nanoseconds interval) { interval_ = interval; }

 private:
  Nanoseconds interval_;
  Nanoseconds next_;
};

}  // namespace rocktune::daemon
