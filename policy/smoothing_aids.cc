#include "policy/smoothing_aids.h"

#include <array>
#include <string>

#include "model/knobs.h"

namespace rocktune {
namespace {

struct Aid {
  std::string_view knob, rule;
  std::int64_t value;
  const char* reason;
};

constexpr std::array kAids = {
    Aid{knob::kLimitFlushes, "smoothing.flushes", 1,
        "flushes and compactions together write more at once than the device does: flushes keep to "
        "the limit, too, first in line"},
    // All that the agent's limiter has (agent/limiter/fair_budget.h).
    Aid{knob::kL0Weight, "smoothing.level0", 16,
        "compactions wait for the limit: those of level 0 go first, so that it does not fill"},
};

// They come and go with a limit that is judged: no experiments of their own.
std::optional<Proposal> turn(const Situation& situation, const Aid& aid) {
  const KnobReading* reading = changeable_knob(situation.features, aid.knob);
  if (reading == nullptr || !may_turn(*reading)) return std::nullopt;
  const bool evens = situation.smoothed || situation.deferred;
  const bool to_do = evens && reading->value < aid.value;
  const bool to_undo = !evens && is_raised(*reading);
  if (!to_do && !to_undo) return std::nullopt;
  Proposal out = to_do ? propose(*reading, aid.value, aid.rule)
                       : propose(*reading, reading->found, "smoothing.ended");
  out.reason = to_do ? aid.reason : "nothing is smoothed any more: as it was found";
  out.evidence = backlog_evidence(situation);
  return out;
}

}  // namespace

std::vector<Proposal> aid_smoothing(const Situation& situation) {
  std::vector<Proposal> out;
  for (const Aid& aid : kAids) {
    if (auto proposal = turn(situation, aid)) out.push_back(*std::move(proposal));
  }
  return out;
}

}  // namespace rocktune
