#include "sim/together.h"

#include <algorithm>

namespace rocktune::sim {

std::vector<std::vector<std::size_t>> on_one_device(std::span<const SimulationInput> inputs) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto with = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      const std::string& device = inputs[group.front()].device_name;
      return !device.empty() && device == inputs[i].device_name;
    });
    if (with == groups.end()) {
      groups.push_back({i});
    } else {
      with->push_back(i);
    }
  }
  return groups;
}

std::vector<SimulationInput> begun_together(std::span<const SimulationInput> inputs,
                                            std::span<const std::size_t> indices) {
  std::vector<SimulationInput> group;
  Nanoseconds begin = Nanoseconds::max();
  for (const std::size_t i : indices) {
    group.push_back(inputs[i]);
    begin = std::min(begin, inputs[i].begin);
  }
  for (SimulationInput& one : group) {
    const double late = seconds_between(begin, one.begin);
    one.begin = begin;
    if (late < kPollSeconds) continue;
    one.demand.seconds.insert(one.demand.seconds.begin(), late);
    one.demand.arrivals.insert(one.demand.arrivals.begin(), Arrivals());
  }
  return group;
}

}  // namespace rocktune::sim
