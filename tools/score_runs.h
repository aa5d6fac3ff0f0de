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

// What rocktune's own detectors begin each run with: the contest's prior, or what the run's engine
// began with live.
enum class RunPrior { kOfContest, kRecorded };

// All runs of these traces, by begin; errors as those of list_recorded_runs(). `progress` comes
// before each run is read, with its place among them.
Result<std::vector<score::RunResult>> read_runs(const std::vector<std::string>& traces,
                                                score::Contest contest, const RunProgress& progress,
                                                RunPrior prior = RunPrior::kOfContest);

}  // namespace rocktune::tools
