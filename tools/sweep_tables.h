// What a whole sweep came to, as tables and sentences, for its text and its page. The first row of
// a table is its heading. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/sweep_result.h"

namespace rocktune::tools {

using SweepTable = std::vector<std::vector<std::string>>;

// Closed loop: of each policy the parameters that rank best, and those against each other.
struct BestOfSweep {
  std::vector<SweepResult::Meeting> meetings;  // never empty
  std::vector<std::size_t> policies;           // a policy and parameters for each name
  std::vector<std::string> labels;             // theirs, without parameters that make no difference
  SweepTable table;
  std::string conclusion;   // who comes first
  std::string concordance;  // what to make of the order; empty where there is one policy only
  std::string basis;        // what the medians are of
  std::vector<std::string> doubts;  // of how far figures and order may be off, a sentence each
};
// Nothing when no database came through all of its simulations.
std::optional<BestOfSweep> best_of(const SweepResult& result);
// Every policy with every combination of its parameters.
SweepTable combinations_table(const SweepResult& result, const BestOfSweep& best);

// Open loop.
SweepTable decisions_table(const SweepResult& result);
// "24 of 25 databases".
std::string compared_text(const SweepResult& result);
// Policies do not change them.
std::string alarms_text(const SweepResult& result);

}  // namespace rocktune::tools
