// `rocktune-bench overhead`: what the agent costs its host.
#pragma once

#include <cstdint>
#include <string>

namespace rocktune::bench {

struct OverheadSettings {
  double seconds = 5;        // of each arm in a round, in turns, after a second of warming up
  std::int64_t rounds = 7;   // each with every arm, in random order
  std::int64_t threads = 0;  // 0: as many as there are CPUs
  std::int64_t records = 0;  // 0: 200000 (a quarter of it for the cached reads)
  std::int64_t families = 10;
  std::int64_t seed = 1;  // of the order
  std::string workload;   // only this one; empty: both
  bool op_trace = false;  // instead of the agent: what a recording of operations costs beside it
  std::string json;       // the result goes there too; "-": to stdout instead of the table
};

// Returns the process's exit code: 0 done, whatever the figures say; 1 failed, 2 usage, 130
// stopped.
int overhead_command(const OverheadSettings& settings);

}  // namespace rocktune::bench
