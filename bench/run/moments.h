// In a phase without a rate nothing is due: a thread that stands still delays nobody on record, and
// the longer it does, the fewer operations are there to show it (coordinated omission). There the
// latency at any moment is taken as well: what comes to a thread at a moment waits until the thread
// has done what it is at, and then takes what the thread's last operation of that kind took.
//
// Pure; one for each thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>

#include "model/clock.h"
#include "scenario/workload/operation.h"

namespace rocktune::bench {

class Moments {
 public:
  // As dense as a stop has to be long to be seen.
  static constexpr Nanoseconds kApart = std::chrono::milliseconds(1);

  explicit Moments(Nanoseconds start) : next_(start) {}

  // The thread was at `operation` from the end of the one before until now; the moments before
  // `end` count. Calls seen(kind, latency) for each of them and each kind that was done before.
  template <typename Seen>
  void done(scenario::Operation operation, Nanoseconds took, Nanoseconds now, Nanoseconds end,
            const Seen& seen) {
    for (; next_ < now && next_ < end; next_ += kApart) {
      for (std::size_t kind = 0; kind < last_.size(); ++kind) {
        if (last_[kind]) seen(static_cast<scenario::Operation>(kind), now - next_ + *last_[kind]);
      }
    }
    last_[static_cast<std::size_t>(operation)] = took;
  }

 private:
  Nanoseconds next_;
  std::array<std::optional<Nanoseconds>, scenario::kOperations> last_;
};

}  // namespace rocktune::bench
