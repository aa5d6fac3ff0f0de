// The units of a sweep on all cores: those that are one simulation of several databases together,
// trace after trace, so that few are in memory at a time: at most one more than there are threads.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "model/result.h"
#include "tools/sweep_plan.h"

namespace rocktune::tools {

struct SweepHooks {
  // A unit's line, in any order, one call at a time; an error ends the sweep.
  std::function<Result<void>(const SweepUnit&, const std::string& line, bool failed)> store;
  std::function<bool()> stopped;  // no more units are begun then
};

// `units` rise by index within the plan. Errors: those of `store`, and no thread.
Result<void> run_units(const SweepPlan& plan, const std::vector<SweepUnit>& units, std::size_t jobs,
                       const SweepHooks& hooks);

}  // namespace rocktune::tools
