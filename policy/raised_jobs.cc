#include "policy/raised_jobs.h"

#include <algorithm>

namespace rocktune {
namespace {

// A tenth more bytes make a raise one that helped: less is what runs of the same load differ by.
constexpr double kLeastMovedGain = 1.1;
// Stalls of moments, so far apart, are still one trouble; without any longer the raise may go as it
// came (jobs.loaded).
constexpr double kStillStallsSeconds = 20;
constexpr double kJudgedAfterSeconds = 30, kBackOfferedSeconds = 60;
// Known for so long before a raise, or nothing is: a flush that ends is a burst of bytes.
constexpr double kLeastKnownSeconds = 10;
// A device is not loaded, too, while nobody knows how long its reads take: it has to be for longer.
constexpr double kDeviceFreeSeconds = 10;

Value moved_bytes(const Features& f) {
  const Value &flushed = f.flush_bytes_per_second, &written = f.compaction_write_bytes_per_second;
  if (!flushed || !written) return std::nullopt;
  return *flushed + *written + f.compaction_read_bytes_per_second.value_or(0);
}

}  // namespace

void RaisedJobs::judge(const Situation& situation, std::int64_t jobs) {
  if (!raise_ || within(raise_->tick, situation.now, kJudgedAfterSeconds)) return;
  const Raise raise = *raise_;
  raise_.reset();
  const Value after = moved_.mean(kJudgedAfterSeconds);
  const bool limited = situation.binding || situation.features.limiter_rate != raise.limiter_rate;
  const bool told = within(stalled_at_, situation.now, kStillStallsSeconds) &&
                    situation.device_loaded && raise.moved && after && !limited;
  if (!told) return;
  if (*after >= kLeastMovedGain * *raise.moved) {
    futile_.reset();
    return;
  }
  const bool again =
      futile_ && within(futile_->since, situation.now, rest_seconds_ + kLongestRestSeconds);
  rest_seconds_ = again ? std::min(2 * rest_seconds_, kLongestRestSeconds) : kFirstRestSeconds;
  futile_ = Futile{situation.now, raise.from, jobs, *raise.moved, *after};
}

void RaisedJobs::observe(const Situation& situation, std::int64_t jobs, bool own) {
  if (situation.stalled) stalled_at_ = situation.now;
  free_seconds_ = free_.update(!situation.device_loaded, situation.now);
  judge(situation, jobs);
  if (jobs_ && jobs != *jobs_) {
    const bool known = moved_.span_seconds() >= kLeastKnownSeconds;
    if (!own || jobs < *jobs_) raise_.reset();
    if (own && jobs > *jobs_) {
      if (!raise_) {
        raise_ =
            Raise{situation.now, *jobs_, known ? moved_.mean(kJudgedAfterSeconds) : std::nullopt,
                  situation.features.limiter_rate};
      }
      raise_->tick = situation.now;
    }
    moved_.clear();
  }
  jobs_ = jobs;
  moved_.note(situation.now, moved_bytes(situation.features));
}

bool RaisedJobs::may_raise(Nanoseconds now) const {
  const bool rests = futile_ && within(futile_->since, now, rest_seconds_);
  return (!raise_ && !rests) || free_seconds_ >= kDeviceFreeSeconds;
}

std::optional<RaisedJobs::Futile> RaisedJobs::to_go_back(const Situation& situation) const {
  const bool offered = futile_ && within(futile_->since, situation.now, kBackOfferedSeconds);
  return offered && situation.device_loaded ? futile_ : std::nullopt;
}

}  // namespace rocktune
