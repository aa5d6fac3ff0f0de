// A directory that `rocktune record-ops` made, as a replay takes it.
#pragma once

#include <string>

#include "model/result.h"
#include "scenario/scenario.h"
#include "trace/op_recording.h"

namespace rocktune::bench {

// What a replay on a real RocksDB can say, and what it cannot: part of every result.
inline constexpr const char* kReplayOpsClaims =
    "operations replayed on a real RocksDB (rung 3 of 4): what the recorded operations would have "
    "met, on this machine, at the pace at which they were recorded. Not what the application would "
    "have asked for, had it been served differently. Scans are replayed as the seeks that began "
    "them, writes without the caller's sync, and what waited in a stall when it was recorded is "
    "due "
    "when it was let through.";

struct OpRecordingDirectory {
  std::string path;  // absolute
  trace::OpRecording manifest;

  [[nodiscard]] std::string trace_file() const { return path + "/ops.trace"; }
  [[nodiscard]] std::string checkpoint() const { return path + "/checkpoint"; }
};

// An Error when it is none, or nothing can be replayed of it.
Result<OpRecordingDirectory> open_recording(const std::string& directory);

// The recording as what reports and policies know: a scenario of one database.
scenario::Scenario scenario_of_recording(const OpRecordingDirectory& recording, double speed);

}  // namespace rocktune::bench
