// What a RocksDB LOG tells, line by line, in values. Plain data; times are UTC.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "trace/rocksdb_log/log_line.h"

namespace rocktune::trace::rocksdb_log {

using LevelFiles = std::vector<std::uint64_t>;  // index = level

// --- the header, which RocksDB writes at each open and again on top of each rolled file
// ------------

struct VersionTold {
  std::string version;  // "11.8.1"
};
struct SessionTold {
  std::string id;  // another one after each open; since RocksDB 6.12
};
struct HostTold {
  std::string name;
};
struct DatabaseTold {
  std::string path;
  std::uint64_t table_files = 0;  // when it was opened
};
struct RecoveryBegan {};  // the database is being opened; not repeated when a LOG rolls
struct OptionTold {
  std::string family;  // empty: of the database
  std::string name;    // without "Options."
  std::string value;
};

// --- jobs ---------------------------------------------------------------------------------------

struct FlushStarted {
  std::uint64_t job = 0;
  std::string family, thread, reason;
  std::optional<std::uint64_t> memtables, entries, data_bytes;
};
struct FlushFinished {
  std::uint64_t job = 0;
  std::string family;
  LevelFiles levels;
  std::optional<std::uint64_t> immutable_memtables;
};
struct CompactionStarted {
  std::uint64_t job = 0;
  std::string family, thread, reason;
  std::vector<std::pair<std::size_t, std::vector<std::uint64_t>>> inputs;  // level, file numbers
  std::optional<std::uint64_t> input_bytes;
};
struct CompactionFinished {
  std::uint64_t job = 0;
  std::string family, status;
  std::optional<std::uint64_t> output_level, output_files, output_bytes, input_records,
      output_records, elapsed_us, cpu_us;
  LevelFiles levels;
};
struct TableCreated {
  std::uint64_t job = 0;
  std::string family;
  std::uint64_t file = 0;
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> records;
};
struct TableDeleted {  // of whichever column family: numbers are the database's
  std::uint64_t file = 0;
};
struct FileMoved {  // by a compaction that only moves it
  std::string family;
  std::uint64_t file = 0;
  std::uint64_t level = 0;  // to which
};
struct MoveFinished {
  std::string family;
  std::uint64_t files = 0, level = 0, bytes = 0;
};

// --- the state of a column family --------------------------------------------------------------

struct MemtableSwitched {
  std::string family;
  std::uint64_t immutable_before = 0;
};
struct LevelsTold {  // "Level summary: files[...]" and its like
  std::string family;
  LevelFiles levels;
  std::optional<std::uint64_t> pending_bytes;  // since RocksDB 9
};
struct PendingTold {  // with "Increasing compaction threads because ..."
  std::string family;
  std::uint64_t bytes = 0;
};
enum class StallCause { kMemtables, kL0Files, kPendingBytes };
struct StallTold {
  std::string family;
  bool stopped = false;  // else delayed
  StallCause cause = StallCause::kL0Files;
  std::optional<std::uint64_t> rate;           // bytes/s, of a delay
  std::optional<std::uint64_t> pending_bytes;  // of that cause
};

// --- the rest -----------------------------------------------------------------------------------

struct FamilyStats {
  struct Level {
    std::uint64_t files = 0, bytes = 0;  // bytes have three digits or so
    double score = 0;
  };
  std::vector<Level> levels;  // index = level
  std::optional<std::uint64_t> pending_bytes;
};
struct StatsDumped {
  std::map<std::string, FamilyStats> families;
  // "uptime_seconds", "cumulative_keys", "stall_seconds", "stalls level0_slowdown", ...
  std::map<std::string, double> numbers;
};
struct FamilyCreated {  // while the database is open: it is empty
  std::string family;
};
struct FamilyDropped {
  std::string family;
};
struct ShutDown {};

using LogEvent =
    std::variant<VersionTold, SessionTold, HostTold, DatabaseTold, RecoveryBegan, OptionTold,
                 FlushStarted, FlushFinished, CompactionStarted, CompactionFinished, TableCreated,
                 TableDeleted, FileMoved, MoveFinished, MemtableSwitched, LevelsTold, PendingTold,
                 StallTold, StatsDumped, FamilyCreated, FamilyDropped, ShutDown>;

struct TimedEvent {
  Micros at{0};  // since 1970, UTC
  LogEvent event;
};

}  // namespace rocktune::trace::rocksdb_log
