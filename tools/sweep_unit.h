// One unit of a sweep: what all units of a run share, and the figures of one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/result.h"
#include "score/run.h"
#include "sim/ensemble.h"
#include "tools/sweep_plan.h"

namespace rocktune::tools {

// Read from the trace once; only looked at afterwards, by any number of threads.
struct PreparedRun {
  std::optional<sim::SimulationInput> input;   // closed loop
  std::optional<score::RunResult> run_alarms;  // open loop: as score/ has the alerts of this run
};
Result<PreparedRun> prepare_run(const SweepGrid& grid, const RecordedRun& run);

// The columns that follow SweepPlan::columns() but for the last, `error`. Errors: those of the
// trace and of sim::simulate().
Result<trace::Json> unit_figures(const SweepPlan& plan, const SweepUnit& unit,
                                 const PreparedRun& prepared);

// The unit's line in a result, without its end. All units of a grid have the same columns in the
// same order; of one that failed the figures are null and `error` says why.
std::string sweep_line(const SweepPlan& plan, const SweepUnit& unit,
                       const Result<trace::Json>& figures);

}  // namespace rocktune::tools
