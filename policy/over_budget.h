// What rocktune has raised beyond a budget that was made smaller since goes back: down to the
// budget, or to what was found, whichever is more. Jobs and subcompactions to `jobs_max`; the rate
// limit to `device_share` of a device that was probed; of `memory_max` first the cache, then the
// write buffers of one column family after the other. A budget bounds what is taken anyway
// (policy/guard_limits.h). Pure.
#pragma once

#include <string_view>
#include <vector>

#include "model/decision.h"
#include "model/engine_config.h"
#include "model/features.h"

namespace rocktune {

inline constexpr std::string_view kBudgetRule = "budget.returned";

// None of what is pinned: the operator's word counts more.
std::vector<Proposal> propose_within_budget(const EngineConfig& config, const Features& features);

}  // namespace rocktune
