// The measured process of `rocktune-bench overhead`: this program, started again, so that nothing
// but the workload and the agent runs in it. Hidden subcommand `overhead-host`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rocktune::bench {

struct OverheadHost {
  std::string workload;  // name of an OverheadWorkload
  std::string database;  // loaded already
  std::int64_t threads = 0;
  std::int64_t records = 0;
  bool agent = true;
  bool statistics = true;     // the host's own
  std::int64_t families = 0;  // above 0: no workload, this many column families, until SIGTERM
};

// Prints a line when the database is open and warm, goes on with the workload until SIGTERM, and
// prints one line of JSON then (with `families`: only the first line). Returns the exit code.
int overhead_host_command(const OverheadHost& settings);

// The command line that starts it.
std::vector<std::string> host_arguments(const OverheadHost& settings);

}  // namespace rocktune::bench
