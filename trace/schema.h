// The trace file: one SQLite database per run of the daemon, documented in docs/trace.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/engine_config.h"
#include "model/open_options.h"
#include "model/sample.h"

namespace rocktune::trace {

inline constexpr int kSchemaVersion = 4;  // PRAGMA user_version
inline constexpr int kEventsSince = 2;    // the version that brought database_events
inline constexpr int kChecksSince = 4;    // ... checksums of pages
inline constexpr int kStatesSince = 4;    // ... column_family_states, nvme and shared_budgets
inline constexpr std::int32_t kApplicationId = 0x524b5431;  // "RKT1": PRAGMA application_id

// One run of the daemon: what recorded this file.
struct RunInfo {
  std::string daemon_version;
  std::string host;
  Nanoseconds started_wall{0};
  double poll_interval_seconds = 0.5;
  int schema = kSchemaVersion;  // of the file
  bool operator==(const RunInfo&) const = default;
};

// Ends the version of what was made from RocksDB's own LOG: no daemon watched, so none has warned
// or decided anything.
inline constexpr std::string_view kFromLog = " from a RocksDB LOG";
inline bool is_imported(const RunInfo& run) {
  return run.daemon_version.ends_with(kFromLog);
}

// Whether damage to such a file is noticed; else what is to be said of it, as a sentence begins:
// "schema 2 has no checksums: damage may go unnoticed".
inline bool has_checksums(const RunInfo& run) {
  return run.schema >= kChecksSince;
}
std::string checksums_note(const RunInfo& run);  // empty where it has them

// One database, by its path; it may be opened many times (incarnations) in a run.
struct TargetInfo {
  std::int64_t id = 0;  // given by the recorder; rising
  std::string name;     // as the alert log calls it; the database's path unless the config names it
  std::string path;
  std::string mode;  // "observe", "advise" or "act" when first seen
  EngineConfig engine;
  bool operator==(const TargetInfo&) const = default;
};

// One opening of a target's database: what the agent said of itself.
struct IncarnationInfo {
  std::string incarnation;  // Sample::incarnation
  std::int64_t pid = 0;
  std::string command;
  std::string rocksdb_version;
  std::string agent_version;
  std::string limiter;     // "host", "agent", "none"
  std::string statistics;  // "host", "agent", "none"
  OpenOptions options{};   // what rules of advice read; empty: not told
  bool operator==(const IncarnationInfo&) const = default;
};

}  // namespace rocktune::trace
