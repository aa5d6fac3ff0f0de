// What `rocktune simulate` prints: policies side by side under the demand of a recorded run.
#pragma once

#include <string>
#include <vector>

#include "model/objective.h"
#include "sim/ensemble.h"
#include "tools/claims.h"
#include "trace/json_text.h"

namespace rocktune::tools {

struct Simulation {
  std::string name;
  Priority first = Priority::kReadP99;
  sim::SimulationInput input;
  std::vector<sim::SimulatedPolicy> policies;
  std::vector<std::string> together_with;  // other databases that were simulated on its device
};

// What to make of an order: "the order is stable", or that it is none. `best_ratios` of all
// policies.
std::string order_words(double concordance, const std::vector<double>& best_ratios);
// "0.95: the order is stable"
std::string concordance_text(const sim::Ranking& ranking);

std::vector<std::string> simulation_lines(const Simulation& run);
// "schema": "rocktune-simulate/1"
trace::Json simulation_json(const Simulation& run);

}  // namespace rocktune::tools
