// Why a column family's writes were delayed or stopped, from what RocksDB counts of it.
//
// A listener is told that the state changed, but not why, and may not ask. RocksDB counts a cause
// each time that it finds the column family in such a state, before it tells its listeners, and the
// counters are read with every sample: those that moved since the reading before tell the cause.
//
// Thread-safety: none. Bounded by the column families that are read.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace rocktune::agent {

class StallCauses {
 public:
  using CfStats = std::map<std::string, std::string>;  // the map property rocksdb.cfstats

  // As of now. Counters begin at 0 when the database is opened.
  void read(const std::string& family, const CfStats& stats);

  // "memtables", "l0_files", "pending_compaction_bytes", or several joined by "+", since each of
  // them was counted between two readings. Empty: none was ever counted. `condition` is "delayed"
  // or "stopped".
  [[nodiscard]] std::string latest(const std::string& family, const std::string& condition) const;

  void forget(const std::string& family) { families_.erase(family); }

 private:
  struct Family {
    std::map<std::string, std::uint64_t> counters;
    std::map<std::string, std::string> latest;  // by condition
  };
  std::map<std::string, Family> families_;
};

}  // namespace rocktune::agent
