// The limiter's loop: fast up when a backlog builds behind it, small steps down when compactions
// disturb reads although there is no backlog.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "model/knobs.h"
#include "model/text.h"
#include "model/write_stall.h"
#include "policy/headroom.h"
#include "policy/limiter_terms.h"

namespace rocktune {
namespace {

// How long reads have to be slow, in comfort, before background work is slowed for them.
constexpr double kSlowReadsSeconds = 10;
constexpr double kComfortSeconds = 10;
// Between two lowerings: the device's queue and the reads' P99 answer within this time.
constexpr double kLoweringSeconds = 15;
// A raise within this time after a lowering says that it was one too many: the load comes and goes.
// Without any backlog, a limit below need * kShort for kShortSeconds goes to need * kAmple.
constexpr double kShort = 1.15, kAmple = 1.5, kShortSeconds = 5;
// A forecast that has not proved itself, with nothing else to see, moves the limit by this at most.
constexpr double kForecastFactor = 1.25;
// How long lowerings that gained reads nothing are offered back.
constexpr double kFutileSeconds = 30;
// Where reads do not come first, a lowered limit leaves this much more than is needed.
constexpr double kWritesFirstMargin = 1.5;
// Compactions are spread to this many times what is needed, so that they work about half of the
// time, and not below a share of what has passed: what is needed was seen for a minute at most.
// A load that comes and goes needs what it needed when it was there, less and less as that is
// longer ago: a third after so long.
constexpr double kPaceMargin = 2, kLeastPaceShare = 0.125, kNeedFadesSeconds = 600;
// Before it is known what writes cost.
constexpr double kLeastPaceShareUnknown = 0.25;
// ...where reads take so many times as long beside them, and that share of their objective at
// least; and where it makes them at least so much slower.
constexpr double kSlowerBesideCompactions = 1.5, kNotFastEnough = 0.1, kLeastSpread = 2;
constexpr double kPaceEvaluationSeconds =
    60;  // as long as bursts are looked at, in its second half
// What was raised above the limit that was found goes back after so long without any backlog, as
// jobs and buffers do; no lower than what compactions that come in bursts need.
constexpr double kReturnSeconds = 300;
constexpr double kReturnEvaluationSeconds = 60;
std::string why_raise(const Situation& situation, const KnobReading& reading) {
  std::string limit = "the rate limit of " + shown_rate(reading.value);
  std::string use = text::percent(situation.limiter_use.value_or(0)) + " used";
  if (!situation.trouble) {
    double debt = situation.features.pending_bytes.value_or(0);
    return text::bytes(debt) + " wait for compaction, " +
           text::duration(debt / static_cast<double>(reading.value)) + " of work at " + limit +
           ", which is " + use;
  }
  if (situation.binding) return backlog_text(situation) + "; " + limit + " is " + use;
  return backlog_text(situation) + "; " + limit + " is below the " +
         text::rate(situation.need.value_or(0)) + " that writes need in the background";
}

}  // namespace

// Whose the rate is, and since when. A pace ends where the limiter is back, however it came there;
// until then its way back stays open, whatever others do with the rate meanwhile.
void LimiterLoop::note_changes(const KnobReading& reading, const Situation& situation) {
  const Nanoseconds now = situation.now;
  const bool ours = reading.owner == KnobOwner::kRocktune;
  const bool lowered = rate_ && reading.value < *rate_;
  // One that was there before this loop may have been a pace: the way back is what was found.
  if (!rate_ && ours && reading.value < reading.found) paced_from_ = reading.found;
  if (rate_ && reading.value > *rate_) {
    last_raise_ = now;
    const bool own = raise_wish_.explains(now);
    if (own) {
      rest_.wanted(now);
      deferral_.raised(now);
    } else {
      deferral_.end(now);
    }
    probe_.reset();
  }
  // Back to what was found by the agent, when the lease has expired: no mistake to learn from.
  const bool expired = lowered && reading.value == reading.found;
  if (expired) probe_.reset();
  if (lowered && !expired) note_lowering(reading, situation);
  const bool back = paced_from_ && reading.value >= std::max(*paced_from_, reading.found);
  if (back || !ours) {
    paced_from_.reset();
    paced_debt_ = {};
    deferral_.end(now);
  }
  rate_ = reading.value;
}

void LimiterLoop::note_lowering(const KnobReading& reading, const Situation& situation) {
  last_lowering_ = situation.now;
  const bool wished = wish_.explains(situation.now);
  const bool defers = wished && asks_for_ == Lowering::kDefer;
  if (wished && !defers) rest_.went_back(situation.now);  // that it is due is no mistake
  if (defers) deferral_.begin(static_cast<double>(reading.value));
  const bool paces = defers || (wished && asks_for_ == Lowering::kPace);
  const bool returns = wished && asks_for_ == Lowering::kReturn;
  // Where the guard allowed a part of a deferral only the next step goes on.
  const bool has_begun = !defers || this->defers();
  if (paces && has_begun && !paced_from_) paced_from_ = rate_;
  // The first limit of all only takes away bursts, and others' lowerings are no probe of ours.
  const bool first = *rate_ >= kUnlimitedBytesPerSecond;
  if (!wished || paces || returns) probe_.reset();
  if (wished && !paces && !returns && !first && !probe_ && situation.read_p99_us) {
    probe_ = Probe{*rate_, *situation.read_p99_us, 0};
  }
  if (probe_) ++probe_->steps;
}

std::optional<Proposal> LimiterLoop::relieve(const Situation& situation,
                                             const KnobReading& reading) {
  auto rate = static_cast<double>(reading.value);
  bool below_need = situation.need && rate < *situation.need * kShort;
  bool waits = (situation.trouble && (situation.binding || below_need)) || situation.piling;
  // What is not known is no reason: it takes trouble that is seen.
  const bool seen = situation.trouble || (situation.backlog_known && !situation.comfortable);
  const bool uneasy = seen && !situation.forecast_only;
  // Compactions that are paced have time: those that never pause, and do not keep up, have none.
  const Value& debt = situation.features.pending_bytes;
  const bool grows =
      paced_debt_.update(paced_from_ && situation.binding, situation.features, rate, situation.now);
  if (paced_from_ && situation.binding && (uneasy || grows)) {
    Proposal out = propose(reading, std::max(*paced_from_, reading.found), "limiter.unpaced");
    out.reason = (uneasy ? backlog_text(situation)
                         : text::bytes(debt.value_or(0)) + " wait for compaction, and ever more") +
                 ", and the rate limit of " + shown_rate(reading.value) + " is " +
                 text::percent(situation.limiter_use.value_or(0)) +
                 " used: compactions are paced no longer";
    out.expected =
        uneasy ? expect_relief(situation, kLimiterEvaluationSeconds)
               : Expectation{"pending_bytes", true, debt.value_or(0), kPaceEvaluationSeconds};
    out.evidence = backlog_evidence(situation);
    return out;
  }
  if (!waits) return std::nullopt;
  double factor = params_.limiter_raise_factor;
  if (situation.stalled) factor *= factor;
  if (situation.binding && writers_stand_still(situation.features)) factor *= factor;
  if (situation.forecast_only) factor = std::min(factor, kForecastFactor);
  Proposal out = propose(reading, raised_rate(rate * factor, situation), "limiter.backlog");
  out.reason = why_raise(situation, reading);
  bool debt_alone = !situation.trouble;  // it piles up below every limit of RocksDB
  out.expected =
      debt_alone ? Expectation{"pending_bytes", true, situation.features.pending_bytes.value_or(0),
                               kLimiterEvaluationSeconds}
                 : expect_relief(situation, kLimiterEvaluationSeconds);
  out.evidence = backlog_evidence(situation);
  return out;
}

std::optional<Proposal> LimiterLoop::follow_need(const Situation& situation,
                                                 const KnobReading& reading) {
  auto rate = static_cast<double>(reading.value);
  // A compaction of minutes uses any limit up, and what passes is what "writes need" then: in
  // comfort it takes more writes than before.
  const bool more = !situation.comfortable || situation.writes_rise;
  bool is_short = more && situation.need && situation.binding && rate < *situation.need * kShort;
  if (short_of_need_.update(is_short, situation.now) < kShortSeconds) return std::nullopt;
  double need = situation.need.value_or(0);
  Proposal out = propose(reading, raised_rate(need * kAmple, situation), "limiter.need");
  out.reason = "writes need " + text::rate(need) + " in the background, and the rate limit is " +
               shown_rate(reading.value);
  out.expected = expect_relief(situation, kLimiterEvaluationSeconds);
  out.evidence = backlog_evidence(situation);
  return out;
}

std::optional<Proposal> LimiterLoop::protect_reads(const Situation& situation,
                                                   const KnobReading& reading) {
  // With a backlog it is the backlog that slows reads: limiting compactions would make it worse.
  bool disturbed = situation.reads_threatened_seconds >= kSlowReadsSeconds &&
                   situation.comfortable_seconds >= kComfortSeconds && situation.interference;
  if (!disturbed || !situation.need || !situation.passed_peak) return std::nullopt;
  if (rests(situation.now)) return std::nullopt;
  auto rate = static_cast<double>(reading.value);
  bool unlimited = reading.value >= kUnlimitedBytesPerSecond;
  // From unlimited, what was seen to pass is the first limit: it takes away only larger bursts.
  double wanted = unlimited ? *situation.passed_peak : rate * params_.limiter_lower_factor;
  const auto& device = situation.objective.device_capacities.write;
  if (device) {
    wanted = std::min(wanted, situation.budget.device_share * device->bytes_per_second);
  }
  const bool reads_first = situation.objective.first == Priority::kReadP99;
  const double margin = params_.limiter_need_margin * (reads_first ? 1 : kWritesFirstMargin);
  // A load that comes and goes needs what it needed when it was there.
  const double need = std::max(*situation.need, need_peak_.value_or(0));
  double least = std::max(need * margin, situation.budget.rate_limit_min.value);
  double to = std::ceil(std::max(wanted, least));
  if (to > rate * (1 - kLimiterDeadBand) || to >= nearly_unlimited(situation.passed_peak)) {
    return std::nullopt;
  }
  Proposal out = propose(reading, static_cast<std::int64_t>(to), "limiter.reads");
  out.reason = "read P99 is " + text::microseconds(situation.read_p99_us.value_or(0)) +
               (situation.reads_slow ? "" : ", and foreseen to break its objective,") +
               " without any backlog, and compactions keep the device busy: background writes " +
               "need only " + text::rate(need);
  out.expected = {"read_p99_us", true, situation.read_p99_us.value_or(0),
                  kLimiterEvaluationSeconds};
  const Features& f = situation.features;
  out.evidence = backlog_evidence(situation);
  if (f.device_queue) {
    out.evidence.push_back(
        {"device_queue", *f.device_queue, situation.objective.device_queue_limit});
  }
  return out;
}

void LimiterLoop::follow_need_peak(const Situation& situation) {
  const double passed = looked_ ? seconds_between(*looked_, situation.now) : 0;
  looked_ = situation.now;
  if (need_peak_) *need_peak_ *= std::exp(-passed / kNeedFadesSeconds);
  // Not yet what is to be remembered: one compaction beside seconds of writes can be anything.
  if (!situation.need || !situation.write_amplification) return;
  need_peak_ = std::max(*situation.need, need_peak_.value_or(0));
}

bool LimiterLoop::rests(Nanoseconds now) const {
  return within(last_lowering_, now, kLoweringSeconds) ||
         within(last_raise_, now, rest_.seconds()) || within(futile_at_, now, rest_.seconds());
}

// What makes a compaction slow reads: seen of those before, or known beforehand, since others load
// the device already.
std::optional<LimiterLoop::PaceReason> LimiterLoop::reason_to_pace(
    const Situation& situation) const {
  const Features& f = situation.features;
  const double fast = kNotFastEnough * situation.objective.read_p99_seconds * 1e6;
  const Value beside = bursts_.read_p99_us_beside(), without = bursts_.read_p99_us_without();
  const bool slower = beside && without && *beside >= kSlowerBesideCompactions * *without;
  if (slower && *beside >= fast) {
    // Judged over bursts and pauses together: between them reads were as fast as they can be.
    return PaceReason{
        "read P99 is " + text::microseconds(*beside) + " while compactions run, " +
            text::microseconds(*without) + " while none does",
        {"read_p99_us", true, bursts_.read_p99_us().value_or(*beside), kPaceEvaluationSeconds}};
  }
  const bool compacts = f.running_compactions.value_or(0) > 0;
  if (compacts && others_.prevails() && f.read_p99_us.value_or(0) >= fast) {
    return PaceReason{"read P99 is " + text::microseconds(*f.read_p99_us) +
                          " beside what others write on the same device, and compactions here "
                          "would add to it",
                      no_more_stalls(situation, kPaceEvaluationSeconds)};
  }
  return std::nullopt;
}

// Compactions that have come to fill the device beside reads near their SLO may wait.
std::optional<Proposal> LimiterLoop::defer(const Situation& situation,
                                           const KnobReading& reading) const {
  if (situation.objective.first != Priority::kReadP99 || rests(situation.now)) return std::nullopt;
  // On a limit that is lowered already there is nothing to lend. Where several databases are on the
  // device its budget divides it (policy/sharing.h).
  const bool begun = asks_for_ == Lowering::kDefer;
  const bool lowered = paced_from_ || (reading.owner == KnobOwner::kRocktune &&
                                       reading.value < reading.found && !begun);
  if (lowered || shares_device(situation.features)) return std::nullopt;
  return deferral_.lower(situation, reading);
}

// Compactions that have the time are spread over it: in a burst they take the device from reads,
// and stand still before and after it.
std::optional<Proposal> LimiterLoop::pace(const Situation& situation,
                                          const KnobReading& reading) const {
  const bool calm = situation.objective.first == Priority::kReadP99 &&
                    situation.comfortable_seconds >= kComfortSeconds && situation.read_lately &&
                    written_seconds_ >= kComfortSeconds;
  if (!calm || !situation.need || !situation.passed_peak || rests(situation.now)) {
    return std::nullopt;
  }
  const auto why = reason_to_pace(situation);
  if (!why) return std::nullopt;
  const double margin = std::max(kPaceMargin, params_.limiter_need_margin);
  const double need = std::max(*situation.need, need_peak_.value_or(0));
  const double share = situation.write_amplification ? kLeastPaceShare : kLeastPaceShareUnknown;
  const double to = std::ceil(std::max(
      {need * margin, share * *situation.passed_peak, situation.budget.rate_limit_min.value}));
  if (kLeastSpread * to > std::min(*situation.passed_peak, static_cast<double>(reading.value))) {
    return std::nullopt;
  }
  Proposal out = propose(reading, static_cast<std::int64_t>(to), "limiter.pace");
  out.reason = why->text + "; at up to " + text::rate(*situation.passed_peak) +
               " they come in bursts, where " + text::rate(need) + " is needed at most";
  out.expected = why->expected;
  out.evidence = backlog_evidence(situation);
  return out;
}

// A limit that was found protects something that is not seen here: a raise is for a backlog.
std::optional<Proposal> LimiterLoop::give_back(const Situation& situation,
                                               const KnobReading& reading) const {
  const bool ours = reading.owner == KnobOwner::kRocktune && reading.value > reading.found;
  const bool calm = situation.comfortable_seconds >= kReturnSeconds && !situation.binding;
  if (!ours || !calm || !situation.need || rests(situation.now)) return std::nullopt;
  const double margin = std::max(kPaceMargin, params_.limiter_need_margin);
  const double need = std::max(*situation.need, need_peak_.value_or(0));
  const double to = std::max(static_cast<double>(reading.found), std::ceil(need * margin));
  // In halves, so that a need that moves a little moves nothing; the last step to what was found.
  const auto found = static_cast<double>(reading.found), rate = static_cast<double>(reading.value);
  const double least = to > found ? kLeastSpread * to : to / (1 - kLimiterDeadBand);
  if (rate < least) return std::nullopt;
  Proposal out = propose(reading, static_cast<std::int64_t>(to), "limiter.returned");
  out.reason = "no backlog for " + text::duration(situation.comfortable_seconds) +
               ", the limit of " + shown_rate(reading.found) + " was raised for one, and " +
               text::rate(need) + " is needed at most";
  out.expected = no_more_stalls(situation, kReturnEvaluationSeconds);
  out.evidence = backlog_evidence(situation);
  return out;
}

// The evidence is open as long as nobody has tried: lowerings that gained nothing are taken back.
std::optional<Proposal> LimiterLoop::judge_lowerings(const Situation& situation,
                                                     const KnobReading& reading) {
  const bool due = probe_ && !within(last_lowering_, situation.now, kLoweringSeconds);
  if (!due || !situation.read_p99_us) return std::nullopt;
  if (*situation.read_p99_us <= (1 - kLeastProbeGain) * probe_->read_p99_us) probe_.reset();
  if (!probe_ || probe_->steps < kProbeSteps || reading.owner != KnobOwner::kRocktune) {
    return std::nullopt;
  }
  if (!futile_at_ || *futile_at_ < *last_lowering_) futile_at_ = situation.now;
  // Offered for a while; where it is not taken the lower rate stays.
  if (!within(futile_at_, situation.now, kFutileSeconds)) {
    probe_.reset();
    return std::nullopt;
  }
  Proposal out = propose(reading, probe_->from, "limiter.futile");
  out.reason = "read P99 was " + text::microseconds(probe_->read_p99_us) + " when the limit was " +
               shown_rate(probe_->from) + " and is " + text::microseconds(*situation.read_p99_us) +
               " now: compactions are not what slows reads";
  out.expected = {"read_p99_us", true, *situation.read_p99_us, kLimiterEvaluationSeconds};
  return out;
}

std::optional<Proposal> LimiterLoop::decide(const Situation& situation) {
  const KnobReading* reading = changeable_knob(situation.features, knob::kRateLimit);
  if (reading == nullptr) {
    deferral_.end(situation.now);
    return std::nullopt;
  }
  auto proposal = look_and_decide(situation, *reading);
  wish_.note(proposal, situation.now);
  raise_wish_.note(proposal, situation.now);
  if (proposal && proposal->to < proposal->from) {
    asks_for_ = proposal->rule == "limiter.pace" ? Lowering::kPace
                : proposal->rule == kDeferRule   ? Lowering::kDefer
                : proposal->rule == "limiter.returned" || proposal->rule == kFutileRaisesRule
                    ? Lowering::kReturn
                    : Lowering::kReads;
  }
  return proposal;
}

std::optional<Proposal> LimiterLoop::look_and_decide(const Situation& situation,
                                                     const KnobReading& reading) {
  note_changes(reading, situation);
  others_.observe(situation.features);
  bursts_.observe(situation.features, others_.prevails());
  follow_need_peak(situation);
  written_seconds_ = written_.update(situation.features.user_write_bytes_per_second.value_or(0) > 0,
                                     situation.now);
  deferral_.observe(situation);
  if (defers()) {
    const std::int64_t back = std::max(paced_from_.value_or(reading.found), reading.found);
    if (auto proposal = deferral_.raise(situation, reading, back)) return proposal;
    return protect_reads(situation, reading);
  }
  if (reading.value < kUnlimitedBytesPerSecond) {
    auto relief = relieve(situation, reading);
    auto unburdened =
        burden_.decide(situation, reading, params_.limiter_raise_factor, relief.has_value());
    if (relief) return relief;
    if (unburdened) return unburdened;
    if (auto proposal = follow_need(situation, reading)) return proposal;
    if (auto proposal = judge_lowerings(situation, reading)) return proposal;
  }
  if (auto proposal = protect_reads(situation, reading)) return proposal;
  if (auto proposal = pace(situation, reading)) return proposal;
  if (auto proposal = defer(situation, reading)) return proposal;
  return give_back(situation, reading);
}

}  // namespace rocktune
