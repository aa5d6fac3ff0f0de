// What keeping level 0 small costs each column family. A compaction of level 0 reads and writes
// what the next level holds in the same key range, once for every few files of level 0: with twice
// as many files at a time, or files of twice the size, half as often. What compactions of level 0
// read beyond what was flushed is just that, so half of it would not be read and as much not be
// written:
//
//   saved by doubling = input of level-0 compactions/s - flushed/s
//
// Pure; bounded by the number of column families; internal to policy/.
#pragma once

#include <map>
#include <string>

#include "model/features.h"

namespace rocktune {

struct Level0Merging {
  double flushed = 0, l0_input = 0;  // bytes/s, means of 10 s
  [[nodiscard]] double saved_by_doubling() const {
    return l0_input > flushed ? l0_input - flushed : 0;
  }
};

class Level0Merges {
 public:
  // Once per fresh sample.
  void observe(const Features& features);
  // nullptr: the column family is not there, or what it takes was not read.
  [[nodiscard]] const Level0Merging* of(const std::string& column_family) const;
  void reset() { families_.clear(); }

 private:
  struct Family {
    void follow(const ColumnFamilyReading& reading, double interval_seconds);
    Level0Merging merging;
    std::uint64_t flushes = 0, l0_input_bytes = 0;  // as last read
    double seconds = 0;                             // of means so far
    bool seen = false;                              // in the last sample
  };
  std::map<std::string, Family> families_;
};

// Whether one doubling saves a share of what flushes and compactions write that is worth a change.
bool worth_doubling(const Level0Merging& merging, const Features& features);

}  // namespace rocktune
