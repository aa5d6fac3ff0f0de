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
// fast, and level 0 fills sooner. Beside others' reads it is less: what passes is known to them as
// a burst begins, when most of it is compacted into levels that are small yet, and not all of what
// is read there is theirs.
constexpr double kSmoothShare = 0.87, kSmoothForOthersShare = 0.75;
constexpr double kPassedSeconds = 2;
// Reads have to be slow for so long: in a burst of writes, of which no loan is given, and else,
// where one would come first.
constexpr double kBurstSlowSeconds = 1, kSmoothSlowSeconds = 2;
// Level 0 as a share of its slowdown trigger: from here on there is no room to begin.
constexpr double kBeginsBelow = 0.75;
// Ours: where so many times as much is written as before it, the limit is of another load.
constexpr double kOutgrown = 1.25;
// A compaction that was not to come on top is long over: what is held up shows in no debt.
constexpr double kLongestBoundSeconds = 60;
// With a budget's least rate so far above what is wanted nothing would be smoothed.
constexpr double kMostOfSmoothing = 1.05;

// Nothing waits for what a lower limit holds up, but for level 0, which goes first behind it; less
// may wait for others' sake.
bool has_room(const Situation& situation, bool for_others) {
  const double most_pending = for_others ? kComfortablePending : kNearLimit;
  return situation.backlog_known && !is_felt(situation) && !situation.piling &&
         situation.features.pending_ratio.value_or(0) < most_pending && !flushes_wait(situation);
}

}  // namespace

std::optional<double> asked_to_smooth(const Situation& situation) {
  const auto& shared = situation.features.shared;
  if (!shared || !shared->smooth_from_bytes_per_second) return std::nullopt;
  return static_cast<double>(*shared->smooth_from_bytes_per_second);
}

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
  const double bound = bound_.update(lasts() && bounds_ && situation.binding, situation.now);
  held_up_ = bound >= kLongestBoundSeconds;
  crowded_ = lasts() && (outgrown_ || held_up_ || !has_room(situation, for_others_));
}

std::optional<Proposal> Smoothing::lower(const Situation& situation, const KnobReading& reading,
                                         const FullDevice& full) const {
  const Value passed = passed_.mean(kPassedSeconds);
  const bool burst = situation.writes_rise || situation.burst_begins;
  const bool slow =
      full.fills() && full.slow_seconds() >= (burst ? kBurstSlowSeconds : kSmoothSlowSeconds);
  const auto asked = asked_to_smooth(situation);
  // The guard may have allowed a part of the way to what bounds.
  const bool begins = !lasts() || bounds_;
  if (!begins || !passed || !(asked || slow)) return std::nullopt;
  const bool fills_up = situation.features.l0_ratio.value_or(1) >= kBeginsBelow;
  if (!has_room(situation, asked.has_value()) || situation.stalled || fills_up ||
      (asked ? rest_from_others_ : rest_).lasts(situation.now))
    return std::nullopt;
  const double share = asked ? kSmoothForOthersShare : kSmoothShare;
  const double rate = std::max(share * *passed, asked.value_or(0));
  const bool felt = rate < *passed;
  if (felt && situation.flush_share.value_or(1) > kMostFlushShare) return std::nullopt;
  const double to = std::ceil(std::max(rate, situation.budget.rate_limit_min.value));
  if (to > static_cast<double>(reading.value) * (1 - kLimiterDeadBand)) return std::nullopt;
  if (felt && to > kMostOfSmoothing * rate) return std::nullopt;
  Proposal out = propose(reading, static_cast<std::int64_t>(to), kSmoothRule);
  if (asked) {
    out.reason =
        "reads on this device wait for flushes and compactions of several databases: "
        "those here, which write " +
        text::rate(*passed) +
        (felt ? ", get nearly that, and no more at any moment"
              : ", are not to add more than that at once");
    out.expected = no_more_stalls(situation, kLimiterEvaluationSeconds);
    out.evidence = backlog_evidence(situation);
    return out;
  }
  out.reason = "read P99 is " + text::microseconds(situation.features.read_p99_us.value_or(0)) +
               " beside flushes and compactions that fill the device with " + text::rate(*passed) +
               ": they get nearly that, and no more at any moment";
  out.expected = {"read_p99_us", true, full.slow_p99_us(), kLimiterEvaluationSeconds};
  out.evidence = slow_evidence(situation, Side::kReads);
  return out;
}

bool Smoothing::is_gone(const Situation& situation) const {
  if (for_others_) return !asked_to_smooth(situation);
  return fast_seconds_ >= kFarSeconds || idle_seconds_ >= kGoneSeconds;
}

std::optional<Proposal> Smoothing::raise(const Situation& situation, const KnobReading& reading,
                                         std::int64_t back) const {
  if (!crowded_ && !is_gone(situation)) return std::nullopt;
  Proposal out = propose(reading, back, crowded_ ? "limiter.unpaced" : "limiter.worked_off");
  if (out.to <= reading.value) return std::nullopt;
  const std::string limit =
      ", and flushes and compactions are limited to " + shown_rate(reading.value);
  if (!crowded_ && for_others_) {
    out.reason = "what reads on this device waited for is gone" + limit;
  } else if (!crowded_) {
    out.reason = "read P99 is " + text::microseconds(situation.read_p99_us.value_or(0)) + limit +
                 ": what filled the device is gone";
  } else if (outgrown_ && !situation.stalled) {
    out.reason = "more is written than before" + limit;
  } else if (held_up_ && !situation.stalled) {
    out.reason = "compactions have waited for long, and for more than pends" + limit;
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

void Smoothing::begin(double rate, bool for_others) {
  for_others_ = for_others;
  // The guard, or the least rate allowed, left it where it would not gain anything. What is left to
  // those who write little is for a compaction that may come.
  bounds_ = for_others_ && rate >= passed_.mean(kPassedSeconds).value_or(0);
  lasts_ = bounds_ || rate < passed_.mean(kPassedSeconds).value_or(0);
}

void Smoothing::end(Nanoseconds now) {
  if (crowded_) (for_others_ ? rest_from_others_ : rest_).begin(now);
  lasts_ = false;
  crowded_ = false;
}

}  // namespace rocktune
