// Reads traces for `rocktune score`: each database of each trace is one run. Streams; one run at a
// time is in memory.
#pragma once

#include <string>
#include <vector>

#include "model/result.h"
#include "score/run.h"
#include "tools/run_list.h"

namespace rocktune::tools {

// One run through the contest.
Result<score::RunResult> score_run(const RecordedRun& run, const score::Contest& contest);

// All runs of these traces, by begin; errors as those of list_recorded_runs(). `progress` comes
// before each run is read, with its place among them.
Result<std::vector<score::RunResult>> read_runs(const std::vector<std::string>& traces,
                                                const score::Contest& contest,
                                                const RunProgress& progress);

}  // namespace rocktune::tools
