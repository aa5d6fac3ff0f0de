// What simulations of a recorded run need.
#pragma once

#include <optional>

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

}  // namespace rocktune::tools
