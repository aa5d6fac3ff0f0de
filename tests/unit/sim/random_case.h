// Random workloads on random machines, for properties that have to hold on any of them. The same
// seed gives the same case; only the luck of single jobs differs where `luck` does (0: none).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/loop.h"

namespace rocktune::sim {

struct RandomPhase {
  double seconds = 0;
  Arrivals arrivals;
};

struct RandomDatabase {
  std::vector<RandomPhase> phases;
  EngineConfig config;
};

struct RandomCase {
  Host host;
  std::vector<RandomDatabase> databases;
};

// Loads in steps of one to four minutes, some of them in bursts, on a device that may degrade.
// Several databases are on one device.
RandomCase random_case(std::uint64_t seed, std::uint64_t luck, double seconds,
                       std::size_t databases = 1);
// One load for each, on a device that stays as it is.
RandomCase steady_case(std::uint64_t seed, std::uint64_t luck, double seconds,
                       std::size_t databases = 1);

// Tuned by this policy; the first phases have begun.
ClosedLoop loop_of(const RandomCase& one, const std::string& policy);
// Through all phases.
void run_phases(const RandomCase& one, ClosedLoop& loop);

}  // namespace rocktune::sim
