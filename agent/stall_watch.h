// How long each column family has been in its state of stalling, from the changes that RocksDB
// tells. It tells them after it has let go of its mutex, so that two may come in the wrong order:
// then the duration is not known.
//
// Thread-safety: none. Bounded: at most 1024 column families are remembered.
#pragma once

#include <rocksdb/listener.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace rocktune::agent {

class StallWatch {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // How long the state lasted that ends now; nullopt when its beginning was not seen.
  std::optional<TimePoint::duration> change(const std::string& family,
                                            rocksdb::WriteStallCondition before,
                                            rocksdb::WriteStallCondition condition, TimePoint now);

 private:
  struct State {
    rocksdb::WriteStallCondition condition{};
    TimePoint since;
  };
  static constexpr std::size_t kMost = 1024;

  std::map<std::string, State> states_;
};

}  // namespace rocktune::agent
