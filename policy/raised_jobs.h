// RaisedJobs: whether a raise of max_background_jobs brought what it was made for. On a device that
// compactions keep busy more of them move no more bytes: they take turns with each other, and with
// reads. Looked at 30 s after the last step (steps before that are one raise), and for as long
// again until it can be told: the device is loaded, writers stalled again meanwhile, and the
// limiter neither binds nor has changed. A raise that moved no more bytes and did not make stalls
// rarer is to go back, and the next on a loaded device waits (policy/growing_rest.h). Steps up from
// many jobs are too small for that, and stalls of a large tree come and go: what all slots move in
// a stall on a loaded device has to be more with a quarter more jobs, too, however long that took.
// Pure; bounded; internal to policy/.
#pragma once

#include <cstdint>
#include <optional>

#include "policy/growing_rest.h"
#include "policy/situation.h"

namespace rocktune {

class RaisedJobs {
 public:
  struct Futile {
    std::int64_t back_to = 0, jobs = 0;
    double before = 0, after = 0;  // read by compactions, written by them and by flushes, bytes/s
  };
  // Call with every sample. `own`: the loop asked for what rose.
  void observe(const Situation& situation, std::int64_t jobs, bool own);
  // Not while a raise is not judged, nor after one that was futile, where the device was loaded
  // within 10 s: it is not, too, while nobody knows how long its reads take. Nor after a futile one
  // while nine tenths are moved of what was moved before it, and hardly more than beside it.
  [[nodiscard]] bool may_raise(Nanoseconds now) const;
  // What is to go back; for a minute, then what stands stays.
  [[nodiscard]] std::optional<Futile> to_go_back(const Situation& situation) const;

 private:
  static constexpr double kBeforeSeconds = 20;
  struct Raise {
    Nanoseconds tick{0};    // of the last step
    std::int64_t from = 0;  // before the first, as all that follows
    Value moved;            // bytes/s
    double stalled = 0;     // share of the time
    Value limiter_rate;
  };
  // What all slots of so many jobs moved, writers stalling, on a loaded device.
  struct Full {
    std::int64_t jobs = 0;
    double moved = 0;  // bytes/s
    Value limiter_rate;
  };
  [[nodiscard]] bool can_tell(const Situation& situation) const;
  void judge(const Situation& situation, std::int64_t jobs);
  void note_full(const Situation& situation, std::int64_t jobs);
  void judge_full(const Situation& situation, std::int64_t jobs);
  void note_change(const Situation& situation, std::int64_t jobs, bool own);
  void go_back(Nanoseconds now, const Futile& futile);

  std::optional<std::int64_t> jobs_;  // as last seen
  std::optional<Raise> raise_;        // not judged yet
  std::optional<Full> full_;          // with the fewest jobs
  bool climbs_ = false;               // now full, with far more than those: not judged yet
  std::optional<Futile> futile_;
  bool offered_ = false;  // that it goes back
  std::optional<Nanoseconds> stalled_at_, loaded_at_, changed_at_;
  GrowingRest rest_;  // since one was futile
  // With as many jobs as now
  Trend moved_{Trend::Jumps::kKeep, 0, kBeforeSeconds};
  Trend full_moved_{Trend::Jumps::kKeep, 0, kBeforeSeconds};
  Trend stalled_{Trend::Jumps::kKeep, 0, kBeforeSeconds};
};

}  // namespace rocktune
