// `rocktune-bench run` and `rocktune-bench load`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rocktune::bench {

struct RunSettings {
  std::string scenario;       // a built-in's name or a YAML file; or else a workload
  bool full = false;          // the scenario at life size
  std::string workload;       // a built-in's name or a YAML file
  std::string device;         // as parse_device_spec() reads it; empty: the scenario's, or "none"
  std::string configuration;  // empty: the scenario's own, or of a workload ReadOpt-512MB
  double scale = 1;           // divides the configuration's and the device's sizes and rates
  double device_scale = 0;    // above 0: divides the device's instead

  // Where the database is; of a scenario, the directory that has one for each database. Empty: a
  // temporary one, removed at the end.
  std::string database;
  std::vector<std::string> options;  // KEY=VALUE, not scaled; for one database: NAME:KEY=VALUE
  double seconds = 0;                // above 0: the phases are stretched to this in all
  std::int64_t threads = 0;          // above 0: instead of the workloads'
  std::int64_t records = 0;
  std::int64_t value_size = 0;
  bool agent = true;
  bool load_only = false;
  std::string json;  // where the result goes; empty: stdout
  std::string progress = "auto";
};

// Returns the process's exit code: 0 done, 1 failed, 2 usage, 130 stopped by a signal (what was
// measured until then is written, marked partial).
int run_command(const RunSettings& settings);

}  // namespace rocktune::bench
