// Episodes: when an indicator's event began and ended, by the rules of docs/score.md: an onset is
// the first moment that the condition holds after at least 30 s of known quiet. Pure.
#pragma once

#include <optional>

#include "model/clock.h"
#include "model/indicators.h"

namespace rocktune {

class Episodes {
 public:
  static constexpr double kQuietSeconds = kNewEventAfterSeconds;
  // A longer time without a known condition begins all anew, as a clock that steps back does.
  static constexpr double kLongestHoleSeconds = 10;

  // Once per sample, in order. `known`: whether the condition could be told.
  void update(Nanoseconds tick, bool known, bool holds);
  // What was before says nothing of what comes: a reopening.
  void clear() { *this = Episodes(); }

  [[nodiscard]] bool onset_now() const { return onset_now_; }  // an episode began in this update
  [[nodiscard]] bool holds() const { return holds_; }
  // As of the last update; absent where there was none yet.
  [[nodiscard]] std::optional<double> seconds_since_event() const;
  [[nodiscard]] std::optional<double> seconds_since_onset() const;
  [[nodiscard]] std::optional<Nanoseconds> last_onset() const { return last_onset_; }
  // The mean time between onsets, newer ones counting more; absent before the second.
  [[nodiscard]] std::optional<double> mean_interval() const { return mean_interval_; }

 private:
  Nanoseconds now_{0};
  bool holds_ = false, onset_now_ = false;
  std::optional<Nanoseconds> last_known_, quiet_since_, last_event_, last_onset_;
  std::optional<double> mean_interval_;
};

}  // namespace rocktune
