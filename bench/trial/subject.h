// What is measured - a scenario, or a workload with a configuration and a device - and how the
// child `rocktune-bench` is told so. The one place that knows the child's options.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rocktune::bench {

struct TrialSubject {
  std::string scenario;  // a built-in's name or a YAML file; empty: a workload, and what follows
  bool full = false;     // the scenario at its life size

  std::string configuration;  // of a scenario, instead of its databases' own; empty: theirs
  std::string workload;
  std::string device;  // empty: the scenario's, or for a workload "none"
  double scale = 1;
  double device_scale = 0;   // above 0: divides the device's rates instead of `scale`
  std::int64_t records = 0;  // above 0: instead of the workload's
  std::int64_t threads = 0;  // above 0: instead of the workload's

  double seconds = 0;                     // above 0: the phases are stretched to this in all
  std::vector<std::string> load_options;  // KEY=VALUE, of the load and of every run
  std::vector<std::string> options;       // KEY=VALUE, of the run alone
};

// The programs that were built beside this one: "<directory>/rocktuned".
std::string program_path(const std::string& name);

// `rocktune-bench load` into `database`; progress as JSON on stdout.
std::vector<std::string> load_arguments(const TrialSubject& subject, const std::string& database);
// `rocktune-bench run` on `database`, the result into the file `result`; progress alike.
std::vector<std::string> run_arguments(const TrialSubject& subject, const std::string& database,
                                       const std::string& result);

}  // namespace rocktune::bench
