// What all runs of one comparison have in common: runs that differ in it are not to be compared.
#pragma once

#include <nlohmann/json.hpp>

#include "bench/compare/compare.h"
#include "bench/scenario/scenario.h"
#include "model/result.h"

namespace rocktune::bench {

// {"schema": "rocktune-compare-directory/1", "scenario", "scenario_digest", "full", "seconds",
//  "seed", "programs": {"version", "rocksdb", and a digest of each file}, "machine": {...}}
Result<nlohmann::json> shared_by_runs(const CompareSettings& settings, const Scenario& scenario);

}  // namespace rocktune::bench
