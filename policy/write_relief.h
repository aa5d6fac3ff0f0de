// WriteRelief: whether larger single writes relieved the writers for whom they were made larger
// (policy/write_size_loop.h). On a full device larger writes give compactions more of it and reads
// less; where more is asked for than the device does, writers lose about as much time with any
// size. Pure; bounded; internal to policy/.
#pragma once

#include <algorithm>
#include <optional>

#include "model/trend.h"
#include "policy/growing_rest.h"
#include "policy/wishes.h"

namespace rocktune {

class WriteRelief {
 public:
  struct Futile {
    double before = 0, after = 0;  // share of the time that writers lost
  };
  // Call with each sample: what share of the time writers lost in it.
  void note(Nanoseconds now, const std::optional<double>& lost) {
    if (lost && *lost > 0) {
      if (!lost_at_ || seconds_between(*lost_at_, now) > kSeconds) began_ = noted_.value_or(now);
      lost_at_ = now;
    }
    noted_ = now;
    lost_.note(now, lost);
    judge(now);
  }
  // For writers that lost hardly anything yet there is nothing to compare with.
  void enlarged(Nanoseconds now) {
    const auto before = lost_before(now);
    forget();
    if (before && *before >= kLeastLost) trial_ = Trial{now, *before, {}, {}};
  }
  // By whomever: where it was larger in vain no relief is sought for a while.
  void lowered(Nanoseconds now) {
    if (futile(now)) rest_.begin(now);
    forget();
  }
  // Nobody could have changed anything meanwhile.
  void forget() { trial_.reset(); }
  // Writers have lost nearly as much since: as seen once, and true for as long as a return is
  // offered, after which what stands stays.
  [[nodiscard]] std::optional<Futile> futile(Nanoseconds now) const {
    const bool offered = trial_ && within_offer(now);
    return offered ? trial_->futile : std::nullopt;
  }
  [[nodiscard]] bool rests(Nanoseconds now) const { return rest_.lasts(now); }

 private:
  static constexpr double kSeconds = 30;
  static constexpr double kWorkedOffSeconds = 30;  // level 0 first, which a compaction or two do
  static constexpr double kLeastLost = 0.05;
  static constexpr double kRelieved = 0.7;  // of what was lost before; more is no relief
  struct Trial {
    Nanoseconds tick{0};
    double before = 0;
    std::optional<Nanoseconds> judged;
    std::optional<Futile> futile;
  };
  // From the first of the last kSeconds in which they lost anything: a stall that has just begun
  // is not to be told by the calm before it.
  [[nodiscard]] std::optional<double> lost_before(Nanoseconds now) const {
    if (!lost_at_ || seconds_between(*lost_at_, now) > kSeconds) return std::nullopt;
    return lost_.mean(std::min(kSeconds, seconds_between(began_, now)));
  }
  void judge(Nanoseconds now) {
    if (!trial_ || trial_->judged) return;
    if (seconds_between(trial_->tick, now) < kWorkedOffSeconds + kSeconds) return;
    trial_->judged = now;
    const auto after = lost_.mean(kSeconds);
    if (after && *after > kRelieved * trial_->before) trial_->futile = {trial_->before, *after};
  }
  [[nodiscard]] bool within_offer(Nanoseconds now) const {
    return within(trial_->judged, now, kReturnOfferedSeconds);
  }

  Trend lost_{Trend::Jumps::kKeep, 0, kSeconds};
  Nanoseconds began_{0};                        // to lose time, after kSeconds without
  std::optional<Nanoseconds> lost_at_, noted_;  // last
  std::optional<Trial> trial_;
  GrowingRest rest_;
};

}  // namespace rocktune
