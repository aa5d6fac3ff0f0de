// In a phase without a rate nothing is due: a thread that stands still delays nobody on record, and
// the longer it does, the fewer operations are there to show it (coordinated omission). There the
// latency at any moment is taken as well: what comes to a thread at a moment waits until the thread
// has done what it is at, and then takes what the thread's last operation of that kind took; before
// there was one, nothing, the least that it can be.
//
// Pure; one for each thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

#include "model/clock.h"
#include "scenario/workload/mix.h"

namespace rocktune::bench {

class Moments {
 public:
  // A thousand a second on each thread: what holds a percent of the time up is seen within one.
  static constexpr Nanoseconds kApart = std::chrono::milliseconds(1);

  Moments(const scenario::Mix& mix, Nanoseconds start, Nanoseconds end)
      : mix_(mix), next_(start), end_(end) {}

  // The thread was at `operation` from the end of the one before, or the start, until now. Calls
  // seen(kind, latency) for each moment of that time and each kind of the mix.
  template <typename Seen>
  void done(scenario::Operation operation, Nanoseconds took, Nanoseconds now, const Seen& seen) {
    for (; next_ < now && next_ < end_; next_ += kApart) {
      for (std::size_t kind = 0; kind < last_.size(); ++kind) {
        if (mix_.shares[kind] <= 0) continue;
        seen(static_cast<scenario::Operation>(kind), now - next_ + last_[kind]);
      }
    }
    last_[static_cast<std::size_t>(operation)] = took;
  }

 private:
  scenario::Mix mix_;
  Nanoseconds next_, end_;
  std::array<Nanoseconds, scenario::kOperations> last_{};
};

}  // namespace rocktune::bench
