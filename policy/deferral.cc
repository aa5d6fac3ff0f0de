#include "policy/deferral.h"

#include <algorithm>
#include <cmath>

#include "model/text.h"
#include "policy/limiter_terms.h"

namespace rocktune {
namespace {

// Shares of what passes on a full device, by runs of degrading-device (docs/results.md,
// "Deferred compactions"): two thirds, since with 0.6 reads were no faster and level 0 was full
// sooner; and nearly all, since reads took 32 ms with 0.93 of it and 192 with 1.03.
constexpr double kDeferredShare = 0.67, kDueShare = 0.9;
// Ours: what is due has so long to help before all of it is let through.
constexpr double kDueShowsSeconds = 10;
constexpr double kNearSloSeconds = 2;
// What waits already takes no longer than this at the deferred rate: half of what is piling up.
constexpr double kMostWaitingSeconds = 30;
// Level 0 rises with each flush and falls with each compaction: debt is due from so much of its
// limit on, now or in the mean of 10 s (with 0.75 and 0.6 it was due after a third of the time in
// degrading-device). A forecast alone says what is meant to come.
constexpr double kDueL0 = 0.85, kDueL0Mean = 0.7;
// There for so long it is no load that is new and may go.
constexpr double kLongestLoanSeconds = 1800;
// With a budget's least rate so far above what is wanted little would wait.
constexpr double kMostOfDeferral = 1.2;

}  // namespace

void Deferral::observe(const Situation& situation) {
  const Nanoseconds now = situation.now;
  const double slo_us = p99_slo_us(situation.objective, Side::kReads);
  const Value& read_us = situation.features.read_p99_us;
  const bool fast = read_us && *read_us < kFarFromSlo * slo_us && situation.binding;
  fast_seconds_ = fast_.update(fast, now);
  if (stage_ == Stage::kNone) gone_.reset();
  if (gone_.update(situation.comfortable && !situation.binding, now) >= kGoneSeconds) end(now);
  passed_ = situation.passed.value_or(0);
}

std::optional<double> Deferral::wanted(const Situation& situation, const FullDevice& full) const {
  const Features& f = situation.features;
  const bool known = situation.passed && situation.need && f.limiter_bytes_per_second;
  const bool slow = full.fills() && full.slow_seconds() >= kNearSloSeconds;
  if (stage_ != Stage::kNone || !known || !slow) return std::nullopt;
  const bool calm = situation.far_from_limits &&
                    (situation.comfortable || situation.forecast_only) &&
                    !(situation.writes_rise || situation.burst_begins);
  if (!calm || !full.is_new() || rest_.lasts(situation.now)) return std::nullopt;
  const double rate = kDeferredShare * *situation.passed;
  const double waiting = f.total_pending_bytes.value_or(0);  // known where it is comfortable
  return waiting <= kMostWaitingSeconds * rate ? Value(rate) : std::nullopt;
}

std::optional<Proposal> Deferral::lower(const Situation& situation, const KnobReading& reading,
                                        const FullDevice& full) const {
  const auto rate = wanted(situation, full);
  if (!rate) return std::nullopt;
  const double to = std::ceil(std::max(*rate, situation.budget.rate_limit_min.value));
  if (to > static_cast<double>(reading.value) * (1 - kLimiterDeadBand)) return std::nullopt;
  if (to > kMostOfDeferral * *rate) return std::nullopt;
  Proposal out = propose(reading, static_cast<std::int64_t>(to), kDeferRule);
  const Features& f = situation.features;
  out.reason = "read P99 is " + text::microseconds(f.read_p99_us.value_or(0)) +
               " beside compactions that fill the device with " + text::rate(*situation.passed) +
               ", and no limit is near: they may wait";
  // Beside a full device, and not in the mean of the seconds in which it filled.
  out.expected = {"read_p99_us", true, full.slow_p99_us(), kLimiterEvaluationSeconds};
  out.evidence = slow_evidence(situation, Side::kReads);
  return out;
}

std::optional<Proposal> Deferral::raise(const Situation& situation, const KnobReading& reading,
                                        const FullDevice& full, std::int64_t back) const {
  const bool hurry = must_end(situation, full), due = is_due(situation);
  if (!hurry && !due && !has_room()) return std::nullopt;
  const auto nearly = static_cast<std::int64_t>(std::ceil(due_rate()));
  const bool first = stage_ == Stage::kDeferred && nearly > reading.value;
  const bool in_steps = !hurry && first && nearly < back;
  const bool waits = hurry || due;
  Proposal out = propose(reading, in_steps ? nearly : back,
                         !waits     ? "limiter.worked_off"
                         : in_steps ? "limiter.due"
                                    : "limiter.unpaced");
  if (out.to <= reading.value) return std::nullopt;
  const std::string limit = ", and compactions are limited to " + shown_rate(reading.value);
  if (!waits) {
    out.reason = "read P99 is " + text::microseconds(situation.read_p99_us.value_or(0)) + limit +
                 ": there is room to work off what waits";
  } else if (hurry && !situation.stalled) {
    out.reason = "more is written than lately" + limit;
  } else if (!situation.backlog_known && !situation.stalled) {
    out.reason = "nobody knows how much waits" + limit;
  } else if (has_lasted(situation.now) && !situation.stalled) {
    out.reason = "the load has stayed for " + text::duration(kLongestLoanSeconds) + limit;
  } else {
    out.reason = backlog_text(situation) + limit;
  }
  out.expected = expect_relief(situation, kLimiterEvaluationSeconds);
  out.evidence = backlog_evidence(situation);
  return out;
}

void Deferral::begin(double rate, Nanoseconds now) {
  if (stage_ == Stage::kNone) begun_at_ = now;
  full_ = passed_;
  // The guard, or the least rate allowed, left it where it would not gain anything.
  stage_ = rate < due_rate() ? Stage::kDeferred : Stage::kNone;
  raised_at_.reset();
}

void Deferral::raised(Nanoseconds now) {
  if (stage_ == Stage::kNone) return;
  stage_ = Stage::kDue;
  raised_at_ = now;
  fast_.reset();
  fast_seconds_ = 0;
}

void Deferral::end(Nanoseconds now) {
  if (stage_ != Stage::kNone) rest_.begin(now);
  stage_ = Stage::kNone;
  raised_at_.reset();
}

bool Deferral::must_end(const Situation& situation, const FullDevice& full) const {
  const bool rises = situation.writes_rise || situation.burst_begins;
  return situation.stalled || (rises && situation.written.value_or(0) > full.most_written());
}

bool Deferral::is_due(const Situation& situation) const {
  if (within(raised_at_, situation.now, kDueShowsSeconds)) return false;
  if (!situation.backlog_known || has_lasted(situation.now)) return true;
  const Features& f = situation.features;
  return situation.piling || f.l0_ratio.value_or(0) >= kDueL0 ||
         situation.l0_ratio.value_or(0) >= kDueL0Mean ||
         f.pending_ratio.value_or(0) >= kNearLimit ||
         situation.memtable_ratio.value_or(0) >= kNearMemtables;
}

bool Deferral::has_lasted(Nanoseconds now) const {
  return !within(begun_at_, now, kLongestLoanSeconds);
}

bool Deferral::has_room() const {
  return fast_seconds_ >= kFarSeconds;
}

double Deferral::due_rate() const {
  return kDueShare * full_;
}

}  // namespace rocktune
