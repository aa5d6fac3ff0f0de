// Units of a sweep: what those of a trace share, and the figures of each.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/result.h"
#include "tools/run_simulation.h"
#include "tools/sweep_plan.h"

namespace rocktune::tools {

// What simulations need: read from the trace once, then only looked at, by any number of threads.
// Nothing where recorded samples are replayed: each replay reads its own.
struct PreparedRuns {
  std::vector<SimulationGroup> groups;  // as rocktune simulate has them; members: runs of the plan
  std::map<std::size_t, Error> failed;  // and why those that cannot be simulated are missing
};
// `runs`: SweepPlan::runs_with() of a unit.
PreparedRuns prepare_runs(const SweepPlan& plan, const std::vector<std::size_t>& runs);

// One simulation or one replay, of which each unit has a database: they have the same runs, policy
// and seed. Of each the columns that follow SweepPlan::columns() but for `claims` and the last,
// `error`. Errors: those of the trace, of calibration and of sim::simulate().
std::vector<Result<trace::Json>> unit_figures(const SweepPlan& plan,
                                              const std::vector<SweepUnit>& units,
                                              const PreparedRuns& prepared);

// The unit's line in a result, without its end. All units of a grid have the same columns in the
// same order; of one that failed the figures are null and `error` says why.
std::string sweep_line(const SweepPlan& plan, const SweepUnit& unit,
                       const Result<trace::Json>& figures);

}  // namespace rocktune::tools
