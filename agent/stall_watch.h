// How long each column family has been in its state of stalling, from the changes that RocksDB
// tells. It tells them after it has let go of its mutex, on whichever thread made them, so that the
// latter of two may come first: it is recognised, the other one is called late when it comes, and
// the length of what lay between is not known.
//
// Thread-safety: none. Bounded: at most 1024 column families are remembered, those that stall
// before others.
#pragma once

#include <rocksdb/listener.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace rocktune::agent {

class StallWatch {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Change {
    // How long the state lasted that ended; nullopt when its beginning was not seen.
    std::optional<TimePoint::duration> lasted;
    // The change that followed this one was told before it: `condition` is over already.
    bool late = false;
  };
  Change change(const std::string& family, rocksdb::WriteStallCondition before,
                rocksdb::WriteStallCondition condition, TimePoint now);

 private:
  using Condition = rocksdb::WriteStallCondition;
  struct State {
    Condition condition = Condition::kNormal;  // as every column family begins
    std::optional<TimePoint> since;
    std::optional<std::pair<Condition, Condition>> skipped;  // a change that is still to be told
  };
  static constexpr std::size_t kMost = 1024;

  std::map<std::string, State> states_;
};

}  // namespace rocktune::agent
