// What a run measured, and its JSON form (docs/bench.md specifies it).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/device/profile.h"
#include "bench/host/configuration.h"
#include "bench/host/counters.h"
#include "bench/run/operations.h"
#include "bench/workload/workload.h"

namespace rocktune::bench {

// When a run began, and with what: part of every result.
std::string rfc3339_now();  // UTC
std::string rocksdb_version();

// What was seen over one stretch of time: a second, a phase or the whole run.
struct Interval {
  double start_seconds = 0;  // since the first phase began
  double seconds = 0;
  Latencies latencies;
  Counters counters;                // of this stretch alone
  Gauges gauges;                    // at its end
  std::uint64_t never_started = 0;  // paced operations that were due but not begun by the end
};

struct PhaseResult {
  Phase phase;
  Interval total;
  std::vector<nlohmann::json> per_second;  // as interval_json() gives them
};

struct RunResult {
  std::string started;  // RFC 3339, UTC
  bool partial = false;
  std::string partial_reason;
  Workload workload;
  HostConfiguration configuration;
  double scale = 1;
  std::optional<DeviceProfile> device;  // as used, scaled
  std::string database_path;
  std::string agent;  // Database::agent_status()
  std::vector<PhaseResult> phases;
};

nlohmann::json interval_json(const Interval& interval);
// The phases' intervals joined.
Interval total_of(const RunResult& result);
nlohmann::json result_json(const RunResult& result);

}  // namespace rocktune::bench
