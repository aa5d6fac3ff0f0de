// The loop of max_background_jobs: more slots while a backlog waits for them; one back at a time
// when nothing has used it for minutes, or when the device, or the CPUs, are what everybody waits
// for: there several compactions only take more of them from reads. A raise that brought nothing on
// such a device (policy/raised_jobs.h), or cost reads on any (policy/costly_jobs.h), goes back as a
// whole. Where bytes count a full device gets by with fewer than were found (policy/spared_jobs.h).
#include <algorithm>
#include <utility>

#include "model/knobs.h"
#include "model/text.h"
#include "policy/guard_limits.h"
#include "policy/headroom.h"
#include "policy/job_slots.h"
#include "policy/smoothing_aids.h"

namespace rocktune {
namespace {

constexpr double kJobsEvaluationSeconds = 30;
constexpr double kSparedEvaluationSeconds = 60;  // several compactions, one after the other
// How long the limiter may go first.
constexpr double kLimiterFirstSeconds = 10;
// A limiter that was raised within this time may end the stall yet: one slot is enough for now.
constexpr double kRaisedLimiterShowsSeconds = 5;
constexpr double kCpuExhausted = 0.95;
// Each with its own rest: from these nothing is learnt of how soon a job may be returned.
constexpr std::string_view kFutileRule = "jobs.futile", kCostlyRule = "jobs.costly",
                           kSparedRule = "jobs.spared";

// The least number of jobs above this with more slots of that kind.
std::int64_t next_with_more(std::int64_t jobs, std::int64_t (*slots)(std::int64_t)) {
  std::int64_t next = jobs + 1;
  while (slots(next) == slots(jobs)) ++next;
  return next;
}

// What takes a raise back that was looked at is no experiment: it expects nothing, and is not
// judged.
std::optional<Proposal> take_back(const Situation& situation, const KnobReading& reading,
                                  std::int64_t raised_from, std::string_view rule,
                                  std::string reason) {
  const std::int64_t to = std::max(raised_from, reading.found);
  if (reading.owner != KnobOwner::kRocktune || reading.value <= to) return std::nullopt;
  Proposal out = propose(reading, to, rule);
  out.reason = std::move(reason);
  out.evidence = backlog_evidence(situation);
  return out;
}

}  // namespace

void JobsLoop::note_changes(const KnobReading& reading, Nanoseconds now) {
  // What is not needed goes back one at a time; all at once to what was found is the lease's end.
  const bool expired = jobs_ && reading.value == reading.found && *jobs_ - reading.value > 1;
  if (jobs_ && reading.value < *jobs_ && !expired && wish_.explains(now)) {
    unused_wait_.went_back(now);
    loaded_wait_.went_back(now);
  }
  const bool smooths = jobs_ && reading.value > *jobs_ && smooth_wish_.explains(now);
  if (smooths) smoothed_from_ = jobs_;
  // Those that were spared are no returned ones, and one that smooths ends no backlog.
  if (jobs_ && reading.value > *jobs_ && *jobs_ >= reading.found && !smooths) {
    unused_wait_.wanted(now);
    loaded_wait_.wanted(now);
  }
  jobs_ = reading.value;
}

// For how long the last job has not been used, or a loaded device, or one without CPUs to spare,
// has gone without a stall: looked at with every sample, whatever else is decided.
void JobsLoop::look(const Situation& situation, const KnobReading& reading) {
  if (jobs_ != reading.value) {  // the time that counts begins anew
    unused_.reset();
    loaded_.reset();
  }
  const std::int64_t fewer = std::clamp<std::int64_t>(reading.value - 1, 1, 1024);
  const Value &running = situation.features.running_compactions,
              &flushing = situation.features.running_flushes;
  const bool fits = running && flushing &&
                    *running <= static_cast<double>(compaction_slots(fewer)) &&
                    *flushing <= static_cast<double>(flush_slots(fewer));
  unused_seconds_ = unused_.update(fits && situation.comfortable, situation.now);
  const bool costs_reads = situation.device_loaded || situation.reads_lack_cpu;
  loaded_seconds_ = loaded_.update(costs_reads && !situation.stalled, situation.now);
}

std::optional<Proposal> JobsLoop::relieve(const Situation& situation, const KnobReading& reading) {
  if (spared_.are_fewer()) return std::nullopt;  // all that were found come back, or none
  if (!situation.workers_help || !raised_.may_raise(situation.now)) return std::nullopt;
  if (!costly_.may_raise(situation)) return std::nullopt;
  // Flushes that writers wait for share the device with compactions: more of those, which come with
  // a slot for one more flush, take it from them.
  const bool memtables =
      situation.backlog_cause == "memtables" || situation.backlog_cause == "write_buffer_manager";
  if (memtables && situation.device_loaded) return std::nullopt;
  std::int64_t jobs = std::clamp<std::int64_t>(reading.value, 1, 1024);
  std::int64_t most = most_jobs(situation.budget, situation.features, reading);
  std::int64_t to = jobs;
  std::int64_t (*slots)(std::int64_t) = compaction_slots;
  std::string which;
  if (are_full(situation.running_compactions, compaction_slots(jobs))) {
    to = next_with_more(jobs, compaction_slots);
    const bool limiter_shows = within(limiter_raised_, situation.now, kRaisedLimiterShowsSeconds);
    if (situation.stalled && !situation.device_loaded && !limiter_shows) {
      to = std::max(to, jobs + 2);
    }
    which = "compaction";
  } else if (memtables && are_full(situation.running_flushes, flush_slots(jobs))) {
    slots = flush_slots;
    to = next_with_more(jobs, slots);
    which = "flush";
  }
  to = std::min(to, most);
  if (to <= jobs || slots(to) == slots(jobs)) return std::nullopt;
  // Up to the CPUs there is one for each job; beyond them only while CPU is left, or while writers
  // stand still and leave theirs.
  bool beyond_cpus = static_cast<double>(to) > situation.features.cpus.value_or(1e9);
  bool exhausted = situation.cpu_busy_ratio.value_or(0) >= kCpuExhausted && !situation.stalled;
  if (beyond_cpus && exhausted) return std::nullopt;
  Proposal out = propose(reading, to, "jobs.backlog");
  out.reason = backlog_text(situation) + ", and all " + which + " slots of " +
               std::to_string(reading.value) + " background jobs are in use";
  out.expected = expect_relief(situation, kJobsEvaluationSeconds);
  out.evidence = backlog_evidence(situation);
  return out;
}

std::optional<Proposal> JobsLoop::give_back(const Situation& situation,
                                            const KnobReading& reading) {
  std::int64_t jobs = std::clamp<std::int64_t>(reading.value, 1, 1024);
  bool ours = reading.owner == KnobOwner::kRocktune;
  if (!ours || jobs <= std::max(kLeastJobs, reading.found) ||
      unused_seconds_ < unused_wait_.seconds()) {
    return std::nullopt;
  }
  Proposal out = propose(reading, jobs - 1, "jobs.idle");
  out.reason = "the last of " + std::to_string(jobs) + " background jobs has not been used for " +
               text::duration(unused_seconds_);
  out.expected = {"l0_ratio", true, situation.l0_ratio, kJobsEvaluationSeconds};
  out.evidence = backlog_evidence(situation);
  return out;
}

std::optional<Proposal> JobsLoop::give_back_loaded(const Situation& situation,
                                                   const KnobReading& reading) {
  const std::int64_t to = reading.value - 1;
  const bool ours = reading.owner == KnobOwner::kRocktune;
  // A warning alone would not have raised them on such a device, and does not keep them. Half of a
  // limit of pending bytes is worked off in minutes, in which warnings come and go.
  const bool debt_near = situation.features.pending_ratio.value_or(0) >= kNearLimit;
  const bool may_be_needed = debt_near || (situation.trouble && situation.stays_near_limit);
  if (!ours || to < std::max(kLeastJobs, reading.found) || may_be_needed) return std::nullopt;
  if (loaded_seconds_ < loaded_wait_.seconds()) return std::nullopt;
  Proposal out = propose(reading, to, "jobs.loaded");
  const std::string calm =
      "writers have not stalled for " + text::duration(loaded_seconds_) + ", and ";
  const std::string more = ": more than " + std::to_string(to) + " background jobs only take ";
  if (situation.device_loaded) {
    out.reason = calm + "the device is what compactions wait for" + more + "more of it from reads";
    out.evidence = full_device_evidence(situation);
  } else {
    out.reason = calm + "hardly any CPU is idle" + more + "theirs from reads";
    out.evidence = backlog_evidence(situation);
    out.evidence.push_back({"cpu_busy_ratio", situation.cpu_busy_ratio.value_or(0), std::nullopt});
    if (situation.read_p99_us) {
      out.evidence.push_back(
          {"read_p99_us", *situation.read_p99_us, p99_slo_us(situation.objective, Side::kReads)});
    }
  }
  out.expected = situation.read_p99_us ? Expectation{"read_p99_us", true, situation.read_p99_us,
                                                     kJobsEvaluationSeconds}
                                       : no_more_stalls(situation, kJobsEvaluationSeconds);
  return out;
}

std::optional<Proposal> JobsLoop::give_back_futile(const Situation& situation,
                                                   const KnobReading& reading) const {
  const auto futile = raised_.to_go_back(situation);
  if (!futile) return std::nullopt;
  return take_back(
      situation, reading, futile->back_to, kFutileRule,
      "with " + std::to_string(futile->jobs) + " background jobs flushes and compactions move " +
          text::rate(futile->after) + ", before they were raised it was " +
          text::rate(futile->before) + ", and writers stall as before: the device is full");
}

std::optional<Proposal> JobsLoop::give_back_costly(const Situation& situation,
                                                   const KnobReading& reading) const {
  const auto cost = costly_.to_go_back(situation.now);
  if (!cost) return std::nullopt;
  return take_back(situation, reading, cost->back_to, kCostlyRule,
                   "with " + std::to_string(cost->jobs) + " background jobs " + cost_text(*cost));
}

std::optional<Proposal> JobsLoop::spare(const Situation& situation,
                                        const KnobReading& reading) const {
  const auto to = spared_.fewer(situation, reading);
  if (!to || situation.settling) return std::nullopt;
  Proposal out = propose(reading, *to, kSparedRule);
  out.reason = "the device is full, and " + text::number(*situation.running_compactions, 1) +
               " compactions at a time take turns on it: of fewer each merges more of level 0";
  out.expected = expect_fewer_writes(situation, kSparedEvaluationSeconds);
  out.evidence = full_device_evidence(situation);
  return out;
}

// No experiment: it expects nothing, and is not judged.
std::optional<Proposal> JobsLoop::end_sparing(const Situation& situation,
                                              const KnobReading& reading) const {
  const auto& why = spared_.to_return();
  const std::int64_t to =
      std::min(reading.found, situation.budget.jobs_max.value_or(reading.found));
  if (!why || to <= reading.value) return std::nullopt;
  Proposal out = propose(reading, to, kWantedJobsRule);
  switch (*why) {
    case SparedJobs::Return::kWanted:
      out.reason = backlog_text(situation);
      break;
    case SparedJobs::Return::kIdleDevice:
      out.reason = "compactions have not loaded the device for a while";
      break;
    case SparedJobs::Return::kUnsuited:
      out.reason = "one compaction at a time no longer suits this database";
      break;
  }
  out.reason += ": as many background jobs as were found";
  out.evidence = backlog_evidence(situation);
  return out;
}

// Behind a limit that smooths, one compaction at a time lets level 0 fill while a deeper one has
// its turn; two share what the limit lets through, level 0 first, and take no more of the device.
// No experiment: the limit is judged.
std::optional<Proposal> JobsLoop::smooth(const Situation& situation, const KnobReading& reading) {
  const bool smooths = situation.smoothed;
  const std::int64_t jobs = std::clamp<std::int64_t>(reading.value, 1, 1024);
  if (smoothed_from_ && (!is_raised(reading) || jobs <= *smoothed_from_)) smoothed_from_.reset();
  if (!smooths && smoothed_from_) {
    return take_back(situation, reading, *smoothed_from_, kSmoothedJobsRule,
                     "nothing is smoothed any more: one compaction at a time again");
  }
  const std::int64_t to = next_with_more(jobs, compaction_slots);
  const bool one_at_a_time = compaction_slots(jobs) == 1 && !smoothed_from_;
  if (!smooths || !one_at_a_time || !level0_goes_first(situation.features) ||
      to > most_jobs(situation.budget, situation.features, reading)) {
    return std::nullopt;
  }
  Proposal out = propose(reading, to, kSmoothJobsRule);
  out.reason =
      "one compaction at a time waits for the limit: beside a deeper one level 0 is not to fill";
  out.evidence = backlog_evidence(situation);
  return out;
}

std::optional<Proposal> JobsLoop::decide(const Situation& situation, bool limiter_first) {
  const KnobReading* reading = changeable_knob(situation.features, knob::kBackgroundJobs);
  if (reading == nullptr) return std::nullopt;
  auto proposal = look_and_decide(situation, *reading, limiter_first);
  const auto is = [&proposal](std::string_view rule) { return proposal && proposal->rule == rule; };
  const bool learns =
      !is(kFutileRule) && !is(kCostlyRule) && !is(kSparedRule) && !is(kSmoothedJobsRule);
  wish_.note(learns ? proposal : std::nullopt, situation.now);
  const bool looked_at = !is(kWantedJobsRule) && !is(kSmoothJobsRule);
  smooth_wish_.note(is(kSmoothJobsRule) ? proposal : std::nullopt, situation.now);
  raise_wish_.note(looked_at ? proposal : std::nullopt, situation.now);
  return proposal;
}

std::optional<Proposal> JobsLoop::look_and_decide(const Situation& situation,
                                                  const KnobReading& reading, bool limiter_first) {
  look(situation, reading);
  const bool own = raise_wish_.explains(situation.now);
  raised_.observe(situation, reading.value, own);
  costly_.observe(situation, reading.value, own);
  spared_.observe(situation, reading);
  note_changes(reading, situation.now);
  const Value& rate = situation.features.limiter_rate;
  const bool rose = limiter_rate_ && (!rate || *rate > *limiter_rate_);
  limiter_rate_ = rate;
  const double waited = limiter_first_.update(limiter_first, situation.now);
  const bool waits = limiter_first && waited < kLimiterFirstSeconds;
  if (waits || rose) limiter_raised_ = situation.now;
  if (auto proposal = end_sparing(situation, reading)) return proposal;
  if (auto proposal = smooth(situation, reading)) return proposal;
  if (waits || situation.smoothed) return std::nullopt;
  if (auto proposal = give_back_futile(situation, reading)) return proposal;
  if (auto proposal = give_back_costly(situation, reading)) return proposal;
  if (auto proposal = relieve(situation, reading)) return proposal;
  if (auto proposal = give_back_loaded(situation, reading)) return proposal;
  if (auto proposal = spare(situation, reading)) return proposal;
  return give_back(situation, reading);
}

}  // namespace rocktune
