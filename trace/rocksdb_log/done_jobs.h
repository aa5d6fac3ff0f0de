// The flushes and compactions of a column family that a LOG has told the end of. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "model/sample.h"
#include "trace/rocksdb_log/log_line.h"

namespace rocktune::trace::rocksdb_log {

class DoneJobs {
 public:
  void add_flush(Micros at);
  void add_compaction(std::uint64_t level0_files, Micros lasted, std::uint64_t input_bytes);
  // A compaction of a deeper level that only moved files: it takes no time.
  void add_move() { ++deep_; }

  // What a sample at that time says of them.
  void fill(Micros at, ColumnFamilyReading& reading) const;

 private:
  std::uint64_t flushes_ = 0, level0_ = 0, level0_bytes_ = 0, deep_ = 0;
  std::optional<Micros> last_flush_;
  Micros level0_time_{0}, deep_time_{0};
};

}  // namespace rocktune::trace::rocksdb_log
