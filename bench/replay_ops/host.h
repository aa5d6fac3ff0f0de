// The measured process of `rocktune-bench replay-ops`: this program, started again, with nothing in
// it but the database, the agent and the operations. Hidden subcommand `replay-ops-host`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rocktune::bench {

struct ReplayOpsHost {
  std::string recording;  // a directory of `rocktune record-ops`
  std::string database;   // a copy of its checkpoint, which is written to
  double speed = 1;
  std::int64_t threads = 0;
  std::string json;  // where the result goes, as that of `rocktune-bench run`
  std::string progress = "auto";
};

// Returns the exit code: 0 done, 1 failed, 2 usage, 130 stopped (the result is partial).
int replay_ops_host_command(const ReplayOpsHost& settings);

// The command line that starts it.
std::vector<std::string> replay_ops_host_arguments(const ReplayOpsHost& settings);

}  // namespace rocktune::bench
