#include "policy/smoothing_aids.h"

#include <array>
#include <optional>
#include <string>

#include "model/knobs.h"

namespace rocktune {
namespace {

struct Aid {
  std::string_view knob, rule;
  std::int64_t value;
  const char* reason;
};

// All that the agent's limiter has (agent/limiter/fair_budget.h).
constexpr std::int64_t kFirst = 16;
// Flushes that have come to be more of it than they were let wait for keep to it no longer.
constexpr double kTooManyFlushes = 0.5;

constexpr std::array kAids = {
    Aid{knob::kLimitFlushes, "smoothing.flushes", 1,
        "flushes and compactions together write more at once than the device does: flushes keep to "
        "the limit, too, first in line"},
    Aid{knob::kL0Weight, "smoothing.level0", kFirst,
        "compactions wait for the limit: those of level 0 go first, so that it does not fill"},
};

bool is_wanted(const Situation& situation, const KnobReading& reading) {
  if (!situation.smoothed && !situation.deferred) return false;
  if (reading.name != knob::kLimitFlushes) return true;
  const double most = is_raised(reading) ? kTooManyFlushes : kMostFlushShare;
  return situation.flush_share.value_or(1) <= most && !flushes_wait(situation);
}

// They come and go with a limit that is judged: no experiments of their own.
std::optional<Proposal> turn(const Situation& situation, const Aid& aid) {
  const KnobReading* reading = changeable_knob(situation.features, aid.knob);
  if (reading == nullptr || !may_turn(*reading)) return std::nullopt;
  const bool wanted = is_wanted(situation, *reading);
  const bool to_do = wanted && reading->value < aid.value;
  const bool to_undo = !wanted && is_raised(*reading);
  if (!to_do && !to_undo) return std::nullopt;
  Proposal out = to_do ? propose(*reading, aid.value, aid.rule)
                       : propose(*reading, reading->found, "smoothing.ended");
  out.reason = to_do ? aid.reason : "nothing is smoothed any more, or flushes do not fit: as found";
  out.evidence = backlog_evidence(situation);
  return out;
}

}  // namespace

bool flushes_wait(const Situation& situation) {
  return situation.memtable_ratio.value_or(0) >= kNearMemtables;
}

bool comes_with_limit(std::string_view rule) {
  return rule.starts_with("smoothing.") || rule == kSmoothJobsRule || rule == kSmoothedJobsRule;
}

bool level0_goes_first(const Features& features) {
  const KnobReading* weight = features.knobs.find(knob::kL0Weight, "");
  return weight != nullptr && (weight->value >= kFirst || may_turn(*weight));
}

std::vector<Proposal> aid_smoothing(const Situation& situation) {
  std::vector<Proposal> out;
  for (const Aid& aid : kAids) {
    if (auto proposal = turn(situation, aid)) out.push_back(*std::move(proposal));
  }
  return out;
}

}  // namespace rocktune
