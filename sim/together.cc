#include "sim/together.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

namespace rocktune::sim {
namespace {

double end_of(const SimulationInput& input) {
  const auto& seconds = input.demand.seconds;
  double end =
      seconds_between({}, input.begin) + std::accumulate(seconds.begin(), seconds.end(), 0.0);
  for (const Absence& one : input.demand.absences) end += one.seconds;
  return end;
}

}  // namespace

std::vector<std::vector<std::size_t>> on_one_device(std::span<const SimulationInput> inputs) {
  std::vector<std::size_t> by_begin(inputs.size());
  std::iota(by_begin.begin(), by_begin.end(), std::size_t{0});
  std::stable_sort(by_begin.begin(), by_begin.end(), [&](std::size_t one, std::size_t other) {
    return inputs[one].begin < inputs[other].begin;
  });
  struct Open {
    std::size_t group = 0;
    double end = 0;
  };
  std::map<std::string, Open> open;  // the latest group of each device
  std::vector<std::vector<std::size_t>> groups;
  for (const std::size_t i : by_begin) {
    const std::string& device = inputs[i].device_name;
    const auto with = device.empty() ? open.end() : open.find(device);
    // Less than a poll is no time together.
    const bool joins = with != open.end() &&
                       seconds_between({}, inputs[i].begin) + kPollSeconds <= with->second.end;
    if (!joins) {
      groups.push_back({i});
      if (!device.empty()) open[device] = {groups.size() - 1, end_of(inputs[i])};
      continue;
    }
    groups[with->second.group].push_back(i);
    with->second.end = std::max(with->second.end, end_of(inputs[i]));
  }
  for (auto& group : groups) std::sort(group.begin(), group.end());
  std::sort(groups.begin(), groups.end());
  return groups;
}

}  // namespace rocktune::sim
