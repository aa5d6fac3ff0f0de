// When is each operation of one thread due? Open loop: the schedule does not wait for operations
// that are late, and latency counts from the due time, so that a stall is charged to every
// operation that it delayed (no coordinated omission).
//
// The threads of a phase interleave: thread t of n has the operations t, t + n, t + 2n ... of the
// phase's schedule (see workload/rate.h). Without a rate every operation is due when the one before
// has ended (closed loop). Pure.
#pragma once

#include <cmath>
#include <cstdint>

#include "model/clock.h"
#include "scenario/workload/rate.h"

namespace rocktune::bench {

class Pacer {
 public:
  Pacer(const scenario::Rate& rate, std::int64_t thread, std::int64_t threads, Nanoseconds start,
        Nanoseconds end)
      : rate_(rate),
        thread_(static_cast<double>(thread)),
        threads_(static_cast<double>(threads)),
        start_(start),
        end_(end) {}

  [[nodiscard]] bool paced() const { return rate_.paced(); }

  // The due time of the next operation, given the time now; moves on to the one after. May be in
  // the past (late) or the future (sleep until then); at or after the end there is none.
  Nanoseconds next(Nanoseconds now) {
    if (!rate_.paced()) return now;
    const double at = rate_.when(thread_ + threads_ * static_cast<double>(index_++));
    const double latest = std::chrono::duration<double>(end_ - start_).count();
    if (!(at < latest)) return end_;
    return start_ + Nanoseconds(std::llround(at * 1e9));
  }

  // So many are passed over.
  void skip(std::uint64_t operations) { index_ += operations; }

  // Operations that were due before `now` or the end, and which neither next() nor skip() took.
  [[nodiscard]] std::uint64_t never_started(Nanoseconds now) const {
    if (!rate_.paced()) return 0;
    const Nanoseconds until = now < end_ ? now : end_;
    const double due = rate_.due_by(std::chrono::duration<double>(until - start_).count());
    // What is due exactly at the end is never begun; rounding must not count it.
    const double mine = std::ceil((due - thread_) / threads_ - 1e-6);
    const auto scheduled = static_cast<std::uint64_t>(std::fmax(0, mine));
    return scheduled > index_ ? scheduled - index_ : 0;
  }

 private:
  scenario::Rate rate_;
  double thread_;
  double threads_;
  Nanoseconds start_;
  Nanoseconds end_;
  std::uint64_t index_ = 0;
};

}  // namespace rocktune::bench
