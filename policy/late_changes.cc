#include "policy/late_changes.h"

#include "policy/memory.h"

namespace rocktune {
namespace {

// A request that waited is read first when the agent's process goes on.
constexpr double kDoubtSeconds = 10;

}  // namespace

void LateChanges::failed(const Decision& decision) {
  doubts_[{decision.proposal.knob, decision.proposal.column_family}] = {decision, std::nullopt};
}

std::vector<Decision> LateChanges::found(const Features& features) {
  std::vector<Decision> out;
  if (!features.fresh) return out;
  for (auto one = doubts_.begin(); one != doubts_.end();) {
    Doubt& doubt = one->second;
    const auto& [knob, family] = one->first;
    const KnobReading* reading = features.knobs.find(knob, family);
    const std::int64_t stands = reading != nullptr ? reading->value : doubt.decision.proposal.from;
    const bool ours = reading != nullptr && reading->owner != KnobOwner::kManual;
    if (!doubt.looked) doubt.looked = features.at.tick;
    const bool made = ours && stands == doubt.decision.verdict.value;
    const bool elsewhere = !made && stands != doubt.decision.proposal.from;
    const bool old = seconds_between(*doubt.looked, features.at.tick) > kDoubtSeconds;
    if (made) out.push_back(std::move(doubt.decision));
    one = made || elsewhere || old ? doubts_.erase(one) : std::next(one);
  }
  return out;
}

}  // namespace rocktune
