// RaisedJobs: whether a raise of max_background_jobs brought what it was made for. On a device that
// compactions keep busy more of them move no more bytes: they take turns with each other, and with
// reads. Looked at 30 s after the last step (steps before that are one raise), and only where it
// can be told: writers stalled again meanwhile, the device is loaded, and the limiter is none or as
// it was. A raise that is found futile is to go back, and the next on a loaded device waits: ten
// minutes; futile again within four hours of the end, twice as long, up to four hours. Pure;
// bounded; internal to policy/.
#pragma once

#include <cstdint>
#include <optional>

#include "policy/situation.h"

namespace rocktune {

class RaisedJobs {
 public:
  struct Futile {
    Nanoseconds since{0};
    std::int64_t back_to = 0, jobs = 0;
    double before = 0, after = 0;  // read by compactions, written by them and by flushes, bytes/s
  };
  // Call with every sample. `own`: the loop asked for what rose.
  void observe(const Situation& situation, std::int64_t jobs, bool own);
  // Not on a loaded device while a raise is not judged, nor after one that was futile.
  [[nodiscard]] bool may_raise(Nanoseconds now) const;
  // What is to go back; for a minute, then what stands stays.
  [[nodiscard]] std::optional<Futile> to_go_back(const Situation& situation) const;

 private:
  // As a blamed rule rests (policy/blame.cc).
  static constexpr double kFirstRestSeconds = 600, kLongestRestSeconds = 4 * 3600;
  struct Raise {
    Nanoseconds tick{0};    // of the last step
    std::int64_t from = 0;  // before the first
    Value moved;            // bytes/s before the first
    Value limiter_rate;
  };
  void judge(const Situation& situation, std::int64_t jobs);

  std::optional<std::int64_t> jobs_;  // as last seen
  std::optional<Raise> raise_;        // not judged yet
  std::optional<Futile> futile_;
  std::optional<Nanoseconds> stalled_at_;  // last
  double rest_seconds_ = kFirstRestSeconds, free_seconds_ = 0;
  Trend moved_{Trend::Jumps::kKeep, 0, 20};  // with as many jobs as now
  Held free_;                                // the device is not loaded
};

}  // namespace rocktune
