// What a whole sweep came to, as tables and sentences, for its text and its page. The first row of
// a table is its heading. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/ensemble.h"
#include "tools/sweep_result.h"

namespace rocktune::tools {

using SweepTable = std::vector<std::vector<std::string>>;

// Closed loop: of each policy the parameters that rank best, and those against each other.
struct BestOfSweep {
  std::vector<SweepResult::Meeting> meetings;  // never empty
  std::vector<std::size_t> policies;           // a policy and parameters for each name
  sim::Ranking ranking;                        // of these
  SweepTable table;
  std::string basis;        // what the medians are of
  std::string concordance;  // what to make of the order
};
// Nothing when no database came through all of its simulations.
std::optional<BestOfSweep> best_of(const SweepResult& result);
// Every policy with every combination of its parameters.
SweepTable combinations_table(const SweepResult& result, const BestOfSweep& best);

// Open loop.
SweepTable decisions_table(const SweepResult& result);
// Policies do not change them.
std::string alarms_text(const SweepResult& result);

}  // namespace rocktune::tools
