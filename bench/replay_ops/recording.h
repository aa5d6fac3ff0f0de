// A directory that `rocktune record-ops` made, as a replay takes it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/result.h"
#include "scenario/scenario.h"
#include "trace/op_recording.h"
#include "trace/op_trace_file.h"

namespace rocktune::bench {

// What a replay on a real RocksDB, at `speed` times the recorded pace, can say, and what it cannot:
// part of every result. Pure.
std::string replay_ops_claims(double speed);

struct OpRecordingDirectory {
  std::string path;  // absolute
  trace::OpRecording manifest;

  [[nodiscard]] std::string trace_file() const { return path + "/" + trace::kOpTraceName; }
  [[nodiscard]] std::string checkpoint() const { return path + "/checkpoint"; }
};

// An Error when it is none, nothing can be replayed of it, or its files are not those that were
// recorded: reads all of ops.trace.
Result<OpRecordingDirectory> open_recording(const std::string& directory);

// What makes it this recording to whoever replays it: the operations, and the options with which
// the checkpoint is opened.
Result<nlohmann::json> recording_json(const OpRecordingDirectory& recording);

// The recording as what reports and policies know: a scenario of one database.
scenario::Scenario scenario_of_recording(const OpRecordingDirectory& recording, double speed);

}  // namespace rocktune::bench
