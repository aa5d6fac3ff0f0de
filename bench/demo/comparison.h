// The table at the end of the demo: two results side by side. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace rocktune::bench {

// Both documents as `rocktune-bench run` writes them, of one database. Values that one of them
// lacks show as "-".
std::string comparison_table(const nlohmann::json& static_run, const nlohmann::json& tuned_run);

// Tuned over static throughput, over the whole run; nothing when either did nothing.
std::optional<double> throughput_ratio(const nlohmann::json& static_run,
                                       const nlohmann::json& tuned_run);

// One honest sentence on what came out.
std::string conclusion(const std::optional<double>& ratio);

// What tuned paid for it: one sentence naming each kind of operation that took 10% longer than in
// the static run, or more, in the mean or at P99. Empty when none did.
std::string price(const nlohmann::json& static_run, const nlohmann::json& tuned_run);

}  // namespace rocktune::bench
