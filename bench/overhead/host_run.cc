#include "bench/overhead/host_run.h"

namespace rocktune::bench {

nlohmann::json host_run_json(const HostRun& run) {
  return {{"operations", run.operations},
          {"ops_per_second", run.ops_per_second},
          {"p99_us", run.p99_us},
          {"cpu_us_per_op", run.cpu_us_per_op},
          {"agent_cpu_seconds", run.agent_cpu_seconds}};
}

Result<HostRun> parse_host_run(const std::string& line) {
  const auto told = nlohmann::json::parse(line, nullptr, false);
  HostRun run;
  const auto read = [&](const char* name, double& value) {
    if (!told.is_object() || !told.contains(name) || !told.at(name).is_number()) return false;
    value = told.at(name).get<double>();
    return true;
  };
  if (!read("operations", run.operations) || !read("ops_per_second", run.ops_per_second) ||
      !read("p99_us", run.p99_us) || !read("cpu_us_per_op", run.cpu_us_per_op) ||
      !read("agent_cpu_seconds", run.agent_cpu_seconds)) {
    return fail(ErrorCode::kProtocol, "the host's result cannot be read: " + line.substr(0, 200));
  }
  return run;
}

}  // namespace rocktune::bench
