// Gathers what a "DUMPING STATS" section says, line by line; the rest of it is passed over. Pure.
#pragma once

#include <string>
#include <string_view>

#include "trace/rocksdb_log/log_event.h"

namespace rocktune::trace::rocksdb_log {

class StatsDumpReader {
 public:
  // True when the line said something that is kept.
  bool add(std::string_view line);
  [[nodiscard]] const StatsDumped& dump() const { return dump_; }

 private:
  bool add_level(std::string_view line);
  bool end_levels();
  bool add_stalls(std::string_view line);

  StatsDumped dump_;
  FamilyStats table_;       // the levels so far
  std::string family_;      // whose section this is
  std::size_t levels_ = 0;  // in dump_, of all families
  bool by_level_ = false;   // the table of levels, not that of priorities
};

// "12K", "3.4M", "512": as RocksDB writes counts; nullopt when it is no number.
std::optional<double> parse_count(std::string_view text);

}  // namespace rocktune::trace::rocksdb_log
