// rate_limiter: a limiter that is missing (it cannot be added while the database runs) or too
// tight.
#include <algorithm>
#include <cmath>

#include "advice/findings.h"
#include "model/knobs.h"
#include "model/text.h"

namespace rocktune::advice {
namespace {

constexpr double kLimiterHelps = 1.5;
constexpr double kHeadroom = 1.25;

Value ends_of_debt(const Evidence& e) {
  Value grown;
  for (const auto& [name, one] : e.families) {
    if (!one.first_pending_bytes || !one.last_pending_bytes) continue;
    grown = grown.value_or(0) + *one.last_pending_bytes - *one.first_pending_bytes;
  }
  return grown;
}

// With a limiter and no rate of its own a delay begins at the limiter's rate (SanitizeOptions),
// which delays nobody.
constexpr double kDelayedWriteRate = 16 << 20;  // RocksDB's own without a limiter

Advice bring_one(const Evidence& e, double compacting, double quiet) {
  const double known = e.knob("delayed_write_rate").value_or(0);
  const double delayed = known > 0 ? known : kDelayedWriteRate;
  Advice out;
  out.title = "open the database with a rate limiter object";
  out.evidence = {
      fact("read_p99_compacting_us", compacting,
           "read P99 " + text::microseconds(compacting) + " in the mean while compactions ran"),
      fact("read_p99_quiet_us", quiet,
           text::microseconds(quiet) + " while none did, " + text::amount(compacting / quiet) +
               " times less")};
  out.effect = {"read P99 while compactions run",
                Unit::kMicroseconds,
                compacting,
                quiet,
                compacting,
                "at best as without compactions; not at all where backlog is what slows reads"};
  out.confidence = Confidence::kLow;
  out.confidence_reason =
      "a limiter spreads interference and never removes work; writes that come with the "
      "compactions "
      "may slow reads by themselves";
  out.risk =
      "none as long as its rate is above what is needed; one that is too low piles up level "
      "0 and slows reads more than it helps; without delayed_write_rate set, RocksDB takes the "
      "limiter's rate for it, and writes are stopped where they would have been slowed down";
  out.steps = {{"rate_limiter", "NewGenericRateLimiter(large rate)"},
               {"delayed_write_rate", text::number(delayed, 0)}};
  out.how =
      "or start under `rocktune run`, whose agent brings one without a limit that rocktuned "
      "turns in act mode";
  out.source = "SILK (ATC'19) on compactions beside reads; the threshold is this project's";
  return out;
}

void judge_missing(const Evidence& e, Findings& findings) {
  const Value compacting = e.read_p99_us_compacting.mean();
  const Value quiet = e.read_p99_us_quiet.mean();
  const bool enough = e.read_p99_us_compacting.seconds() >= kLeastSecondsEach &&
                      e.read_p99_us_quiet.seconds() >= kLeastSecondsEach;
  if (!compacting || !quiet || !enough) {
    return findings.not_judged("",
                               "no limiter, and the trace has not 30 s each of read latencies with "
                               "and without compactions, to tell whether one would help");
  }
  if (*compacting < kLimiterHelps * std::max(*quiet, 1.0)) {
    return findings.content("", "no limiter, and reads are about as fast beside compactions");
  }
  findings.advise(bring_one(e, *compacting, std::max(*quiet, 1.0)));
}

// What the recorded time asked for, from the means of the time under a limit.
struct LimiterPlan {
  double rate = 0, passed = 0, debt = 0, wanted = 0;
};

LimiterPlan plan_limiter(const Evidence& e, double rate, double passed) {
  const double debt = std::max(0.0, ends_of_debt(e).value_or(0)) / e.seconds;
  const double most = std::max(passed + debt, rate);
  return {rate, passed, debt, std::ceil(kHeadroom * most / kMiB) * kMiB};
}

Advice loosen(const Evidence& e, double trouble, const LimiterPlan& plan) {
  Advice out;
  out.title = "a higher rate limit";
  out.evidence = {
      trouble_fact(trouble),
      fact("limiter_full_ratio", *e.limiter_full.share(),
           "the limiter was used to " + text::percent(kFullLimiter) + " or more " +
               text::percent(*e.limiter_full.share()) + " of the time"),
      fact("limiter_bytes_per_second", plan.passed,
           text::rate(plan.passed) + " passed it, of " + text::rate(plan.rate) +
               (plan.debt > 0 ? ", and the debt grew by " + text::rate(plan.debt) : ""))};
  if (const double last = *e.last_limiter_rate; text::rate(last) != text::rate(plan.rate)) {
    out.evidence.push_back(fact("limiter_rate", last, "the limit is " + text::rate(last) + " now"));
  }
  out.effect = {"share of the time that writers are held up",
                Unit::kRatio,
                trouble,
                0,
                trouble,
                "nothing is gained where the device or the CPUs are the next limit"};
  out.confidence = Confidence::kMedium;
  out.confidence_reason =
      "the limit was reached while writers waited; what is behind it is not "
      "seen from here";
  out.risk = "compactions take more of the device from reads";
  out.steps = {{"rate_limiter->SetBytesPerSecond", text::number(plan.wanted, 0), false}};
  out.how =
      "this is a beginning: what passed, what the debt grew by, and a quarter; rocktuned "
      "finds the rate in act mode. A limiter that RocksDB tunes by itself (auto_tuned) takes no "
      "rate while it runs: it needs a larger rate_bytes_per_sec at the next open";
  out.source = "source 000's Mild-Pressure (docs/experiments.md, read-latency)";
  return out;
}

std::string as_it_stood(const Evidence& e, const std::string& text) {
  const KnobReading* limiter = e.knobs.find(knob::kRateLimit, "");
  if (limiter == nullptr || e.limiter_raised.share().value_or(0) < 0.5) return text;
  return as_raised(text, text::rate(static_cast<double>(limiter->found)));
}

}  // namespace

void judge_limiter(const Evidence& e, Findings& findings) {
  if (e.opening.limiter.empty()) {
    return findings.not_judged("", "the trace does not tell whether there is one");
  }
  if (e.opening.limiter == "none") return judge_missing(e, findings);
  const auto holds = e.limiter_holds();
  if (!holds) {
    return findings.not_judged("",
                               "there is one; its rate, or what it lets pass, is not in the "
                               "trace");
  }
  if (!e.last_limiter_rate) {
    return findings.content("", as_it_stood(e, "there is one, and no limit is in force"));
  }
  const Value trouble = e.write_trouble();
  if (!trouble) return findings.not_judged("", "write stalls are not in the trace");
  const Value rate = e.limiter_rate.mean();
  const Value passed = e.limiter_passed.mean();
  if (!*holds || *trouble < kLittleTrouble || !rate || !passed) {
    return findings.content("", as_it_stood(e, "its rate is not what writers wait for"));
  }
  const LimiterPlan plan = plan_limiter(e, *rate, *passed);
  if (plan.wanted <= *e.last_limiter_rate) {
    return findings.content("", "its rate was raised in this recording, and suffices now");
  }
  findings.advise(loosen(e, *trouble, plan));
}

}  // namespace rocktune::advice
