// The runs in a list of traces: each database of each trace is one. Streams: no samples are kept.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/engine_config.h"
#include "model/result.h"
#include "model/sample.h"
#include "trace/reader.h"

namespace rocktune::tools {

struct RecordedRun {
  // Its file's name without directory and extension (with its path where two files are called the
  // same), and "NAME/TARGET" where a trace has several databases.
  std::string name;
  std::string trace;  // path
  std::int64_t target = 0;
  std::string target_name;      // as trace::called_in_trace() has it
  EngineConfig engine;          // as it ran
  std::string rocksdb_version;  // of its last opening; empty: not told
  Nanoseconds begin_wall{0}, end_wall{0};
  trace::RunInfo recorded_by;
  std::uint64_t samples = 0;
  std::string database_name, database_path;  // as trace::TargetInfo has them
  std::vector<trace::IncarnationInfo> openings;
};

// What the trace says of the run, not where it lies: of copies it is the same.
std::string identity_of(const RecordedRun& run);

// By begin. Databases that were never read are left out; a trace that has no other, beside ones
// that do, is named on stderr. Errors: what trace::Reader says, and a trace, or a copy of it, that
// is given twice.
Result<std::vector<RecordedRun>> list_recorded_runs(const std::vector<std::string>& traces);

// "run 3 of 24: NAME".
using RunProgress =
    std::function<void(std::size_t number, std::size_t total, const std::string& name)>;

// Calls `use` with each step in order; of a trace that has grown since, those that were listed.
Result<void> for_each_step(const RecordedRun& run,
                           const std::function<void(const trace::RecordedStep&)>& use);
Result<void> for_each_sample(const RecordedRun& run, const std::function<void(const Sample&)>& use);

}  // namespace rocktune::tools
