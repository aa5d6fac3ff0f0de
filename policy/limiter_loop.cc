// The limiter's loop: fast up when a backlog builds behind it, small steps down when compactions
// disturb reads, or writes that wait for the log, although there is no backlog.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "model/knobs.h"
#include "model/text.h"
#include "model/write_stall.h"
#include "policy/headroom.h"
#include "policy/limiter_terms.h"
#include "policy/worth_reads.h"

namespace rocktune {
namespace {

// How long reads or writes have to be slow, in comfort, before background work is slowed for them.
constexpr double kSlowSeconds = 10;
constexpr std::string_view kSlowWritesRule = "limiter.writes";
// Between two raises for a delay that nobody feels.
constexpr double kUnfeltSeconds = 2;
// A limit below need * kShort for kShortSeconds goes to need * kAmple.
constexpr double kShort = 1.15, kAmple = 1.5, kShortSeconds = 5;
// A forecast that has not proved itself, with nothing else to see, moves the limit by this at most.
constexpr double kForecastFactor = 1.25;
// Where those that it is lowered for do not come first, a limit leaves this much more than is
// needed.
constexpr double kOthersFirstMargin = 1.5;
constexpr double kUnpacedEvaluationSeconds = 60;
// A limit of twice what is needed and more that is all used for so much of the time, lately, holds
// up work that shows in no debt: a compaction of the whole range, of what has expired, or has
// tombstones; universal trees.
constexpr double kPacedDuty = 0.9, kFullUse = 0.9;

std::string why_raise(const Situation& situation, const KnobReading& reading) {
  std::string limit = "the rate limit of " + shown_rate(reading.value);
  std::string use = text::percent(situation.limiter_use.value_or(0)) + " used";
  if (!situation.trouble) {
    double debt = situation.features.total_pending_bytes.value_or(0);
    return text::bytes(debt) + " wait for compaction, " +
           text::duration(debt / static_cast<double>(reading.value)) + " of work at " + limit +
           ", which is " + use;
  }
  if (situation.binding) return backlog_text(situation) + "; " + limit + " is " + use;
  return backlog_text(situation) + "; " + limit + " is below the " +
         text::rate(situation.need.value_or(0)) + " that is needed in the background";
}

// What a lower base leaves pending, and nothing else, is no reason for haste.
bool at_ease(const Situation& situation) {
  return situation.base_lowered ? situation.comfortable_but_debt : situation.comfortable;
}

}  // namespace

// Whose the rate is, and since when. A pace ends where the limiter is back, however it came there;
// until then its way back stays open, whatever others do with the rate meanwhile.
void LimiterLoop::note_changes(const KnobReading& reading, const Situation& situation) {
  const Nanoseconds now = situation.now;
  const bool ours = reading.owner == KnobOwner::kRocktune;
  const bool lowered = rate_ && reading.value < *rate_;
  // One that was there before this loop may have been a pace: the way back is what was found.
  if (!rate_ && is_lowered(reading)) paced_from_ = reading.found;
  if (rate_ && reading.value > *rate_) {
    last_raise_ = now;
    const bool own = raise_wish_.explains(now);
    // Where only a part of the way back was allowed it may limit nothing any more.
    const double passes = situation.passed_peak.value_or(0);
    if (own && smoothing_.is_for_others() && paced_from_) returns_ = true;
    if (!returns_ && own && smoothing_.lasts() &&
        static_cast<double>(reading.value) > kLeastSpread * passes) {
      paced_from_.reset();
    }
    smoothing_.end(now);
    if (own) {
      rest_.wanted(now);
      deferral_.raised(now);
    } else {
      deferral_.end(now);
    }
    probe_.end();
  }
  // Back to what was found by the agent, when the lease has expired: no mistake to learn from.
  const bool expired = lowered && reading.value == reading.found && !wish_.explains(now);
  if (expired) probe_.end();
  if (lowered && !expired) note_lowering(reading, situation);
  const bool back = paced_from_ && reading.value >= std::max(*paced_from_, reading.found);
  if (back || !ours) {
    returns_ = false;
    paced_from_.reset();
    paced_debt_ = {};
    deferral_.end(now);
    smoothing_.end(now);
  }
  rate_ = reading.value;
}

void LimiterLoop::note_lowering(const KnobReading& reading, const Situation& situation) {
  last_lowering_ = situation.now;
  const bool wished = wish_.explains(situation.now);
  if (wished) returns_ = false;
  const bool defers = wished && asks_for_ == Lowering::kDefer;
  const bool smooths = wished && asks_for_ == Lowering::kSmooth;
  // That it is due, or that there is no more room for it, is no mistake.
  if (wished && !defers && !smooths) rest_.went_back(situation.now);
  if (defers) deferral_.begin(static_cast<double>(reading.value), situation.now);
  if (smooths) smoothing_.begin(static_cast<double>(reading.value), asks_for_others_);
  const bool paces = defers || smooths || (wished && asks_for_ == Lowering::kPace);
  const bool returns = wished && asks_for_ == Lowering::kReturn;
  // Where the guard allowed a part of it only the next step goes on.
  const bool has_begun = (!defers || this->defers()) && (!smooths || smoothing_.lasts());
  if (paces && has_begun && !paced_from_) paced_from_ = rate_;
  // The first limit of all only takes away bursts, as one that is above all that passed does, and
  // others' lowerings are no probe of ours.
  const bool first = *rate_ >= kUnlimitedBytesPerSecond;
  if (!wished || paces || returns) {
    probe_.end();
  } else if (!first) {
    const Value& most = situation.passed_peak;
    const bool felt = !most || static_cast<double>(reading.value) < *most;
    probe_.step(situation, *rate_, asked_for(), felt);
  }
}

// Compactions that are paced have time: those that never pause, and do not keep up, have none.
std::optional<Proposal> LimiterLoop::unpace(const Situation& situation,
                                            const KnobReading& reading) {
  const Value& debt = situation.features.total_pending_bytes;
  // What is not known is no reason: it takes trouble that is seen.
  const bool seen = situation.trouble || (situation.backlog_known && !at_ease(situation));
  const bool uneasy = seen && !situation.forecast_only;
  const bool binds = paced_from_ && situation.binding;
  const bool grows = paced_debt_.update(binds && !situation.base_lowered, situation.features,
                                        static_cast<double>(reading.value), situation.now);
  if (!paced_from_) paced_duty_.reset();
  const auto rate = static_cast<double>(reading.value);
  const bool as_paced = rate >= kPaceMargin * situation.need.value_or(0);
  const bool full = binds && as_paced && situation.features.limiter_use_ratio >= kFullUse;
  const bool lasts =
      paced_duty_.update(full, situation.now) >= kPacedDuty && !situation.base_lowered;
  if (!binds || !(uneasy || grows || lasts)) return std::nullopt;
  Proposal out = propose(reading, std::max(*paced_from_, reading.found), "limiter.unpaced");
  const std::string why =
      uneasy  ? backlog_text(situation)
      : grows ? text::bytes(debt.value_or(0)) + " wait for compaction, and ever more"
              : "compactions have waited for it nearly all of half an hour, for more than pends";
  out.reason = why + ", and the rate limit of " + shown_rate(reading.value) + " is " +
               text::percent(situation.limiter_use.value_or(0)) +
               " used: compactions are paced no longer";
  out.expected = uneasy  ? expect_relief(situation, kLimiterEvaluationSeconds)
                 : grows ? Expectation{"total_pending_bytes", true, debt.value_or(0),
                                       kUnpacedEvaluationSeconds}
                         : no_more_stalls(situation, kUnpacedEvaluationSeconds);
  out.evidence = backlog_evidence(situation);
  return out;
}

std::optional<Proposal> LimiterLoop::relieve(const Situation& situation,
                                             const KnobReading& reading) {
  if (auto proposal = unpace(situation, reading)) return proposal;
  auto rate = static_cast<double>(reading.value);
  bool below_need = situation.need && rate < *situation.need * kShort;
  bool waits = (situation.trouble && (situation.binding || below_need)) || situation.piling;
  if (!waits) return std::nullopt;
  // A limit that was lowered for reads holds up more than what was found would.
  const bool worth_reads = is_worth_reads(situation);
  if (!worth_reads && !is_lowered(reading)) return std::nullopt;
  // What nobody feels has the time to show what the last step did to the device.
  const bool felt = is_felt(situation);
  pauses_ = !felt && within(last_raise_, situation.now, kUnfeltSeconds);
  if (pauses_) return std::nullopt;
  double factor = params_.limiter_raise_factor;
  if (felt) factor *= factor;
  if (situation.binding && writers_stand_still(situation.features)) factor *= factor;
  if (situation.forecast_only) factor = std::min(factor, kForecastFactor);
  std::int64_t to = raised_rate(rate * factor, situation);
  if (!worth_reads) to = std::min(to, reading.found);
  Proposal out = propose(reading, to, "limiter.backlog");
  out.reason = why_raise(situation, reading);
  bool debt_alone = !situation.trouble;  // it piles up below every limit of RocksDB
  out.expected = debt_alone ? Expectation{"total_pending_bytes", true,
                                          situation.features.total_pending_bytes.value_or(0),
                                          kLimiterEvaluationSeconds}
                            : expect_relief(situation, kLimiterEvaluationSeconds);
  out.evidence = backlog_evidence(situation);
  return out;
}

std::optional<Proposal> LimiterLoop::follow_need(const Situation& situation,
                                                 const KnobReading& reading) {
  auto rate = static_cast<double>(reading.value);
  // A compaction of minutes uses any limit up, and what passes is what "writes need" then: in
  // comfort, or where a forecast alone ends it, it takes more writes than before.
  const bool seen = !at_ease(situation) && !situation.forecast_only;
  const bool more = (seen || situation.writes_rise) && !pauses_;
  bool is_short = more && situation.need && situation.binding && rate < *situation.need * kShort;
  if (short_of_need_.update(is_short, situation.now) < kShortSeconds) return std::nullopt;
  double need = situation.need.value_or(0);
  Proposal out = propose(reading, raised_rate(need * kAmple, situation), "limiter.need");
  out.reason = text::rate(need) + " is needed in the background, and the rate limit is " +
               shown_rate(reading.value);
  out.expected = expect_relief(situation, kLimiterEvaluationSeconds);
  out.evidence = backlog_evidence(situation);
  return out;
}

// Whom compactions slow, by evidence. With a backlog it is the backlog that slows reads: limiting
// compactions would make it worse. Writes that stall are another matter, too.
std::optional<Side> LimiterLoop::disturbed(const Situation& situation) const {
  if (situation.comfortable_seconds < kLimiterComfortSeconds) return std::nullopt;
  if (situation.reads_threatened_seconds >= kSlowSeconds && situation.interference) {
    return Side::kReads;
  }
  // What syncs of the log wait for shows beside compactions, and in the device's queue only where
  // that is full.
  const bool waits = situation.interference || pace_.slow_down(Side::kWrites);
  if (situation.writes_threatened_seconds >= kSlowSeconds && waits) return Side::kWrites;
  return std::nullopt;
}

std::optional<Proposal> LimiterLoop::protect(const Situation& situation,
                                             const KnobReading& reading) {
  const auto side = disturbed(situation);
  if (!side || !situation.need || !situation.passed_peak) return std::nullopt;
  if (rests(situation.now, *side)) return std::nullopt;
  auto rate = static_cast<double>(reading.value);
  const bool of_reads = side == Side::kReads;
  // What writes wait for is seen over more time: fewer steps.
  const double factor = std::pow(params_.limiter_lower_factor, of_reads ? 1 : 2);
  // Far above what was seen to pass that is the first limit: it takes away only larger bursts.
  double wanted = std::min(rate * factor, *situation.passed_peak);
  const auto& device = situation.objective.device_capacities.write;
  if (device) {
    wanted = std::min(wanted, situation.budget.device_share * device->bytes_per_second);
  }
  const bool first = first_side(situation.objective) == side;
  const double margin = params_.limiter_need_margin * (first ? 1 : kOthersFirstMargin);
  // A load that comes and goes needs what it needed when it was there.
  const double need = need_peak_.largest(situation);
  double least = std::max(need * margin, situation.budget.rate_limit_min.value);
  double to = std::ceil(std::max(wanted, least));
  if (to > rate * (1 - kLimiterDeadBand) || to >= nearly_unlimited(situation.passed_peak)) {
    return std::nullopt;
  }
  const double p99_us = situation.p99_us(*side).value_or(0);
  Proposal out =
      propose(reading, static_cast<std::int64_t>(to), of_reads ? "limiter.reads" : kSlowWritesRule);
  const bool slow = of_reads ? situation.reads_slow : situation.writes_slow;
  out.reason = p99_text(*side) + " is " + text::microseconds(p99_us) +
               (slow ? "" : ", and foreseen to break its objective,") +
               " without any backlog, and " +
               (situation.interference ? interference_text(situation) : pace_.bursts_text(*side)) +
               ": the background needs only " + text::rate(need);
  // What is foreseen to be slow is to stay as fast as is asked for.
  const double slo_us = p99_slo_us(situation.objective, *side);
  out.expected = {p99_feature(*side), true, slow ? p99_us : std::max(p99_us, slo_us),
                  evaluation_seconds(*side)};
  out.evidence = slow_evidence(situation, *side);
  return out;
}

// What the last lowering did has to show before one for this side.
bool LimiterLoop::rests(Nanoseconds now, Side side) const {
  const double shows = std::max(evaluation_seconds(asked_for()), evaluation_seconds(side));
  return within(last_lowering_, now, shows) || within(last_raise_, now, rest_.seconds()) ||
         within(probe_.futile_at(), now, rest_.seconds());
}

// Compactions that have come to fill the device beside reads near their SLO may wait; where there
// is no time for that, what they write is made even.
std::optional<Proposal> LimiterLoop::defer(const Situation& situation,
                                           const KnobReading& reading) const {
  // On a limit that is lowered already there is nothing to lend.
  const bool begun = asks_for_ == Lowering::kDefer || asks_for_ == Lowering::kSmooth;
  if (paced_from_ || (is_lowered(reading) && !begun)) return std::nullopt;
  // Where several databases are on the device they act together (policy/sharing.h).
  if (shares_device(situation.features)) {
    const bool asked = asked_to_smooth(situation) && !situation.writers_first();
    return asked ? smoothing_.lower(situation, reading, full_) : std::nullopt;
  }
  if (situation.objective.first != Priority::kReadP99) return std::nullopt;
  if (!rests(situation.now, Side::kReads)) {
    if (auto proposal = deferral_.lower(situation, reading, full_)) return proposal;
  }
  return smoothing_.lower(situation, reading, full_);
}

std::optional<Proposal> LimiterLoop::pace(const Situation& situation,
                                          const KnobReading& reading) const {
  const auto side = first_side(situation.objective);
  if (!side || rests(situation.now, *side)) return std::nullopt;
  return pace_.lower(situation, reading, need_peak_.largest(situation),
                     params_.limiter_need_margin);
}

// Lowerings that gained nothing are taken back.
std::optional<Proposal> LimiterLoop::judge_lowerings(const Situation& situation,
                                                     const KnobReading& reading) {
  const auto futile = probe_.judge(situation, reading);
  if (!futile) return std::nullopt;
  Proposal out = propose(reading, futile->from, "limiter.futile");
  const double p99_us = *situation.p99_us(futile->side);
  out.reason = p99_text(futile->side) + " was " + text::microseconds(futile->p99_us) +
               " when the limit was " + shown_rate(futile->from) + " and is " +
               text::microseconds(p99_us) + " now: compactions are not what slows " +
               (futile->side == Side::kReads ? "reads" : "writes");
  out.expected = {p99_feature(futile->side), true, p99_us, evaluation_seconds(futile->side)};
  return out;
}

LimiterLoop::Lowering LimiterLoop::lowering_of(std::string_view rule) {
  if (rule == kSlowWritesRule) return Lowering::kWrites;
  if (rule == "limiter.pace") return Lowering::kPace;
  if (rule == kDeferRule) return Lowering::kDefer;
  if (rule == kSmoothRule) return Lowering::kSmooth;
  const bool returns = rule == "limiter.returned" || rule == kFutileRaisesRule;
  return returns ? Lowering::kReturn : Lowering::kReads;
}

std::optional<Proposal> LimiterLoop::decide(const Situation& situation) {
  const KnobReading* reading = changeable_knob(situation.features, knob::kRateLimit);
  pauses_ = false;
  if (reading == nullptr) {
    deferral_.end(situation.now);
    smoothing_.end(situation.now);
    return std::nullopt;
  }
  auto proposal = look_and_decide(situation, *reading);
  wish_.note(proposal, situation.now);
  raise_wish_.note(proposal, situation.now);
  if (proposal && proposal->to < proposal->from) {
    asks_for_ = lowering_of(proposal->rule);
    asks_for_others_ = asked_to_smooth(situation).has_value();
  }
  return proposal;
}

std::optional<Proposal> LimiterLoop::look_and_decide(const Situation& situation,
                                                     const KnobReading& reading) {
  note_changes(reading, situation);
  pace_.observe(situation);
  need_peak_.observe(situation);
  full_.observe(situation, defers() || smoothing_.lasts());
  deferral_.observe(situation);
  smoothing_.observe(situation, full_);
  if (defers() || smoothing_.lasts()) {
    const std::int64_t back = std::max(paced_from_.value_or(reading.found), reading.found);
    if (auto raised = defers() ? deferral_.raise(situation, reading, full_, back)
                               : smoothing_.raise(situation, reading, back)) {
      return raised;
    }
    if (smoothing_.lasts()) {
      if (auto proposal = smoothing_.lower(situation, reading, full_)) return proposal;
    }
    return protect(situation, reading);
  }
  if (auto proposal = go_back(situation, reading)) return proposal;
  if (reading.value < kUnlimitedBytesPerSecond) {
    auto relief = relieve(situation, reading);
    auto unburdened =
        burden_.decide(situation, reading, params_.limiter_raise_factor, relief.has_value());
    if (relief) return relief;
    if (unburdened) return unburdened;
    if (auto proposal = follow_need(situation, reading)) return proposal;
    if (auto proposal = judge_lowerings(situation, reading)) return proposal;
  }
  if (auto proposal = protect(situation, reading)) return proposal;
  if (auto proposal = pace(situation, reading)) return proposal;
  if (auto proposal = defer(situation, reading)) return proposal;
  return give_back(situation, reading);
}

}  // namespace rocktune
