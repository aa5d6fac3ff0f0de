// What keeping level 0 small costs each column family. A compaction of level 0 reads and writes
// what the next level holds in the same key range, once for every few files of level 0: with twice
// as many files at a time, or files of twice the size, half as often. What compactions of level 0
// read beyond what was flushed is just that, so half of it would not be read and as much not be
// written:
//
//   saved by doubling = input of level-0 compactions/s - flushed/s
//
// Not of that input are ingested files of level 0, nor what compactions that somebody asked for, or
// an age, read of other levels: no doubling saves any of it.
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
// Both are means of ten seconds where several compactions of level 0 end in that time. Of 4 files
// of 64 MiB at 5 MiB/s there is one in 50 s, and what it read is counted as it ends: there they are
// means over the last whole cycles, from the end of one compaction to that of another.
//
// Pure; bounded by the number of column families; internal to policy/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/features.h"
#include "model/trend.h"

namespace rocktune {

inline constexpr double kMergesSeconds = 10;   // of the means, where enough ends in that time
inline constexpr double kDroppedSeconds = 60;  // of the mean of what is dropped

struct Level0Merging {
  double flushed = 0, l0_input = 0;  // bytes/s of files, means
  Value written;  // ...and by all flushes and compactions, over as long; absent: of ten seconds
  double file_share = 1;     // bytes of a file for each of the buffer's, and whether...
  bool share_known = false;  // ...it was seen; else it is not more than that
  // Whether what merging costs is known. It is not yet where compactions are far apart and too few
  // were seen: nothing is to be saved then, as far as anybody can tell.
  bool known = true;
  // Memtables are flushed at half of a buffer of this size or later: else, as where a write buffer
  // manager or the WAL's size has them flushed before, a larger one changes nothing. Until enough
  // flushes were seen buffers have the benefit of the doubt, but for those that were resized before
  // any memtable was seen to fill them.
  bool fills = true;
  bool never_fills = false;  // ...and enough were seen to know
  [[nodiscard]] double saved_by_doubling() const {
    return l0_input > flushed ? l0_input - flushed : 0;
  }
  // Of level 0, by flushes of buffers of this size.
  [[nodiscard]] double files_per_second(std::int64_t buffer) const {
    return buffer > 0 && file_share > 0 ? flushed / (static_cast<double>(buffer) * file_share) : 0;
  }
};

class Level0Merges {
 public:
  // Once per fresh sample.
  void observe(const Features& features);
  // nullptr: the column family is not there, or what it takes was not read. `nearby`: its place in
  // the sample.
  [[nodiscard]] const Level0Merging* of(std::string_view column_family, std::size_t nearby) const;
  // Whether one doubling, of all column families together, saves a share of what flushes and
  // compactions write that is worth a change, and this one is not among those that save least.
  [[nodiscard]] bool worth_doubling(const Level0Merging& merging) const;
  // Bytes/s that buffers of twice the size save.
  [[nodiscard]] double saved_by_larger_buffers(const Level0Merging& merging) const {
    return merging.saved_by_doubling() * (1 + dropped_share_);
  }

 private:
  // Bytes/s, of buffers had each been full.
  struct Means {
    double full_buffers = 0, l0_input = 0;
    Value written;
  };
  // Of a column family since it is looked at: bytes, as above. What all flushes and compactions
  // write is known for some of the time.
  struct Totals {
    double seconds = 0, full_buffers = 0, l0_input = 0;
    double written = 0, written_seconds = 0;
    [[nodiscard]] Means means_since(const Totals& before) const;
  };
  // The cycles of level 0, from the end of one compaction to that of another.
  class Cycles {
   public:
    // After each look. `ended`: compactions have since the last; `buffer`: bytes of one.
    void follow(const Totals& now, bool ended, double buffer);
    // A compaction of level 0 brings so many times as much from now on.
    void resize(double times, double file_share, double now_seconds);
    // Over the last of them. Absent: too few were seen, or are too long ago, or they are so short
    // that means of ten seconds tell.
    [[nodiscard]] const std::optional<Means>& means() const { return means_; }
    // The last compaction took longer to come than means of ten seconds can tell of.
    [[nodiscard]] bool slow() const { return slow_; }

   private:
    void measure(const Totals& now);

    static constexpr std::size_t kMostEnds = 4;  // of three cycles
    std::array<Totals, kMostEnds> ends_{};       // the newest last
    std::size_t count_ = 0;
    std::optional<Means> means_;
    double span_ = 0, holds_until_ = 0;         // seconds: of the means, and of the totals
    double flushed_ = 0, flushed_seconds_ = 0;  // the last flush: total bytes, and when
    double ended_seconds_ = 0;                  // when the last compaction ended, or 0
    bool slow_ = false;
  };
  struct Family {
    std::string name;
    Level0Merging merging;
    std::uint64_t flushes = 0, l0_input_bytes = 0, l0_other_bytes = 0;  // as last read
    Totals totals;
    Means recent;  // of ten seconds
    Cycles cycles;
    std::uint64_t buffer_bytes = 0;      // of one, as last read
    std::uint64_t trigger = 0;           // files of level 0 that begin a compaction, as last read
    double batch = 0;                    // what a compaction of level 0 brings, as last read
    std::optional<LevelReading> level0;  // as last read
    // Buffers flushed since they have this size, and since a file was seen to come.
    std::uint64_t since_resized = 0, unseen = 0;
    double files = 0;  // of the mean of what a file is of a buffer
    // Since the buffers have this size: the fullest memtable, and how many looks have seen flushes.
    // Whether none was seen to fill them at the size before.
    std::uint64_t fullest = 0, looks_at_flushes = 0;
    bool doubted = false;
    void follow_size(const ColumnFamilyReading& reading);
    [[nodiscard]] bool is_seen_filled() const;
    void follow_memtable(const ColumnFamilyReading& reading, std::uint64_t flushed);
    void follow_files(const ColumnFamilyReading& reading, std::uint64_t flushed);
    void learn_share(double share, double of_files);
    void follow(const ColumnFamilyReading& reading, double interval_seconds, const Value& written);
  };
  [[nodiscard]] const Family* find(std::string_view name, std::size_t nearby) const;

  std::vector<Family> families_;       // in the order of the sample
  double saved_ = 0, mean_saved_ = 0;  // bytes/s: by all, and of those that would save any
  Trend written_{Trend::Jumps::kKeep, 0, kMergesSeconds};  // bytes/s, by flushes and compactions
  Value mean_written_;                                     // ...as the last sample has it
  // Bytes/s that compactions read more than they write, and that are flushed. Over longer, since
  // each compaction drops a share of its own.
  Trend dropped_{Trend::Jumps::kKeep, 0, kDroppedSeconds};
  Trend flushed_{Trend::Jumps::kKeep, 0, kDroppedSeconds};
  double dropped_share_ = 0;  // of what is flushed, from 0 to 1
};

}  // namespace rocktune
