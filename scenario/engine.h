// What a tuner is told of a scenario: its objective and its budgets in rocktuned's words, and the
// constants of the peers at the scenario's scale. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/engine_config.h"
#include "model/result.h"
#include "scenario/scenario.h"

namespace rocktune::scenario {

// The tightest P99 limit that the objective has on any read, or on any write, in microseconds; 0:
// none is stated.
std::int64_t tightest_p99_us(const Objective& objective, bool reads);

// `policy_params` of one of the peers: its published constants at the scenario's scale, and the
// device's bandwidth. Empty for the others.
PolicyParams peer_params(const std::string& policy, const Scenario& scenario);

// What rocktuned's engine has for one of the scenario's databases on a machine of so many CPUs: the
// objective as far as rocktuned has words for it, and what the scenario lets a tuner spend.
EngineConfig engine_config(const std::string& policy, const Scenario& scenario,
                           const ScenarioDatabase& database, std::int64_t cpus);

// The same of all its databases, in their order, with the built-in prior.
Result<std::vector<EngineConfig>> engine_configs(const std::string& policy,
                                                 const Scenario& scenario, std::int64_t cpus);

// What the device under the scenario writes at most, in bytes per second.
Result<std::int64_t> device_write_rate(const Scenario& scenario);

// The scenario's budgets divided evenly among its databases: block cache and memtables together
// (what is configured at least, or without a budget), and background jobs (without: the CPUs, at
// least 2).
std::int64_t memory_share(const Scenario& scenario, const ScenarioDatabase& database);
std::int64_t jobs_share(const Scenario& scenario, std::int64_t cpus);
std::int64_t memtable_bytes(const ScenarioDatabase& database);

}  // namespace rocktune::scenario
