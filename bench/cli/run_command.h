// `rocktune-bench run` and `rocktune-bench load`.
#pragma once

#include <string>
#include <vector>

namespace rocktune::bench {

struct RunSettings {
  std::string workload;         // a built-in's name or a YAML file
  std::string database;         // empty: a temporary directory, removed at the end
  std::string device = "none";  // "none", a built-in profile's name or a YAML file
  std::string configuration = "ReadOpt-512MB";
  double scale = 1;                  // divides the configuration's and the device's sizes and rates
  std::vector<std::string> options;  // KEY=VALUE, not scaled
  double seconds = 0;                // above 0: the phases are stretched to this in all
  std::int64_t threads = 0;          // above 0: instead of the workload's
  std::int64_t records = 0;
  std::int64_t value_size = 0;
  bool agent = true;
  bool load_only = false;
  std::string json;  // where the result goes; empty: stdout
  std::string progress = "auto";
};

// Returns the process's exit code: 0 done (also when it was stopped), 1 failed, 2 usage.
int run_command(const RunSettings& settings);

}  // namespace rocktune::bench
