// What a limit that is lowered for reads on a full device (policy/smoothing.h, policy/deferral.h)
// takes besides, in the agent's own limiter: flushes keep to it, too, as good as first in line
// (rate_limiter_limit_flushes), and level 0 goes before deeper levels (rate_limiter_l0_weight), so
// that it does not fill for it. A host's own limiter has no such switches. Pure; internal to
// policy/.
#pragma once

#include <optional>
#include <vector>

#include "policy/situation.h"

namespace rocktune {

// While such a limit stands; else what was set for it goes back.
std::vector<Proposal> aid_smoothing(const Situation& situation);

}  // namespace rocktune
