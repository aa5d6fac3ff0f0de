#include "policy/raised_jobs.h"

#include <algorithm>

#include "model/write_stall.h"
#include "policy/job_slots.h"
#include "policy/others_work.h"
#include "policy/wishes.h"

namespace rocktune {
namespace {

// A tenth more bytes, or stalls that take a third less of the time, make a raise one that helped:
// less is what two looks at the same load differ by.
constexpr double kLeastMovedGain = 1.1, kLeastStallsSpared = 1.0 / 3;
constexpr double kJudgedAfterSeconds = 30, kGivenUpSeconds = 60;
// Stalls of moments, so far apart, are still one trouble; without any longer the raise may go as it
// came (jobs.loaded).
constexpr double kStillStallsSeconds = 20;
// Known for so long before a raise, or nothing is: a flush that ends is a burst of bytes.
constexpr double kLeastKnownSeconds = 10;
constexpr double kLoadedLatelySeconds = 10;
// A device that moves nearly as many bytes as when more jobs moved no more is as full, however long
// its reads take: of few reads, beside large writes, hardly any waits.
constexpr double kAsFull = 0.9;
// So many times the jobs move so much more, or the device moves no more: what it moves with all
// slots in use is known to a few hundredths. Looked at for so long.
constexpr double kClimb = 1.25, kLeastClimbGain = 1.05, kLeastFullSeconds = 3;

Value moved_bytes(const Features& f) {
  Value moved = background_writes(f);
  if (moved) *moved += f.compaction_read_bytes_per_second.value_or(0);
  return moved;
}

}  // namespace

bool RaisedJobs::can_tell(const Situation& situation) const {
  const bool limited = situation.binding || situation.features.limiter_rate != raise_->limiter_rate;
  return situation.device_loaded && within(stalled_at_, situation.now, kStillStallsSeconds) &&
         raise_->moved && moved_.size() > 0 && !limited;
}

void RaisedJobs::judge(const Situation& situation, std::int64_t jobs) {
  const Nanoseconds now = situation.now;
  if (!raise_ || within(raise_->tick, now, kJudgedAfterSeconds)) return;
  if (!can_tell(situation)) {
    if (!within(raise_->tick, now, kGivenUpSeconds)) raise_.reset();
    return;
  }
  const Raise raise = *raise_;
  raise_.reset();
  // Of fewer it cannot be told what they did: judge_full() does, once there are more.
  if (static_cast<double>(jobs) < kClimb * static_cast<double>(raise.from)) return;
  const double after = *moved_.mean(kBeforeSeconds);
  const double stalled = stalled_.mean(kBeforeSeconds).value_or(0);
  if (after >= kLeastMovedGain * *raise.moved ||
      stalled <= (1 - kLeastStallsSpared) * raise.stalled) {
    futile_.reset();
    rest_.reset();
    full_.reset();
    return;
  }
  go_back(now, {raise.from, jobs, *raise.moved, after});
}

void RaisedJobs::go_back(Nanoseconds now, const Futile& futile) {
  rest_.begin(now);
  futile_ = futile;
  offered_ = true;
  full_.reset();
}

void RaisedJobs::note_full(const Situation& situation, std::int64_t jobs) {
  const bool full = situation.device_loaded && situation.stalled && !situation.binding &&
                    are_full(situation.features.running_compactions, compaction_slots(jobs));
  const Value moved = moved_bytes(situation.features);
  climbs_ = false;
  if (!full || !moved) return;
  climbs_ = full_ && static_cast<double>(jobs) >= kClimb * static_cast<double>(full_->jobs);
  full_moved_.add(situation.now, *moved);
  if (full_moved_.span_seconds() >= kLeastFullSeconds) judge_full(situation, jobs);
}

void RaisedJobs::judge_full(const Situation& situation, std::int64_t jobs) {
  const Full now{jobs, *full_moved_.mean(kBeforeSeconds), situation.features.limiter_rate};
  if (!full_ || jobs <= full_->jobs || now.limiter_rate != full_->limiter_rate) {
    full_ = now;
    climbs_ = false;
    return;
  }
  if (!climbs_ || within(changed_at_, situation.now, kJudgedAfterSeconds)) return;
  if (now.moved < kLeastClimbGain * full_->moved) {
    go_back(situation.now, {full_->jobs, jobs, full_->moved, now.moved});
  }
  full_ = now;
  climbs_ = false;
}

void RaisedJobs::note_change(const Situation& situation, std::int64_t jobs, bool own) {
  const bool rose = jobs > *jobs_;
  if (!own || !rose) raise_.reset();
  if (own && rose) {
    const bool known = moved_.span_seconds() >= kLeastKnownSeconds;
    if (!raise_) {
      raise_ = Raise{situation.now, *jobs_, known ? moved_.mean(kBeforeSeconds) : std::nullopt,
                     stalled_.mean(kBeforeSeconds).value_or(0), situation.features.limiter_rate};
    }
    raise_->tick = situation.now;
  }
  // Taken, or another raise is there.
  if (rose || (futile_ && jobs <= futile_->back_to)) offered_ = false;
  changed_at_ = situation.now;
  if (full_ && (jobs < full_->jobs || (rose && !own))) full_.reset();
  climbs_ = false;
  full_moved_.clear();
  moved_.clear();
  stalled_.clear();
}

void RaisedJobs::observe(const Situation& situation, std::int64_t jobs, bool own) {
  if (situation.stalled) stalled_at_ = situation.now;
  if (situation.device_loaded) loaded_at_ = situation.now;
  judge(situation, jobs);
  if (jobs_ && jobs != *jobs_) note_change(situation, jobs, own);
  jobs_ = jobs;
  moved_.note(situation.now, moved_bytes(situation.features));
  stalled_.note(situation.now, lost_share(situation.features));
  note_full(situation, jobs);
}

bool RaisedJobs::may_raise(Nanoseconds now) const {
  const bool rests = rest_.lasts(now);
  if (!raise_ && !rests && !climbs_) return true;
  const Value moved = moved_.mean(kBeforeSeconds);
  // One that moves more than both is another one, or not full.
  const bool as_full = rests && moved && *moved >= kAsFull * futile_->before &&
                       *moved < kLeastMovedGain * std::max(futile_->before, futile_->after);
  return !as_full && !within(loaded_at_, now, kLoadedLatelySeconds);
}

std::optional<RaisedJobs::Futile> RaisedJobs::to_go_back(const Situation& situation) const {
  const bool offered =
      offered_ && futile_ && within(rest_.since(), situation.now, kReturnOfferedSeconds);
  return offered && situation.device_loaded ? futile_ : std::nullopt;
}

}  // namespace rocktune
