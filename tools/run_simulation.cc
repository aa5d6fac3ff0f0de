#include "tools/run_simulation.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/calibrate/run.h"
#include "sim/together.h"

namespace rocktune::tools {

Result<sim::SimulationInput> simulation_input(const RecordedRun& run,
                                              const SimulationSource& source) {
  constexpr double kAllOfIt = std::numeric_limits<double>::infinity();
  sim::RunCalibration calibration(source.whole ? kAllOfIt : source.calibrate_seconds);
  const auto read = for_each_sample(run, [&](const Sample& sample) { calibration.add(sample); });
  if (!read) return tl::unexpected(read.error());
  const DeviceCapacities device = source.device.value_or(run.engine.objective.device_capacities);
  return source.whole ? calibration.whole(run.rocksdb_version, device, sim::KnobsAt::kFound)
                      : calibration.finish(run.rocksdb_version, device, sim::KnobsAt::kFound);
}

std::size_t missing_neighbours(const RecordedRun& run, std::span<const RecordedRun* const> failed) {
  return static_cast<std::size_t>(
      std::count_if(failed.begin(), failed.end(), [&](const RecordedRun* other) {
        return other->trace == run.trace && other->target != run.target &&
               other->begin_wall < run.end_wall && run.begin_wall < other->end_wall;
      }));
}

std::vector<SimulationGroup> simulation_groups(std::span<const sim::SimulationInput> databases) {
  std::vector<SimulationGroup> groups;
  for (auto& members : sim::on_one_device(databases)) {
    std::vector<sim::SimulationInput> inputs;
    inputs.reserve(members.size());
    for (const std::size_t member : members) inputs.push_back(databases[member]);
    groups.push_back({std::move(members), std::move(inputs)});
  }
  return groups;
}

}  // namespace rocktune::tools
