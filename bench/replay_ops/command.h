// `rocktune-bench replay-ops`: recorded operations done again on copies of the recording's
// checkpoint, with each policy live beside its own copy, in turns.
#pragma once

#include <cstdint>
#include <string>

namespace rocktune::bench {

struct ReplayOpsSettings {
  std::string recording;  // a directory of `rocktune record-ops`
  std::string policies = "static,headroom";
  std::int64_t repeat = 3;
  double speed = 1;
  std::int64_t threads = 0;  // 0: eight for each CPU, since they wait most of the time
  std::string output;        // empty: "replay-ops-<recording>" in the current directory
  bool json = false;         // the summary on stdout, and nothing else
  std::uint64_t seed = 1;
};

// Returns the exit code: 0 when all runs are there, 1 failed, 2 usage, 130 stopped (what was
// measured is kept, and the same command goes on from there).
int replay_ops_command(const ReplayOpsSettings& settings);

}  // namespace rocktune::bench
