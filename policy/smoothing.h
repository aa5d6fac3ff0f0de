// Smoothing: on a device that flushes and compactions have come to fill beside reads which are near
// their SLO, they get nearly all of what passes, and no more at any moment. What both write at once
// otherwise is more than the device does, and reads wait in its queue for as long as a flush takes:
// the longer the larger the memtables are. Unlike a deferral (policy/deferral.h) it leaves no debt
// to speak of, so that it does for a burst of writes, too, while there is room in level 0. It is
// also done for the reads of another database on the device (policy/device_smoothing.h).
// docs/control.md, "The limiter". Pure; bounded; internal to policy/.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/trend.h"
#include "policy/full_device.h"
#include "policy/growing_rest.h"
#include "policy/situation.h"

namespace rocktune {

inline constexpr std::string_view kSmoothRule = "limiter.smooth";

// The rate from which on others' reads ask to smooth; absent: they do not.
std::optional<double> asked_to_smooth(const Situation& situation);

class Smoothing {
 public:
  // Call once per sample, before what follows.
  void observe(const Situation& situation, const FullDevice& full);
  // The loop knows whether its limit may be lowered.
  [[nodiscard]] std::optional<Proposal> lower(const Situation& situation,
                                              const KnobReading& reading,
                                              const FullDevice& full) const;
  // While it lasts: to the rate to go back to, once writers wait or it is not needed.
  [[nodiscard]] std::optional<Proposal> raise(const Situation& situation,
                                              const KnobReading& reading, std::int64_t back) const;
  // The limiter was lowered to so many bytes/s for it; was raised, by whomever.
  void begin(double rate, bool for_others);
  void end(Nanoseconds now);
  [[nodiscard]] bool lasts() const { return lasts_; }
  // ...and flushes and compactions wait for it: not one that only bounds what may come.
  [[nodiscard]] bool is_felt() const { return lasts_ && !bounds_; }
  [[nodiscard]] bool is_for_others() const { return lasts_ && for_others_; }

 private:
  [[nodiscard]] bool is_gone(const Situation& situation) const;

  bool lasts_ = false;
  bool for_others_ = false;
  bool bounds_ = false;                       // little is written: for a compaction that may come
  Trend passed_{Trend::Jumps::kKeep, 0, 10};  // bytes/s, through the limiter
  // After one that ended for want of room; others' reads ask less often.
  GrowingRest rest_{5}, rest_from_others_{60};
  Held idle_, fast_, bound_;
  double idle_seconds_ = 0, fast_seconds_ = 0;
  double written_ = 0;     // the most as it began, bytes/s
  bool crowded_ = false;   // it has no room left...
  bool outgrown_ = false;  // ...since more is written than it was made for
  bool held_up_ = false;   // ...or what bounds has held something up for long
};

}  // namespace rocktune
