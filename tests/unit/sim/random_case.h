// Random workloads on random machines, for properties that have to hold on any of them. The same
// seed gives the same case; only the luck of single jobs differs where `luck` does (0: none).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/loop.h"

namespace rocktune::sim {

struct RandomPhase {
  double seconds = 0;
  Arrivals arrivals;
};

struct RandomCase {
  Host host;
  std::vector<RandomPhase> phases;
  EngineConfig config;
};

// Loads in steps of one to four minutes, some of them in bursts, on a device that may degrade.
RandomCase random_case(std::uint64_t seed, std::uint64_t luck, double seconds);
// One load, on a device that stays as it is.
RandomCase steady_case(std::uint64_t seed, std::uint64_t luck, double seconds);

}  // namespace rocktune::sim
