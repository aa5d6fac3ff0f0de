// What simulations of recorded runs need: of one database the input, of several those that are
// simulated together.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "model/device_capacities.h"
#include "model/result.h"
#include "sim/ensemble.h"
#include "tools/run_list.h"

namespace rocktune::tools {

struct SimulationSource {
  double calibrate_seconds = 60;  // of the run's begin; the rest is simulated
  // All of it calibrates, and all of it is simulated again.
  bool whole = false;
  std::optional<DeviceCapacities> device;  // absent: as the run's configuration had it
};

// Reads the run once. Any number of sim::simulate() may use it, beside each other. Errors: those of
// the trace, and of sim::RunCalibration.
Result<sim::SimulationInput> simulation_input(const RecordedRun& run,
                                              const SimulationSource& source);

// How many of these, which could not be read for a simulation, ran beside `run` in its trace: its
// device may have been theirs, too.
std::size_t missing_neighbours(const RecordedRun& run, std::span<const RecordedRun* const> failed);

// Databases that ran on one device, or one whose device is not known: for one sim::simulate().
struct SimulationGroup {
  std::vector<std::size_t> members;          // indices of `databases`
  std::vector<sim::SimulationInput> inputs;  // of each member
};
// Each of one trace's databases in one of them.
std::vector<SimulationGroup> simulation_groups(std::span<const sim::SimulationInput> databases);

}  // namespace rocktune::tools
