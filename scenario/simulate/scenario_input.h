// A scenario as the simulator takes it without any run of it: options, what was loaded, and what is
// asked for follow from its text; what a second of work comes to are the simulator's defaults
// (sim/parameters.h), since nothing was measured. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"
#include "scenario/scenario.h"
#include "sim/ensemble.h"

namespace rocktune::scenario {

// What of the database's description, and of its device's, the simulator does not know, and leaves
// out: RocksDB options that only a configuration's `rocksdb_options` has, a memtable, a WAL, parts
// of the device's profile. Empty: nothing.
std::vector<std::string> not_simulated(const Scenario& scenario, const ScenarioDatabase& database);

// One for each database, on this machine with the scenario's device; none where that is the
// machine's own. Errors: compaction that is not leveled, or column families of different options.
Result<std::vector<sim::SimulationInput>> scenario_inputs(const Scenario& scenario,
                                                          const sim::HostLaws& machine,
                                                          std::string_view rocksdb_version);

}  // namespace rocktune::scenario
