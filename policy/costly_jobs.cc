#include "policy/costly_jobs.h"

#include <algorithm>

#include "model/knobs.h"
#include "model/text.h"
#include "policy/memory.h"
#include "policy/peace.h"
#include "policy/wishes.h"

namespace rocktune {
namespace {

// So many fewer, and more than they move by themselves; of reads those that take so much longer.
// With less than this share of reads as many in flight fewer are asked for.
constexpr double kFewer = 0.1, kLonger = 0.1, kStillInFlight = 0.9;
// What a raise does is seen from then on; later than that it is the load that has changed.
constexpr double kCostShowsSeconds = 20, kCostGivenUpSeconds = 60;
constexpr double kLeastSpanSeconds = 8;
constexpr std::size_t kLeastSamples = 4;

double in_flight(const CostlyJobs::Done& done) {
  return done.reads.per_second * done.read_mean_us;
}

bool fewer(const CostlyJobs::Rate& before, const CostlyJobs::Rate& after) {
  const double least = std::max({kFewer * before.per_second, before.deviation, after.deviation});
  return before.per_second - after.per_second >= least;
}

bool costs_reads(const CostlyJobs::Done& before, const CostlyJobs::Done& after) {
  return fewer(before.reads, after.reads) &&
         after.read_mean_us >= (1 + kLonger) * before.read_mean_us &&
         in_flight(after) >= kStillInFlight * in_flight(before);
}

bool is_known(const Trend& trend) {
  return trend.span_seconds() >= kLeastSpanSeconds && trend.size() >= kLeastSamples;
}

CostlyJobs::Rate rate_of(const Trend& trend, double seconds) {
  return {*trend.mean(seconds), *trend.deviation(seconds)};
}

// The size of single writes may follow a backlog.
bool same_but_jobs(const KnobReadings& one, const KnobReadings& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const KnobReading& a, const KnobReading& b) {
                      return a.value == b.value || a.name == knob::kBackgroundJobs ||
                             a.name == knob::kWriteSize || turned_by_others(a, b);
                    });
}

}  // namespace

std::optional<CostlyJobs::Done> CostlyJobs::done() const {
  if (!is_known(reads_)) return std::nullopt;
  Done done{rate_of(reads_, kReadingsSeconds), *mean_us_.mean(kReadingsSeconds), std::nullopt};
  if (is_known(all_)) done.all = rate_of(all_, kReadingsSeconds);
  return done;
}

void CostlyJobs::judge(const Situation& situation, std::int64_t jobs) {
  const Nanoseconds now = situation.now;
  if (!raise_ || within(raise_->tick, now, kCostShowsSeconds)) return;
  if (!within(raise_->tick, now, kCostGivenUpSeconds)) {
    raise_.reset();
    return;
  }
  const std::optional<Done> after = done();
  if (situation.writers_first() || !raise_->done || !after) return;
  if (!same_but_jobs(raise_->knobs, situation.features.knobs)) return;
  if (!costs_reads(*raise_->done, *after)) return;
  const bool in_stall = raise_->in_stall || within(stalled_at_, now, kCostShowsSeconds);
  const bool held_up = in_stall || situation.near_limit;
  const auto &all_before = raise_->done->all, &all_after = after->all;
  const bool loses = all_before && all_after && fewer(*all_before, *all_after);
  if (held_up && !loses) return;
  cost_ = Cost{raise_->from, jobs, *raise_->done, *after, in_stall};
  offered_ = true;
  rest_.begin(now);
  raise_.reset();
}

void CostlyJobs::note_change(const Situation& situation, std::int64_t jobs, bool own) {
  const bool rose = jobs > *jobs_;
  if (!own || !rose) raise_.reset();
  if (own && rose) {
    if (!raise_) raise_ = Raise{situation.now, *jobs_, false, knobs_, done()};
    raise_->tick = situation.now;
    raise_->in_stall = raise_->in_stall || within(stalled_at_, situation.now, kCostShowsSeconds);
  }
  // Taken, or another raise is there.
  if (rose || (cost_ && jobs <= cost_->back_to)) offered_ = false;
  reads_.clear();
  all_.clear();
  mean_us_.clear();
}

void CostlyJobs::observe(const Situation& situation, std::int64_t jobs, bool own) {
  const Features& f = situation.features;
  if (situation.stalled) {
    stalled_at_ = situation.now;
    if (cost_ && !cost_->in_stall) offered_ = false;
  }
  judge(situation, jobs);
  if (jobs_ && jobs != *jobs_) note_change(situation, jobs, own);
  jobs_ = jobs;
  knobs_ = f.knobs;
  const bool known = f.reads_per_second && f.read_mean_us && is_read(f);
  reads_.note(situation.now, known ? f.reads_per_second : std::nullopt);
  mean_us_.note(situation.now, known ? f.read_mean_us : std::nullopt);
  all_.note(situation.now, known && f.writes_per_second
                               ? Value(*f.reads_per_second + *f.writes_per_second)
                               : std::nullopt);
}

bool CostlyJobs::may_raise(const Situation& situation) const {
  if (!rest_.lasts(situation.now)) return true;
  return situation.stalled && !cost_->in_stall;
}

std::optional<CostlyJobs::Cost> CostlyJobs::to_go_back(Nanoseconds now) const {
  return offered_ && within(rest_.since(), now, kReturnOfferedSeconds) ? cost_ : std::nullopt;
}

std::string cost_text(const CostlyJobs::Cost& cost) {
  const CostlyJobs::Done &before = cost.before, &after = cost.after;
  std::string text =
      text::amount(after.reads.per_second) + " reads/s are done, which take " +
      text::microseconds(after.read_mean_us) + " in the mean, before they were raised it was " +
      text::amount(before.reads.per_second) + " and " + text::microseconds(before.read_mean_us);
  if (!cost.in_stall) return text + ", and no writer stalls";
  return text + ", and with writes it is " + text::amount(after.all->per_second) +
         " operations/s of " + text::amount(before.all->per_second);
}

}  // namespace rocktune
