// What a run is judged by: limits on latency (SLOs), what a tuner may spend (budgets), and which
// metric matters first. Read from a scenario's `objective`:
//
//   objective:
//     read_p99: 5ms            # OPERATION_p50, _p95, _p99 or _p999, with us, ms or s
//     update_p99: 20ms
//     memory: 64MiB            # block cache and memtables of all databases together
//     jobs: 4                  # max_background_jobs of all databases together
//     device_share: 0.8        # budget.device_share; no effect where no device profile is given
//     first: read_p99          # one of the limits above, or throughput, stall_seconds,
//                              # write_amplification; default: a limit, or throughput
//
// A run is never stopped by its objective: it is stated in the result, for whoever compares.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/clock.h"
#include "scenario/located_yaml.h"
#include "scenario/workload/operation.h"

namespace rocktune::scenario {

struct LatencyLimit {
  std::string metric;  // "read_p99"
  Operation operation = Operation::kRead;
  std::string percentile;  // as in a result's operations: "p50_us", "p95_us", "p99_us", "p999_us"
  Nanoseconds limit{0};
  bool operator==(const LatencyLimit&) const = default;
};

struct Objective {
  std::vector<LatencyLimit> limits;  // in the order of operation.h
  std::optional<std::int64_t> memory_bytes;
  std::optional<std::int64_t> jobs;
  std::optional<double> device_share;
  std::string first = "throughput";
};

Objective read_objective(const YAML::Node& node, Problems& problems);

// {"limits": [{"metric": "read_p99", "operation": "read", "percentile": "p99_us",
//  "limit_us": 5000}], "memory_bytes": ..., "jobs": ..., "device_share": ..., "first": "read_p99"};
// budgets that were not given are null.
nlohmann::json objective_json(const Objective& objective);

}  // namespace rocktune::scenario
