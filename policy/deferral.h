// Deferral: compactions that have come to fill the device beside reads which are near their SLO may
// wait while no limit is near: they get a share of what passes, and debt grows. Once a limit is
// near, what was deferred is due: they get nearly all that passed before, so that they wait at the
// limiter and not in the device's queue before reads, and all of it when that does not do, or when
// more is written.
//
// It is a loan, for a load that is new and may go: none where the device has been full for most of
// the last minutes, and none soon after another. docs/control.md, "The limiter". Pure; bounded;
// internal to policy/.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "policy/full_device.h"
#include "policy/growing_rest.h"
#include "policy/situation.h"

namespace rocktune {

inline constexpr std::string_view kDeferRule = "limiter.defer";

class Deferral {
 public:
  enum class Stage { kNone, kDeferred, kDue };

  // Call once per sample, before what follows.
  void observe(const Situation& situation);
  // To what compactions are to wait behind. The loop knows whether its limit may be lowered.
  [[nodiscard]] std::optional<Proposal> lower(const Situation& situation,
                                              const KnobReading& reading,
                                              const FullDevice& full) const;
  // While it lasts: towards the rate to go back to, in two steps, and in one where there is no time
  // for two.
  [[nodiscard]] std::optional<Proposal> raise(const Situation& situation,
                                              const KnobReading& reading, const FullDevice& full,
                                              std::int64_t back) const;
  // The limiter was lowered to so many bytes/s for it; was raised as wished; is back, or others
  // have raised it.
  void begin(double rate, Nanoseconds now);
  void raised(Nanoseconds now);
  void end(Nanoseconds now);

  [[nodiscard]] Stage stage() const { return stage_; }

 private:
  // The rate to defer to, bytes/s; absent: nothing is to be deferred now.
  [[nodiscard]] std::optional<double> wanted(const Situation& situation,
                                             const FullDevice& full) const;
  // More is written than in the minutes before it, or writers wait. (Clients that wait for reads
  // write more once these are fast: no more than they did.)
  [[nodiscard]] bool must_end(const Situation& situation, const FullDevice& full) const;
  // What was deferred is due; in its time, what that did not do.
  [[nodiscard]] bool is_due(const Situation& situation) const;
  [[nodiscard]] bool has_lasted(Nanoseconds now) const;  // it is no load that is new and may go
  // Reads have been far from their SLO for a while beside a limit that binds: there is room to work
  // debt off.
  [[nodiscard]] bool has_room() const;
  [[nodiscard]] double due_rate() const;  // bytes/s

  Stage stage_ = Stage::kNone;
  double passed_ = 0;  // as of the last sample, bytes/s
  double full_ = 0;    // ...before the lowering
  std::optional<Nanoseconds> begun_at_, raised_at_;
  GrowingRest rest_;  // since the last one
  Held fast_, gone_;
  double fast_seconds_ = 0;
};

}  // namespace rocktune
