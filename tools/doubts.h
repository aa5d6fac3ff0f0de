// Who comes first in simulations, and what their figures do not show of how far they may be off: of
// one simulation, and of a sweep of many. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ensemble.h"

namespace rocktune::tools {

// Where what is known of the device comes from, as JSON has it.
namespace device_origin {
inline constexpr std::string_view kProbed = "probed", kLearnt = "learnt", kScenario = "scenario",
                                  kNone = "";
}  // namespace device_origin
// Of a recorded run.
std::string_view origin_of_device(const sim::HostLaws& host);

// What one database's figures stand on.
struct SimulationBasis {
  std::size_t seeds = 0;
  double demand_known_ratio = 1;
  double simulated_seconds = 0;
  std::string device;  // one of device_origin
  bool scenario = false;
  std::size_t missing_neighbours = 0;  // tools/run_simulation.h
};

// One sentence for each.
std::vector<std::string> doubts(const SimulationBasis& basis);
// ...with how many of the databases it holds for, where that is not all.
std::vector<std::string> doubts(const std::vector<SimulationBasis>& databases);

// "headroom comes first", "silk, adoc share the first place". `labels` of all policies.
std::string first_text(const sim::Ranking& ranking, const std::vector<std::string>& labels);

// What to make of an order of policies that so many seeds (or databases and seeds) agree on so far:
// "the order is stable", or that it is none. `best_ratios` of all policies.
std::string order_words(const std::optional<double>& concordance,
                        const std::vector<double>& best_ratios, std::size_t meetings);
// "0.95: the order is stable"
std::string concordance_text(const sim::Ranking& ranking, std::size_t meetings);

}  // namespace rocktune::tools
