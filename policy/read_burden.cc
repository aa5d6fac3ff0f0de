#include "policy/read_burden.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/text.h"
#include "policy/limiter_terms.h"

namespace rocktune {
namespace {

// Reads have to be slow beside such a backlog for so long, which is no moment between two
// compactions.
constexpr double kBurdenedSeconds = 5;

}  // namespace

void ReadBurden::note_changes(const Situation& situation, const KnobReading& reading) {
  const Nanoseconds now = situation.now;
  const bool rose = rate_ && reading.value > *rate_, fell = rate_ && reading.value < *rate_;
  const bool own = rose && wish_.explains(now);
  if (fell || (rose && !own)) probe_.end();
  if (own) {
    probe_.step(situation, *rate_, Side::kReads);
    raised_at_ = now;
  }
  rate_ = reading.value;
}

std::optional<Proposal> ReadBurden::raise(const Situation& situation, const KnobReading& reading,
                                          double factor) const {
  const bool rests =
      within(raised_at_, situation.now, kLimiterShowsSeconds) || rest_.lasts(situation.now);
  if (rests) return std::nullopt;
  const Features& f = situation.features;
  // Never to none: what is behind no limit is nobody's to judge here.
  const double rate = std::min(factor * static_cast<double>(reading.value),
                               0.5 * static_cast<double>(kUnlimitedBytesPerSecond));
  Proposal out = propose(reading, whole_bytes(std::ceil(rate)), "limiter.runs");
  out.reason = "read P99 is " + text::microseconds(*situation.read_p99_us) + ", " +
               backlog_text(situation) + ", each of which reads look into, and the rate limit of " +
               shown_rate(reading.value) + " is " +
               text::percent(situation.limiter_use.value_or(0)) + " used";
  out.expected = {"read_p99_us", true, situation.read_p99_us, kLimiterEvaluationSeconds};
  out.evidence = backlog_evidence(situation);
  const auto add = [&out](const char* name, const Value& value) {
    if (value) out.evidence.push_back({name, *value, std::nullopt});
  };
  add("cache_misses_per_second", f.cache_misses_per_second);
  add("device_read_await_ms", f.device_read_await_ms);
  return out;
}

std::optional<Proposal> ReadBurden::judge(const Situation& situation, const KnobReading& reading) {
  // A limit that binds no more has no further step.
  const auto futile = probe_.judge(situation, reading, situation.binding ? kProbeSteps : 1);
  if (!futile) return std::nullopt;
  if (futile->fresh) rest_.begin(situation.now);
  Proposal out = propose(reading, futile->from, kFutileRaisesRule);
  out.reason = "read P99 was " + text::microseconds(futile->p99_us) + " when the limit was " +
               shown_rate(futile->from) + " and is " + text::microseconds(*situation.read_p99_us) +
               " now: what waits for compaction is not what slows reads";
  out.expected = no_more_stalls(situation, kLimiterEvaluationSeconds);
  out.evidence = backlog_evidence(situation);
  return out;
}

std::optional<Proposal> ReadBurden::decide(const Situation& situation, const KnobReading& reading,
                                           double factor, bool raised) {
  note_changes(situation, reading);
  const bool level0 = situation.backlog_known && !situation.comfortable && !situation.trouble &&
                      situation.backlog_cause == "l0";
  const bool burdened = level0 && situation.reads_slow && situation.binding && !raised;
  std::optional<Proposal> out;
  // A backlog of writers' is not this one's, nor is what is raised for it.
  if (situation.trouble || raised) probe_.end();
  if (auto back = judge(situation, reading)) {
    out = std::move(back);
  } else if (burdened_.update(burdened, situation.now) >= kBurdenedSeconds) {
    out = raise(situation, reading, factor);
  }
  wish_.note(out, situation.now);
  return out;
}

}  // namespace rocktune
