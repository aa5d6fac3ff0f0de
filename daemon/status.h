// Status: what the daemon knows at one moment, as HTTP, the control socket and the CLI see it.
// Made when somebody asks, then never changed: readers hold a shared pointer to it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/alert_log.h"
#include "model/engine_config.h"
#include "model/features.h"
#include "model/indicators.h"
#include "model/sample.h"

namespace rocktune::daemon {

// Since the start of the daemon.
struct Counters {
  std::uint64_t polls_due = 0;    // ticks of the schedule
  std::uint64_t polls_done = 0;   // of those, made
  std::uint64_t polls_late = 0;   // made, but more than half an interval late
  std::uint64_t samples_due = 0;  // of all targets
  std::uint64_t samples_recorded = 0;
  std::uint64_t alerts = 0;  // raised
  std::uint64_t reloads = 0, reloads_failed = 0;
  std::uint64_t trace_failures = 0, alert_log_failures = 0;
  std::map<std::string, std::uint64_t> source_errors;  // by source
  std::map<std::string, std::uint64_t> decisions;      // by verdict
  std::map<std::string, std::uint64_t> actuations;     // by status
};

struct LeaseStatus {
  std::string holder;
  double remaining_seconds = 0;
};

// A decision with what became of it, as lines of the alert log; empty: nothing yet.
struct DecisionStatus {
  std::string id, knob, column_family;
  std::string decision, actuation, outcome;
};

struct TargetStatus {
  std::string name, path, mode;
  std::string state;  // "live", "waiting" (no host has it open) or "failing" (it does not answer)
  Nanoseconds waiting_since_wall{0};  // zero: not waiting, or nobody has had it open yet
  std::int64_t pid = 0;
  std::string command, rocksdb_version, incarnation;
  std::string why_untunable;  // by its agent; empty where it can be tuned
  std::string device;         // whose load counts; empty when none was found
  // What RocksDB failed with in the background, and since when, where it has not recovered.
  std::string background_error;
  Nanoseconds background_error_wall{0};
  std::uint64_t due = 0, recorded = 0;
  std::vector<SourceHealth> health;
  std::optional<Features> features;  // of the newest sample
  std::vector<Indicator> indicators;
  std::vector<std::string> sentences;  // of each of these: how things stand; empty: nothing to say
  // Of column families only those that are not as found, and of the default one those of the rule.
  std::vector<KnobReading> knobs;
  Pins pins;                                     // of its rule
  std::vector<std::string> freeze;               // likewise
  std::optional<SharedBudget> shared;            // its slices in the newest sample
  double weight = 1;                             // against the others that share
  std::vector<DecisionStatus> recent_decisions;  // oldest first
  std::optional<LeaseStatus> lease;
  std::map<std::string, std::uint64_t> events;  // by kind, since the daemon's start
};

// One of `targets` under which no database was opened.
struct UnmatchedEntry {
  std::size_t index = 0;
  std::string path;
};

struct ReloadRefusal {
  Nanoseconds wall{0};
  std::string problem;  // the first
};

struct Status {
  std::string version;
  std::int64_t pid = 0;
  std::string mode;
  Nanoseconds started_wall{0};
  double poll_interval_seconds = 0;
  std::string trace, alert_log, policy, agent_dir;
  // The oldest sample of the trace, once it has outgrown its bound; unset: it has all.
  std::optional<Nanoseconds> trace_reaches_back_to_wall;
  std::string trace_failing;                   // why the last step was not recorded; empty: it was
  std::optional<LostLines> alert_log_failing;  // unset: it is written
  std::string freeze_file;
  bool frozen = false;                           // by that file
  std::optional<Nanoseconds> frozen_until_wall;  // unset: until it is removed
  Instant last_poll;                             // when the newest poll began
  std::size_t agents = 0;                        // that answer
  Counters counters;
  std::vector<TargetStatus> targets;
  std::vector<UnmatchedEntry> unmatched;
  std::optional<ReloadRefusal> reload_refused;  // the last one, and none has worked since
};

using Snapshot = std::shared_ptr<const Status>;

// The answer to GET /v1/status: one JSON object.
std::string status_json(const Status& status);

}  // namespace rocktune::daemon
