// `rocktune-bench compare`: any set of policies side by side on one scenario, interleaved in random
// order on fresh copies of one loaded database, with the real daemon and the real agent.
#pragma once

#include <cstdint>
#include <string>

namespace rocktune::bench {

struct CompareSettings {
  std::string scenario;  // a built-in's name or a YAML file
  std::string policies = "static,best-static,native-auto-tuned,headroom";
  std::int64_t repeat = 5;
  std::string output;  // empty: "compare-<scenario>" in the current directory
  bool full = false;
  std::string device;  // as `rocktune-bench run --device` has it; empty: the scenario's
  double seconds = 0;  // above 0: instead of the scenario's length
  std::uint64_t seed = 1;
  bool traces = false;  // a rocktuned that only observes beside policies that need none
};

// Returns the exit code: 0 when all runs are there, whatever they showed; 1 failed; 2 usage; 130
// stopped, with what was measured kept and reported.
int compare_command(const CompareSettings& settings);

}  // namespace rocktune::bench
