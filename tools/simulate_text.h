// What `rocktune simulate` prints: policies side by side under the demand of a recorded run, or of
// a scenario.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/objective.h"
#include "sim/ensemble.h"
#include "tools/claims.h"
#include "trace/json_text.h"

namespace rocktune::tools {

// What a simulation of a scenario stands on, which was calibrated on no run.
struct ScenarioNotes {
  std::string device;                      // as the scenario calls it, and how slowed
  std::string rocksdb_version;             // whose rules are followed
  std::vector<std::string> not_simulated;  // of what the scenario says of the database
};

struct Simulation {
  std::string name;
  Priority first = Priority::kReadP99;
  sim::SimulationInput input;
  std::vector<sim::SimulatedPolicy> policies;
  std::vector<std::string> together_with;  // other databases that were simulated on its device
  std::size_t missing_neighbours = 0;      // ...and that could not be (tools/run_simulation.h)
  std::optional<ScenarioNotes> scenario;   // absent: of a recorded run
};

// A parameter of the simulator that nothing was measured for.
struct Assumed {
  const char* key = "";   // in JSON
  const char* name = "";  // in text
  double value = 0;
  double factor = 1;  // how far off, either way, the seeds draw it at most; 1: not at all
  std::string (*text)(double) = nullptr;
};

// Of a scenario, which is calibrated on no run: all; of a run: what it did not show.
std::vector<Assumed> assumed_parameters(const Simulation& run);

std::vector<std::string> simulation_lines(const Simulation& run);
// "schema": "rocktune-simulate/1"
trace::Json simulation_json(const Simulation& run);

}  // namespace rocktune::tools
