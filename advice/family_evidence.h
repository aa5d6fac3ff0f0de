// FamilyEvidence: what a recording of one column family comes to. See advice/evidence.h.
#pragma once

#include <string>
#include <tuple>

#include "advice/tallies.h"
#include "model/sample.h"

namespace rocktune::advice {

// What was flushed while write_buffer_size was what it is now.
struct FlushTally {
  Sum flushes;
  Sum user_bytes, flushed_bytes;  // of the whole database
};

struct FamilyEvidence {
  std::string name;
  ColumnFamilyReading last;  // options and levels as last read

  // What ended, with its time and input, where the agent's listener or a LOG told it.
  Sum flushes, l0_compactions, l0_compactions_ms, l0_compactions_input_bytes;
  Sum deep_compactions, deep_compactions_ms;
  FlushTally at_size;

  Mean l0_files, l0_file_bytes;
  Mean runs;  // sorted runs that a read may have to ask: files of L0, and deeper levels in use
  Mean base_bytes;   // of the level that L0 is compacted into, while it held anything
  Mean data_bytes;   // all levels
  Mean space_ratio;  // all levels / live data
  Mean pending_bytes;
  Value first_pending_bytes;
  Value last_pending_bytes;

  Share l0_slowed;    // L0 at or above its slowdown trigger
  Share debt_slowed;  // pending bytes at or above the soft limit
  // As many immutable memtables as stop writes (max_write_buffer_number), or delay them (one less,
  // where that is above 3): db/column_family.cc, RocksDB 6 to 11.
  Share memtables_full;
  Share memtables_full_alone;  // the same, with L0 and debt below their limits
  Share l0_busy_when_slowed;   // of the time of l0_slowed: a compaction out of L0 was running

  // `older` is of the same incarnation, or null; `seconds` since it.
  void add(const ColumnFamilyReading* older, const ColumnFamilyReading& newer, double seconds);

  // After add(), of the same two: what users and flushes of the whole database wrote meanwhile.
  void add_flushed(const ColumnFamilyReading& older, const ColumnFamilyReading& newer,
                   const Value& user_bytes, const Value& flushed_bytes, double seconds);

  [[nodiscard]] Value write_buffer_bytes() const;
  [[nodiscard]] Value l0_compaction_seconds() const;  // that one out of L0 takes
  [[nodiscard]] bool leveled() const { return last.leveled_compaction.value_or(1) == 1; }

 private:
  void add_jobs(const ColumnFamilyReading& older, const ColumnFamilyReading& newer, double seconds);
  void add_levels(const ColumnFamilyReading& newer, double seconds);
  void add_limits(const ColumnFamilyReading& newer, double seconds);
};

// Of the options that a sample has.
bool same_options(const ColumnFamilyReading& a, const ColumnFamilyReading& b);

}  // namespace rocktune::advice
