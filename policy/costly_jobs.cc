#include "policy/costly_jobs.h"

#include <algorithm>

#include "model/knobs.h"
#include "policy/memory.h"

namespace rocktune {
namespace {

// So many fewer reads, and more than they move by themselves, that take so much longer. With less
// than this share as many in flight fewer are asked for.
constexpr double kFewer = 0.1, kLonger = 0.1, kStillInFlight = 0.9;
// What a raise does is seen from then on; later than that it is the load that has changed.
constexpr double kCostShowsSeconds = 20, kCostGivenUpSeconds = 60;
constexpr double kLeastSpanSeconds = 8;
constexpr std::size_t kLeastReadsSamples = 4;
constexpr double kCostOfferedSeconds = 60;

// A limiter that somebody else turns may be turned again and again (policy/peace.cc).
bool same_but_jobs(const KnobReadings& one, const KnobReadings& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const KnobReading& a, const KnobReading& b) {
                      const bool others = a.owner == KnobOwner::kManual &&
                                          b.owner == KnobOwner::kManual &&
                                          a.name == knob::kRateLimit;
                      return a.value == b.value || a.name == knob::kBackgroundJobs || others;
                    });
}

double in_flight(const CostlyJobs::Reads& reads) {
  return reads.per_second * reads.mean_us;
}

bool costs(const CostlyJobs::Reads& before, const CostlyJobs::Reads& after) {
  const double least = std::max({kFewer * before.per_second, before.deviation, after.deviation});
  return before.per_second - after.per_second >= least &&
         after.mean_us >= (1 + kLonger) * before.mean_us &&
         in_flight(after) >= kStillInFlight * in_flight(before);
}

}  // namespace

std::optional<CostlyJobs::Reads> CostlyJobs::reads() const {
  const bool known =
      per_second_.span_seconds() >= kLeastSpanSeconds && per_second_.size() >= kLeastReadsSamples;
  if (!known) return std::nullopt;
  return Reads{*per_second_.mean(kReadingsSeconds), *per_second_.deviation(kReadingsSeconds),
               *mean_us_.mean(kReadingsSeconds)};
}

void CostlyJobs::judge(const Situation& situation, std::int64_t jobs) {
  const Nanoseconds now = situation.now;
  if (!raise_ || within(raise_->tick, now, kCostShowsSeconds)) return;
  if (!within(raise_->tick, now, kCostGivenUpSeconds)) {
    raise_.reset();
    return;
  }
  const bool felt = situation.near_limit || situation.writers_first() ||
                    within(stalled_at_, now, kCostShowsSeconds);
  const std::optional<Reads> after = reads();
  if (felt || !raise_->reads || !after) return;
  if (!same_but_jobs(raise_->knobs, situation.features.knobs)) return;
  if (!costs(*raise_->reads, *after)) return;
  cost_ = Cost{raise_->from, jobs, *raise_->reads, *after};
  offered_ = true;
  rest_.begin(now);
  raise_.reset();
}

void CostlyJobs::note_change(const Situation& situation, std::int64_t jobs, bool own) {
  const bool rose = jobs > *jobs_;
  const bool judged = own && rose && !within(stalled_at_, situation.now, kCostShowsSeconds);
  if (!judged) raise_.reset();
  if (judged && !raise_) raise_ = Raise{situation.now, *jobs_, knobs_, reads()};
  if (judged) raise_->tick = situation.now;
  // Taken, or another raise is there.
  if (rose || (cost_ && jobs <= cost_->back_to)) offered_ = false;
  per_second_.clear();
  mean_us_.clear();
}

void CostlyJobs::observe(const Situation& situation, std::int64_t jobs, bool own) {
  const Features& f = situation.features;
  if (situation.stalled) {
    stalled_at_ = situation.now;
    offered_ = false;
  }
  judge(situation, jobs);
  if (jobs_ && jobs != *jobs_) note_change(situation, jobs, own);
  jobs_ = jobs;
  knobs_ = f.knobs;
  const bool known = f.reads_per_second && f.read_mean_us && is_read(f) && !situation.stalled;
  per_second_.note(situation.now, known ? f.reads_per_second : std::nullopt);
  mean_us_.note(situation.now, known ? f.read_mean_us : std::nullopt);
}

bool CostlyJobs::may_raise(const Situation& situation) const {
  return situation.stalled || !rest_.lasts(situation.now);
}

std::optional<CostlyJobs::Cost> CostlyJobs::to_go_back(Nanoseconds now) const {
  return offered_ && within(rest_.since(), now, kCostOfferedSeconds) ? cost_ : std::nullopt;
}

}  // namespace rocktune
