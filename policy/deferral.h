// Deferral: compactions that have come to fill the device beside reads which are near their SLO may
// wait while no limit is near: they get a share of what passes, and debt grows. Once a limit is
// near, what was deferred is due: they get nearly all that passed before, so that they wait at the
// limiter and not in the device's queue before reads, and all of it when that does not do.
//
// It is a loan, for a load that is new and may go: none where the device has been full for most of
// the last minutes, and the sooner loans come due the longer until the next one. docs/control.md,
// "The limiter". Pure; bounded; internal to policy/.
#pragma once

#include <optional>

#include "model/trend.h"
#include "policy/learnt_wait.h"
#include "policy/situation.h"

namespace rocktune {

class Deferral {
 public:
  // Of rests after a loan that came due.
  static constexpr double kLeastRestSeconds = 900;

  enum class Stage { kNone, kDeferred, kDue };

  // Call once per sample, before what follows.
  void observe(const Situation& situation);
  // The rate to defer to, bytes/s; absent: nothing is to be deferred now.
  [[nodiscard]] std::optional<double> wanted(const Situation& situation) const;
  // The limiter was lowered to that, was raised (by whomever), or is back.
  void begin(Nanoseconds now);
  void raised(Nanoseconds now);
  void end();

  [[nodiscard]] Stage stage() const { return stage_; }
  // What was deferred is due; in its time, what that did not do.
  [[nodiscard]] bool is_due(const Situation& situation) const;
  [[nodiscard]] double due_rate() const;  // bytes/s
  // Reads have been far from their SLO for a while: there is room to work debt off.
  [[nodiscard]] bool has_room() const;

 private:
  Stage stage_ = Stage::kNone;
  double passed_ = 0;  // as of the last sample, bytes/s
  double full_ = 0;    // ...before the lowering
  std::optional<Nanoseconds> raised_at_, due_at_;
  LearntWait rest_{kLeastRestSeconds};  // after one that came due
  Trend compacts_{Trend::Jumps::kKeep, 0, 10};
  Trend filled_{Trend::Jumps::kKeep, 0, 600};       // 1 when compactions fill the device, or 0
  Trend free_p99_us_{Trend::Jumps::kKeep, 0, 600};  // of reads, while the device has room
  Held slow_, fast_;
  double slow_seconds_ = 0, fast_seconds_ = 0;
};

}  // namespace rocktune
