// WriteRelief: whether larger single writes relieved the writers for whom they were made larger
// (policy/write_size_loop.h). On a full device larger writes give compactions more of it and reads
// less; where more is asked for than the device does, writers lose about as much time with any
// size. Pure; bounded; internal to policy/.
#pragma once

#include <optional>

#include "model/trend.h"
#include "policy/growing_rest.h"

namespace rocktune {

class WriteRelief {
 public:
  struct Futile {
    double before = 0, after = 0;  // share of the time that writers lost
  };
  // Call with each sample: what share of the time writers lost in it.
  void note(Nanoseconds now, const std::optional<double>& lost) { lost_.note(now, lost); }
  void enlarged(Nanoseconds now) {
    const auto before = lost_.mean(kSeconds);
    trial_.reset();
    if (before) trial_ = Trial{now, *before};
    lost_.clear();
  }
  // By whomever: where it was larger in vain no relief is sought for a while.
  void lowered(Nanoseconds now) {
    if (futile(now)) rest_.begin(now);
    trial_.reset();
  }
  // Writers have lost nearly as much since; true for a minute, after which what stands stays.
  [[nodiscard]] std::optional<Futile> futile(Nanoseconds now) const {
    const double seconds = trial_ ? seconds_between(trial_->tick, now) : 0;
    const auto after = lost_.mean(kSeconds);
    const bool judged = seconds >= kSeconds && seconds < kSeconds + kOfferedSeconds;
    if (!judged || !after || *after <= kRelieved * trial_->before) return std::nullopt;
    return Futile{trial_->before, *after};
  }
  [[nodiscard]] bool rests(Nanoseconds now) const { return rest_.lasts(now); }

 private:
  // Level 0 has to be worked off first, which a compaction or two do.
  static constexpr double kSeconds = 30, kOfferedSeconds = 60;
  static constexpr double kRelieved = 0.7;  // of what was lost before; more is no relief
  struct Trial {
    Nanoseconds tick{0};
    double before = 0;
  };
  Trend lost_{Trend::Jumps::kKeep, 0, kSeconds};
  std::optional<Trial> trial_;
  GrowingRest rest_;
};

}  // namespace rocktune
