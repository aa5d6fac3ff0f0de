#include "tools/run_simulation.h"

#include <limits>

#include "sim/calibrate/run.h"

namespace rocktune::tools {

Result<sim::SimulationInput> simulation_input(const RecordedRun& run,
                                              const SimulationSource& source) {
  sim::RunCalibration calibration(source.whole ? std::numeric_limits<double>::infinity()
                                               : source.calibrate_seconds);
  const auto read = for_each_sample(run, [&](const Sample& sample) { calibration.add(sample); });
  if (!read) return tl::unexpected(read.error());
  const DeviceCapacities device = source.device.value_or(run.engine.objective.device_capacities);
  return source.whole ? calibration.whole(run.rocksdb_version, device, sim::KnobsAt::kFound)
                      : calibration.finish(run.rocksdb_version, device, sim::KnobsAt::kFound);
}

}  // namespace rocktune::tools
