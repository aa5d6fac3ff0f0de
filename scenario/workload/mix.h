// In which proportions a phase mixes its operations.
#pragma once

#include <array>
#include <string>

#include "model/result.h"
#include "scenario/located_yaml.h"
#include "scenario/workload/operation.h"

namespace rocktune::scenario {

struct Mix {
  std::array<double, kOperations> shares{};  // by Operation; they add up to 1

  double& operator[](Operation operation) { return shares[static_cast<std::size_t>(operation)]; }
  double operator[](Operation operation) const {
    return shares[static_cast<std::size_t>(operation)];
  }
  // The operation below which a share `u` in [0, 1) lies.
  [[nodiscard]] Operation at(double u) const;
  bool operator==(const Mix&) const = default;

  static Mix of(double read, double update, double read_modify_write = 0);
};

// YCSB's core workloads (workloads/workloada and so on): A 50% reads 50% updates, B 95/5, C reads
// only, D 95% reads 5% inserts, E 95% scans 5% inserts, F 50% reads 50% read-modify-writes.
Result<Mix> ycsb_mix(const std::string& letter);

// A map of an operation's name to its share; the shares must add up to 1.
void read_proportions(MapReader& map, const std::string& key, Problems& problems, Mix& out);

}  // namespace rocktune::scenario
