#include "model/heads/episodes.h"

namespace rocktune {
namespace {

constexpr double kNewestWeight = 0.3;

}  // namespace

void Episodes::update(Nanoseconds tick, bool known, bool holds) {
  if (tick < now_ || (last_known_ && seconds_between(*last_known_, tick) > kLongestHoleSeconds)) {
    clear();
  }
  now_ = tick;
  onset_now_ = false;
  holds_ = known && holds;
  if (!known) return;  // a short hole repeats what was before it
  last_known_ = tick;
  if (!holds) {
    if (!quiet_since_) quiet_since_ = tick;
    return;
  }
  last_event_ = tick;
  const bool after_quiet = quiet_since_ && seconds_between(*quiet_since_, tick) >= kQuietSeconds;
  quiet_since_.reset();
  if (!after_quiet) return;
  onset_now_ = true;
  if (last_onset_) {
    const double interval = seconds_between(*last_onset_, tick);
    mean_interval_ =
        mean_interval_ ? *mean_interval_ + kNewestWeight * (interval - *mean_interval_) : interval;
  }
  last_onset_ = tick;
}

std::optional<double> Episodes::seconds_since_event() const {
  if (!last_event_) return std::nullopt;
  return seconds_between(*last_event_, now_);
}

std::optional<double> Episodes::seconds_since_onset() const {
  if (!last_onset_) return std::nullopt;
  return seconds_between(*last_onset_, now_);
}

}  // namespace rocktune
