// What a tree of a given shape costs to write and to read, on paper: the arithmetic behind the
// expected effects of advice. Pure.
#pragma once

#include <cstddef>

namespace rocktune::advice {

struct UniversalShape {
  double flush_bytes = 0;   // of one flushed file; above 0
  double data_bytes = 0;    // live data in its one large run; above 0
  std::size_t trigger = 4;  // level0_file_num_compaction_trigger
  // compaction_options_universal's defaults (RocksDB 6 to 11).
  double size_ratio_percent = 1;
  double max_size_amplification_percent = 200;
};

struct UniversalCost {
  double writes_per_flushed_byte = 1;  // the flush itself included
  double mean_runs = 1;                // sorted runs that a read may have to ask
  double largest_space_ratio = 1;      // runs / live data, before the room of a running merge
};

// Plays a universal tree forward, flush by flush, under RocksDB's picking rules
// (UniversalCompactionBuilder::PickCompaction, db/compaction/compaction_picker_universal.cc: size
// amplification, then size ratio, then the number of runs), one compaction at a time, from one full
// run until three times its size was written (a merge of everything is due at twice).
// `overwrites`: keys are drawn evenly from those that are there, so that merges drop what is
// overwritten; else all is new. More than kMostFlushes flushes are played as that many larger ones,
// which understates the cost by the logarithm of what is left out.
UniversalCost universal_cost(const UniversalShape& shape, bool overwrites);

inline constexpr std::size_t kMostFlushes = 60'000;

struct LeveledShape {
  double flush_bytes = 0;  // of one flushed file; above 0
  double data_bytes = 0;   // above 0
  double base_bytes = 0;   // of the level that L0 is compacted into; above 0
  double multiplier = 10;  // above 1
  double trigger = 4;      // level0_file_num_compaction_trigger, at least 1
};

struct LeveledCost {
  // From half of the multiplier for each byte that moves down a level (levels that are as often
  // nearly empty as full) to all of it and itself (full ones).
  double least_writes_per_flushed_byte = 1, most_writes_per_flushed_byte = 1;
  double levels = 1;  // below L0
};

// Fan-out arithmetic: the flush; then (files of L0 + base level) / files of L0 for what leaves L0;
// then the multiplier for each level below.
LeveledCost leveled_cost(const LeveledShape& shape);

}  // namespace rocktune::advice
