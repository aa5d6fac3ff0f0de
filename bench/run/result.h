// What a run measured, and its JSON form (docs/bench.md specifies it).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/host/counters.h"
#include "bench/host/database.h"
#include "bench/run/operations.h"
#include "scenario/configuration.h"
#include "scenario/device/profile.h"
#include "scenario/scenario.h"
#include "scenario/workload/workload.h"

namespace rocktune::bench {

// When a run began, and with what: part of every result.
std::string rocksdb_version();

// One column family's part of an interval.
struct FamilyInterval {
  std::string name;
  Latencies latencies;
  FamilyGauges gauges;                         // at its end
  std::uint64_t compaction_bytes_written = 0;  // flushes included, in this stretch
};

// What was seen over one stretch of time: a second, a phase or the whole run.
struct Interval {
  double start_seconds = 0;  // since the run began
  double seconds = 0;
  Latencies latencies;
  Latencies any_moment;                  // of whole phases without a rate: see moments.h
  Counters counters;                     // of this stretch alone
  Gauges gauges;                         // at its end
  std::uint64_t never_started = 0;       // paced operations that were due but not begun by the end
  Latencies waiting;                     // of those, until then: in the latencies, not in the rates
  std::uint64_t not_found = 0;           // reads of a record that was not there
  std::vector<FamilyInterval> families;  // where there are several
};

struct PhaseResult {
  scenario::Phase phase;
  Interval total;
  std::vector<nlohmann::json> per_second;  // as interval_json() gives them
};

struct DatabaseResult {
  std::string path;
  std::string agent;                // Database::agent_status(); empty: it was never opened
  std::vector<PhaseResult> phases;  // those that began
};

struct DeviceResult {
  std::string label = "real device";               // TargetDevice::label()
  std::optional<scenario::DeviceProfile> profile;  // as used, scaled
  std::vector<nlohmann::json> per_second;
  nlohmann::json total;  // null: its counters could not be read
};

struct RunResult {
  std::string started;  // RFC 3339, UTC
  bool partial = false;
  std::string partial_reason;
  scenario::Scenario scenario;
  DeviceResult device;
  std::vector<DatabaseResult> databases;  // in the scenario's order; fewer when it was stopped
};

nlohmann::json interval_json(const Interval& interval);
// The phases' intervals joined.
Interval total_of(const std::vector<PhaseResult>& phases);
nlohmann::json result_json(const RunResult& result);

}  // namespace rocktune::bench
