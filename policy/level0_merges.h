// What keeping level 0 small costs each column family. A compaction of level 0 reads and writes
// what the next level holds in the same key range, once for every few files of level 0: with twice
// as many files at a time, or files of twice the size, half as often. What compactions of level 0
// read beyond what was flushed is just that, so half of it would not be read and as much not be
// written:
//
//   saved by doubling = input of level-0 compactions/s - flushed/s
//
// Larger buffers save more than that where keys are written again and again: what compactions drop
// as overwritten or deleted was flushed and moved for nothing, and the larger the buffer the more
// of it is never flushed. By how much is not known before it is tried. It counts as
//
//   saved by larger buffers = saved by doubling * (1 + dropped by compactions/s / flushed/s)
//
// Measured in `overload` (rocktune-bench run, level0_file_num_compaction_trigger=8, buffers of 1
// and 4 MiB, RocksDB 7.8.3, one run each; half of what is flushed is dropped): flushes and
// compactions moved 1.70 bytes less for a byte of the user, 3.2 times what the first formula
// says, 2.1 times what the second does.
//
// Pure; bounded by the number of column families; internal to policy/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/features.h"
#include "model/trend.h"

namespace rocktune {

inline constexpr double kMergesSeconds = 10;   // of the means
inline constexpr double kDroppedSeconds = 60;  // of the mean of what is dropped

struct Level0Merging {
  double flushed = 0, l0_input = 0;  // bytes/s of files, means
  double file_share = 1;             // bytes of a file for each of the buffer's, and whether...
  bool share_known = false;          // ...it was seen; else it is not more than that
  [[nodiscard]] double saved_by_doubling() const {
    return l0_input > flushed ? l0_input - flushed : 0;
  }
};

class Level0Merges {
 public:
  // Once per fresh sample.
  void observe(const Features& features);
  // nullptr: the column family is not there, or what it takes was not read. `nearby`: its place in
  // the sample.
  [[nodiscard]] const Level0Merging* of(std::string_view column_family, std::size_t nearby) const;
  // Whether one doubling saves a share of what flushes and compactions write that is worth a
  // change.
  [[nodiscard]] bool worth_doubling(const Level0Merging& merging) const;
  // Bytes/s that buffers of twice the size save.
  [[nodiscard]] double saved_by_larger_buffers(const Level0Merging& merging) const {
    return merging.saved_by_doubling() * (1 + dropped_share_);
  }
  void reset() { *this = Level0Merges(); }

 private:
  struct Family {
    std::string name;
    Level0Merging merging;
    std::uint64_t flushes = 0, l0_input_bytes = 0;  // as last read
    double seconds = 0;                             // of means so far
    double full_buffers = 0;                        // bytes/s, had each been full, mean
    std::uint64_t buffer_bytes = 0;                 // of one, as last read
    std::optional<LevelReading> level0;             // as last read
    // Buffers flushed since they have this size, and since a file was seen to come.
    std::uint64_t since_resized = 0, unseen = 0;
    double files = 0;  // of the mean of what a file is of a buffer
    void follow_files(const ColumnFamilyReading& reading, std::uint64_t flushed);
    void learn_share(double share, double of_files);
    void follow(const ColumnFamilyReading& reading, double interval_seconds);
  };
  [[nodiscard]] const Family* find(std::string_view name, std::size_t nearby) const;

  std::vector<Family> families_;                           // in the order of the sample
  Trend written_{Trend::Jumps::kKeep, 0, kMergesSeconds};  // bytes/s, by flushes and compactions
  Value mean_written_;                                     // ...as the last sample has it
  // Bytes/s that compactions read more than they write, and that are flushed. Over longer, since
  // each compaction drops a share of its own.
  Trend dropped_{Trend::Jumps::kKeep, 0, kDroppedSeconds};
  Trend flushed_{Trend::Jumps::kKeep, 0, kDroppedSeconds};
  double dropped_share_ = 0;  // of what is flushed, from 0 to 1
};

}  // namespace rocktune
