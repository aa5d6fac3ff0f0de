// What the measured process of `rocktune-bench overhead` found, and the line in which it says so.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "model/result.h"

namespace rocktune::bench {

struct HostRun {
  double ops_per_second =
      0;              // 0 in the line: whoever gives the process its turns knows their length
  double p99_us = 0;  // of all operations
  double cpu_us_per_op = 0;  // of the whole process, agent included
  double agent_cpu_seconds = 0;
  double operations = 0;
  std::optional<double> recording_ns_per_op =
      {};  // the agent's part, where operations are recorded
};
nlohmann::json host_run_json(const HostRun& run);
Result<HostRun> parse_host_run(const std::string& line);

}  // namespace rocktune::bench
