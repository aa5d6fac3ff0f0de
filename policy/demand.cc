#include "policy/demand.h"

#include <algorithm>
#include <cmath>

#include "model/knobs.h"
#include "policy/guard_limits.h"
#include "policy/job_slots.h"
#include "policy/limiter_terms.h"
#include "policy/memory.h"
#include "policy/others_work.h"

namespace rocktune {
namespace {

// As headroom's loops have it: reads have to be slow for this long before others give way to them.
constexpr double kReadsHurtSeconds = 10;
// Who was not read for so long does not suffer: its process may stand still.
constexpr double kSilentSeconds = 10;

double jobs_for(double compactions, double flushes) {
  std::int64_t jobs = kLeastJobs;
  while (jobs < kMostJobs && (static_cast<double>(compaction_slots(jobs)) < compactions ||
                              static_cast<double>(flush_slots(jobs)) < flushes)) {
    ++jobs;
  }
  return static_cast<double>(jobs);
}

}  // namespace

// In bytes that its limiter counts, as slices are.
void DemandMeter::measure_background(const Features& f, double charged) {
  Value background = background_writes(f);
  if (background) *background *= charged;
  background_.note(f.at.tick, background);
  demand_.background = background_.mean(5);
  background_means_.note(f.at.tick, demand_.background);
  demand_.background_most = background_means_.largest(60);
  demand_.background_peak = background_.largest(60);
  demand_.background_mean = background_.mean(60);
}

void DemandMeter::measure_backlog(const Situation& situation) {
  need_peak_.observe(situation);
  demand_.need.reset();
  if (situation.need) demand_.need = need_peak_.largest(situation);
  // For a forecast alone nobody else has to give way.
  demand_.trouble = situation.trouble && !situation.forecast_only;
  demand_.wants_rate = rate_wish_.update(demand_.trouble, situation.now);
}

void DemandMeter::measure_jobs(const Features& f, const Situation& situation) {
  compactions_.note(f.at.tick, f.running_compactions);
  flushes_.note(f.at.tick, f.running_flushes);
  const auto compactions = compactions_.largest(60), flushes = flushes_.largest(60);
  demand_.jobs_used.reset();
  if (compactions && flushes) demand_.jobs_used = jobs_for(*compactions, *flushes);
  const KnobReading* knob = changeable_knob(f, knob::kBackgroundJobs);
  const std::int64_t jobs =
      knob == nullptr ? kMostJobs : std::clamp(knob->value, kLeastJobs, kMostJobs);
  const bool full = are_full(situation.running_compactions, compaction_slots(jobs)) ||
                    are_full(situation.running_flushes, flush_slots(jobs));
  demand_.wants_jobs = jobs_wish_.update(knob != nullptr && demand_.trouble && full, situation.now);
}

void DemandMeter::measure_cache(const Features& f, const Situation& situation) {
  demand_.cache_used = f.cache_usage_bytes;
  const bool wants = cache_is_short(f, situation.mean_read_misses, situation.mean_reads);
  if (wants) wanted_cache_ = f.at.tick;
}

void DemandMeter::measure_reads(const Situation& situation) {
  const Features& f = situation.features;
  full_.observe(situation, f.shared && f.shared->smooth_from_bytes_per_second);
  const bool first = situation.objective.first == Priority::kReadP99;
  // What is there most of the time has to be divided: evenness alone makes no room.
  const bool waits = first && full_.fills() && full_.is_new() && !demand_.trouble;
  demand_.reads_wait_seconds = waits ? full_.slow_seconds() : 0;
  const double far_us = kFarFromSlo * p99_slo_us(situation.objective, Side::kReads);
  // A look without reads says nothing of those before.
  if (!first || !situation.reads_seen) {
    demand_.reads_are_far = true;
  } else if (f.read_p99_us) {
    demand_.reads_are_far = *f.read_p99_us < far_us;
  }
  demand_.reads_hurt = situation.reads_slow_seconds >= kReadsHurtSeconds && !demand_.trouble;
  demand_.reads = situation.reads_seen;
}

const Demand& DemandMeter::update(const PolicyInput& input) {
  const Features& f = input.features;
  if (f.reset) *this = DemandMeter();
  if (!f.fresh) {
    if (read_at_ && !within(read_at_, f.at.tick, kSilentSeconds)) {
      demand_.trouble = demand_.reads_hurt = demand_.device_busy = demand_.reads = false;
      demand_.wants_rate = demand_.wants_jobs = demand_.wants_cache = false;
      demand_.reads_wait_seconds = 0;
      demand_.reads_are_far = true;
    }
    return demand_;
  }
  read_at_ = f.at.tick;
  const Situation situation = observer_.observe(input);
  const Nanoseconds now = f.at.tick;
  measure_background(f, situation.charged);
  measure_backlog(situation);
  measure_jobs(f, situation);
  measure_cache(f, situation);
  measure_reads(situation);
  demand_.device_busy = situation.device_busy;
  demand_.wants_cache = within(wanted_cache_, now, kWishSeconds);
  return demand_;
}

}  // namespace rocktune
