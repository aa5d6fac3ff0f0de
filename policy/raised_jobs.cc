#include "policy/raised_jobs.h"

#include <algorithm>

namespace rocktune {
namespace {

// A tenth more bytes, or stalls that take a third less of the time, make a raise one that helped:
// less is what two looks at the same load differ by.
constexpr double kLeastMovedGain = 1.1, kLeastStallsSpared = 1.0 / 3;
constexpr double kJudgedAfterSeconds = 30, kGivenUpSeconds = 60;
// Stalls of moments, so far apart, are still one trouble; without any longer the raise may go as it
// came (jobs.loaded).
constexpr double kStillStallsSeconds = 20;
constexpr double kBackOfferedSeconds = 60;
// Known for so long before a raise, or nothing is: a flush that ends is a burst of bytes.
constexpr double kLeastKnownSeconds = 10;
constexpr double kLoadedLatelySeconds = 10;
// A raise costs operations where so many fewer are done, more than they move by themselves, reads
// take so much longer, and no fewer than this share are in flight: else fewer are asked for. Not
// within the time in which it begins to work, and not where writers lost more of the time to stalls
// before: between those they do more than later without.
constexpr double kOperationsLost = 0.1, kReadsLonger = 0.1, kCostShowsSeconds = 20;
constexpr double kStillInFlight = 0.9;
constexpr double kHardlyStalled = 0.01;

Value moved_bytes(const Features& f) {
  const Value &flushed = f.flush_bytes_per_second, &written = f.compaction_write_bytes_per_second;
  if (!flushed || !written) return std::nullopt;
  return *flushed + *written + f.compaction_read_bytes_per_second.value_or(0);
}

}  // namespace

bool RaisedJobs::can_tell(const Situation& situation) const {
  const bool limited = situation.binding || situation.features.limiter_rate != raise_->limiter_rate;
  return situation.device_loaded && within(stalled_at_, situation.now, kStillStallsSeconds) &&
         raise_->moved && moved_.size() > 0 && !limited;
}

std::optional<RaisedJobs::Seen> RaisedJobs::seen() const {
  const Value operations = operations_.mean(kLeastKnownSeconds);
  const Value read_mean = read_mean_.mean(kLeastKnownSeconds);
  const Value in_flight = in_flight_.mean(kLeastKnownSeconds);
  const bool known = operations_.span_seconds() >= kLeastKnownSeconds && read_mean && in_flight;
  if (!known) return std::nullopt;
  const double deviation = operations_.deviation(kLeastKnownSeconds).value_or(0);
  return Seen{*operations, *read_mean, deviation, *in_flight};
}

void RaisedJobs::take_back(const Futile& futile, Nanoseconds now) {
  raise_.reset();
  rest_.begin(now);
  futile_ = futile;
  offered_ = true;
}

void RaisedJobs::judge_cost(const Situation& situation, std::int64_t jobs) {
  const Nanoseconds now = situation.now;
  const bool known = raise_ && raise_->seen && raise_->stalled <= kHardlyStalled;
  if (!known || within(raise_->tick, now, kCostShowsSeconds)) return;
  const std::optional<Seen> after = seen();
  if (!after || within(stalled_at_, now, kCostShowsSeconds)) return;
  const Seen before = *raise_->seen;
  const double least =
      std::max({kOperationsLost * before.operations, before.deviation, after->deviation});
  const bool costs = before.operations - after->operations >= least &&
                     after->read_mean_us >= (1 + kReadsLonger) * before.read_mean_us &&
                     after->in_flight >= kStillInFlight * before.in_flight;
  if (costs) take_back(Futile{raise_->from, jobs, 0, 0, std::pair(before, *after)}, now);
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
  const double after = *moved_.mean(kBeforeSeconds);
  const double stalled = stalled_.mean(kBeforeSeconds).value_or(0);
  if (after >= kLeastMovedGain * *raise.moved ||
      stalled <= (1 - kLeastStallsSpared) * raise.stalled) {
    futile_.reset();
    rest_.reset();
    return;
  }
  take_back(Futile{raise.from, jobs, *raise.moved, after, std::nullopt}, now);
}

void RaisedJobs::note_change(const Situation& situation, std::int64_t jobs, bool own) {
  const bool rose = jobs > *jobs_;
  if (!own || !rose) raise_.reset();
  if (own && rose) {
    const bool known = moved_.span_seconds() >= kLeastKnownSeconds;
    if (!raise_) {
      raise_ = Raise{situation.now,
                     *jobs_,
                     known ? moved_.mean(kBeforeSeconds) : std::nullopt,
                     stalled_.mean(kBeforeSeconds).value_or(0),
                     situation.features.limiter_rate,
                     seen()};
    }
    raise_->tick = situation.now;
  }
  // Taken, or another raise is there.
  if (rose || (futile_ && jobs <= futile_->back_to)) offered_ = false;
  for (Trend* trend : {&moved_, &stalled_, &operations_, &read_mean_, &in_flight_}) trend->clear();
}

void RaisedJobs::observe(const Situation& situation, std::int64_t jobs, bool own) {
  if (situation.stalled) stalled_at_ = situation.now;
  if (situation.device_loaded) loaded_at_ = situation.now;
  judge_cost(situation, jobs);
  judge(situation, jobs);
  if (jobs_ && jobs != *jobs_) note_change(situation, jobs, own);
  jobs_ = jobs;
  moved_.note(situation.now, moved_bytes(situation.features));
  const Features& f = situation.features;
  stalled_.note(situation.now, f.stalled_ratio);
  const bool known = f.reads_per_second && f.writes_per_second && f.read_mean_us;
  if (situation.stalled || !known) {
    for (Trend* trend : {&operations_, &read_mean_, &in_flight_}) trend->expire(situation.now);
    return;
  }
  operations_.add(situation.now, *f.reads_per_second + *f.writes_per_second);
  read_mean_.add(situation.now, *f.read_mean_us);
  in_flight_.add(situation.now, *f.reads_per_second * *f.read_mean_us / 1e6 +
                                    *f.writes_per_second * f.write_mean_us.value_or(0) / 1e6);
}

bool RaisedJobs::may_raise(const Situation& situation) const {
  const bool rests = rest_.lasts(situation.now);
  if (rests && futile_ && futile_->cost) return situation.stalled;
  return (!raise_ && !rests) || !within(loaded_at_, situation.now, kLoadedLatelySeconds);
}

std::optional<RaisedJobs::Futile> RaisedJobs::to_go_back(const Situation& situation) const {
  const bool offered =
      offered_ && futile_ && within(rest_.since(), situation.now, kBackOfferedSeconds);
  if (!offered) return std::nullopt;
  const bool still = futile_->cost ? !situation.stalled : situation.device_loaded;
  return still ? futile_ : std::nullopt;
}

}  // namespace rocktune
