// The runs in a list of traces: each database of each trace is one. Streams: no samples are kept.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/objective.h"
#include "model/result.h"
#include "model/sample.h"

namespace rocktune::tools {

struct RecordedRun {
  // Its file's name without directory and extension (with its path where two files are called the
  // same), and "NAME/TARGET" where a trace has several databases.
  std::string name;
  std::string trace;  // path
  std::int64_t target = 0;
  Objective objective;
  Nanoseconds begin_wall{0}, end_wall{0};
};

// By begin. Databases that were never read are left out. Errors: what trace::Reader says, and a
// trace that is given twice.
Result<std::vector<RecordedRun>> list_recorded_runs(const std::vector<std::string>& traces);

// "run 3 of 24: NAME".
using RunProgress =
    std::function<void(std::size_t number, std::size_t total, const std::string& name)>;

// Calls `use` with each sample in order.
Result<void> for_each_sample(const RecordedRun& run, const std::function<void(const Sample&)>& use);

}  // namespace rocktune::tools
