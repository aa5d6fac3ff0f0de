// What `rocktune simulate` simulates: a database, out of a trace or out of a scenario's text, and
// the engine that each policy makes of what is wanted of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/engine_config.h"
#include "model/result.h"
#include "policy/policy_choice.h"
#include "tools/simulate_text.h"

namespace rocktune::tools {

struct SimulateSubject {
  std::string target;                 // its name among the databases beside it
  Simulation result;                  // its input; policies come when they were simulated
  std::vector<EngineConfig> engines;  // one for each policy, in their order
};

struct ScenarioSource {
  std::string name_or_path;
  bool full = false;                        // at life size
  std::int64_t cpus = 1, memory_bytes = 0;  // of the machine
  std::string rocksdb_version = "8.9";
};

// Each database of the scenario. Errors: of the scenario, and what the simulator does not take.
Result<std::vector<SimulateSubject>> scenario_subjects(const ScenarioSource& source,
                                                       const std::vector<PolicyChoice>& policies);

}  // namespace rocktune::tools
