// import_log: turns the LOG files of one database into a trace, one sample for each interval.
//
// The trace is written beside its place and moved there when it is whole. Samples lie on a grid
// that begins with the LOG's first line; where the database was not open, and where the LOG says
// nothing for more than an hour, there are none (sequence numbers go on). Uses no clock. Not
// thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/result.h"
#include "trace/rocksdb_log/parser.h"
#include "trace/rocksdb_log/side_csv.h"

namespace rocktune::trace::rocksdb_log {

struct ImportRequest {
  std::string source;  // a directory with LOG files, or one file
  std::string output;  // the trace
  bool replace = false;
  std::string name;     // of the database in the trace; empty: its path as the LOG has it
  std::string version;  // of this rocktune, for the trace's run
  std::chrono::milliseconds interval{1000};
  std::vector<SideSpec> sides;
};

struct ImportSummary {
  std::uint64_t files = 0;
  ParserCounts lines;
  std::vector<std::string> versions;  // of RocksDB, in order
  std::uint64_t sessions = 0, samples = 0, column_families = 0;
  std::map<std::string, std::uint64_t> events;  // by kind
  std::uint64_t stalls = 0;                     // column families that left "normal"
  std::uint64_t unknown_family = 0;  // events that no column family is known of: left out
  std::uint64_t set_backs = 0;       // of the LOG's clock, by more than a minute
  std::uint64_t short_stalls = 0;    // ... and were back before the next sample
  Micros first{0}, last{0};          // samples, UTC
  std::vector<std::string> damage;   // files that could not be read to their end, bad rows
  std::vector<std::string> absent;   // what the trace lacks, one sentence each
};

// Bytes read of all; false ends the import, which then fails with kUnavailable and leaves nothing.
using Progress = std::function<bool(std::uint64_t done, std::uint64_t all)>;

// Fails with kNotFound, kPermission, kIo (names the file), kConflict (the trace exists),
// kInvalidArgument (a mapping), kCorrupt (no line of these files is a LOG's).
Result<ImportSummary> import_log(const ImportRequest& request, const Progress& progress);

}  // namespace rocktune::trace::rocksdb_log
