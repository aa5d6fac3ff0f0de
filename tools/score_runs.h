// Reads traces for `rocktune score`: each database of each trace is one run. Streams; one run at a
// time is in memory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/result.h"
#include "score/run.h"

namespace rocktune::tools {

// "trace 3 of 24: NAME".
using ScoreProgress = std::function<void(std::size_t number, const std::string& path)>;

// In the order of their begin. A run's name is its file's, without directory and extension (with
// its path where two files are called the same), and "NAME/TARGET" where a trace has several
// databases. Databases that were never read are left out. Errors: what trace::Reader says, and a
// trace that is given twice.
Result<std::vector<score::RunResult>> read_runs(const std::vector<std::string>& traces,
                                                const score::Contest& contest,
                                                const ScoreProgress& progress);

}  // namespace rocktune::tools
