// What all runs of one comparison, or of one experiment, have in common: runs that differ in it are
// not to be compared.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/compare/compare.h"
#include "model/result.h"
#include "scenario/scenario.h"

namespace rocktune::bench {

// What runs: a digest of each of the named programs and of the agent's and RocksDB's libraries in
// use, RocksDB's version, and whether it checks its assertions.
Result<nlohmann::json> programs_json(const std::vector<std::string>& programs);
// The programs that a comparison runs.
inline const std::vector<std::string> kComparedPrograms = {"rocktune-bench", "rocktuned"};
// An error when these are no longer the programs that `before` tells of: a build in the meantime.
Result<void> check_programs(const std::vector<std::string>& programs, const nlohmann::json& before);
// Everything that the scenario came to, with a digest of each file that it names ("files").
Result<nlohmann::json> parsed_scenario_json(const scenario::Scenario& scenario);
// Where: "cpu_model", "cpus", "memory_bytes", "kernel".
nlohmann::json machine_json();

// {"schema": "rocktune-compare-directory/1", "scenario", "scenario_digest", "scenario_parsed" (with
//  the workloads, configurations and device that it names), "full", "seconds", "seed", "programs",
//  "machine", "device" (of --device, or not there), "traces" (true, or not there)}
Result<nlohmann::json> shared_by_runs(const CompareSettings& settings,
                                      const scenario::Scenario& scenario);

}  // namespace rocktune::bench
