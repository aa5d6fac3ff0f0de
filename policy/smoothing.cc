#include "policy/smoothing.h"

#include <algorithm>
#include <cmath>

#include "model/text.h"
#include "policy/limiter_terms.h"
#include "policy/smoothing_aids.h"
#include "policy/worth_reads.h"

namespace rocktune {
namespace {

// Of what passes on a full device (docs/results.md, "Flushes that wait"): below it reads are as
// fast, and level 0 fills sooner.
constexpr double kSmoothShare = 0.87;
constexpr double kPassedSeconds = 2;
// Reads have to be slow for so long: in a burst of writes, of which no loan is given, and else,
// where one would come first.
constexpr double kBurstSlowSeconds = 1, kSmoothSlowSeconds = 2;
// Level 0 as a share of its slowdown trigger: from here on there is no room to begin.
constexpr double kBeginsBelow = 0.75;
// Ours: where so many times as much is written as before it, the limit is of another load.
constexpr double kOutgrown = 1.25;
// With a budget's least rate so far above what is wanted nothing would be smoothed.
constexpr double kMostOfSmoothing = 1.05;

// Nothing waits for what a lower limit holds up, but for level 0, which goes first behind it.
bool has_room(const Situation& situation) {
  return situation.backlog_known && !is_felt(situation) && !situation.piling &&
         situation.features.pending_ratio.value_or(0) < kNearLimit && !flushes_wait(situation);
}

}  // namespace

void Smoothing::observe(const Situation& situation, const FullDevice& full) {
  const Features& f = situation.features;
  passed_.note(situation.now, f.limiter_bytes_per_second);
  const double slo_us = p99_slo_us(situation.objective, Side::kReads);
  const bool fast = f.read_p99_us && *f.read_p99_us < kFarFromSlo * slo_us && situation.binding;
  fast_seconds_ = fast_.update(lasts() && fast, situation.now);
  idle_seconds_ = idle_.update(lasts() && !situation.binding, situation.now);
  const double written = situation.written.value_or(0);
  // A burst has most of its height by then, of which the minutes before know nothing yet.
  if (!lasts()) written_ = std::max(written, full.most_written());
  const bool rises = situation.writes_rise || situation.burst_begins;
  outgrown_ = lasts() && rises && written > kOutgrown * written_;
  crowded_ = lasts() && (outgrown_ || !has_room(situation));
}

std::optional<Proposal> Smoothing::lower(const Situation& situation, const KnobReading& reading,
                                         const FullDevice& full) const {
  const Value passed = passed_.mean(kPassedSeconds);
  const bool burst = situation.writes_rise || situation.burst_begins;
  const bool slow =
      full.fills() && full.slow_seconds() >= (burst ? kBurstSlowSeconds : kSmoothSlowSeconds);
  if (lasts() || !passed || !slow) return std::nullopt;
  const bool fills_up = situation.features.l0_ratio.value_or(1) >= kBeginsBelow;
  if (!has_room(situation) || situation.stalled || fills_up || rest_.lasts(situation.now))
    return std::nullopt;
  const double rate = kSmoothShare * *passed;
  if (situation.flush_share.value_or(1) > kMostFlushShare) return std::nullopt;
  const double to = std::ceil(std::max(rate, situation.budget.rate_limit_min.value));
  if (to > static_cast<double>(reading.value) * (1 - kLimiterDeadBand)) return std::nullopt;
  if (to > kMostOfSmoothing * rate) return std::nullopt;
  Proposal out = propose(reading, static_cast<std::int64_t>(to), kSmoothRule);
  out.reason = "read P99 is " + text::microseconds(situation.features.read_p99_us.value_or(0)) +
               " beside flushes and compactions that fill the device with " + text::rate(*passed) +
               ": they get nearly that, and no more at any moment";
  out.expected = {"read_p99_us", true, full.slow_p99_us(), kLimiterEvaluationSeconds};
  out.evidence = slow_evidence(situation, Side::kReads);
  return out;
}

std::optional<Proposal> Smoothing::raise(const Situation& situation, const KnobReading& reading,
                                         std::int64_t back) const {
  const bool gone = fast_seconds_ >= kFarSeconds || idle_seconds_ >= kGoneSeconds;
  if (!crowded_ && !gone) return std::nullopt;
  Proposal out = propose(reading, back, crowded_ ? "limiter.unpaced" : "limiter.worked_off");
  if (out.to <= reading.value) return std::nullopt;
  const std::string limit =
      ", and flushes and compactions are limited to " + shown_rate(reading.value);
  if (!crowded_) {
    out.reason = "read P99 is " + text::microseconds(situation.read_p99_us.value_or(0)) + limit +
                 ": what filled the device is gone";
  } else if (outgrown_ && !situation.stalled) {
    out.reason = "more is written than before" + limit;
  } else if (flushes_wait(situation) && !situation.stalled) {
    out.reason = "memtables wait for their flushes" + limit;
  } else if (!situation.backlog_known && !situation.stalled) {
    out.reason = "nobody knows how much waits" + limit;
  } else {
    out.reason = backlog_text(situation) + limit;
  }
  out.expected = crowded_ ? expect_relief(situation, kLimiterEvaluationSeconds)
                          : no_more_stalls(situation, kLimiterEvaluationSeconds);
  out.evidence = backlog_evidence(situation);
  return out;
}

void Smoothing::begin(double rate) {
  // The guard, or the least rate allowed, left it where it would not gain anything.
  lasts_ = rate < passed_.mean(kPassedSeconds).value_or(0);
}

void Smoothing::end(Nanoseconds now) {
  if (crowded_) rest_.begin(now);
  lasts_ = false;
  crowded_ = false;
}

}  // namespace rocktune
