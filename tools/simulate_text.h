// What `rocktune simulate` prints: policies side by side under the demand of a recorded run.
#pragma once

#include <string>
#include <vector>

#include "model/objective.h"
#include "sim/ensemble.h"
#include "trace/json_text.h"

namespace rocktune::tools {

struct Simulation {
  std::string name;
  Priority first = Priority::kReadP99;
  sim::SimulationInput input;
  std::vector<sim::SimulatedPolicy> policies;
};

// What a simulation can and cannot claim; part of every output.
inline constexpr const char* kSimulationClaims =
    "Closed loop, simulated: the policies tuned a model of the database whose rates come from the "
    "first "
    "part of this run, under the demand that the rest of it had. It ranks policies, as far as the "
    "seeds "
    "agree on their order. It does not foretell a P99 or a throughput, and knows nothing of what "
    "it does "
    "not simulate (docs/evaluation.md).";

std::vector<std::string> simulation_lines(const Simulation& run);
// "schema": "rocktune-simulate/1"
trace::Json simulation_json(const Simulation& run);

}  // namespace rocktune::tools
