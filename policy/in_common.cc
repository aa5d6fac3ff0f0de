#include "policy/in_common.h"

#include "policy/situation.h"

namespace rocktune {

std::vector<Proposal> propose_in_common(const Features& features) {
  std::vector<Proposal> out;
  if (!features.fresh) return out;
  for (const KnobReading& reading : features.knobs) {
    const bool one_value = reading.min == reading.max && reading.max == reading.found;
    const bool ours = reading.owner == KnobOwner::kRocktune && reading.value != reading.found;
    if (!one_value || !ours || !reading.changeable) continue;
    Proposal proposal = propose(reading, reading.found, kInCommonRule);
    proposal.reason =
        "other databases of the process have it, too, by now: it goes back to what was found";
    out.push_back(std::move(proposal));
  }
  return out;
}

}  // namespace rocktune
