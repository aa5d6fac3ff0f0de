// LearntStore: what the early warnings have learnt of each database, one model file each
// (prior/prior.h), so that a restart learns on instead of anew. The file's name is made from the
// database's path, and the path stands in it: a file of another database, of another version or
// with anything else wrong is not used. Bounded: the files that were saved longest ago go.
//
// Nothing here fails its caller. What cannot be saved is said once in the log, until it can be
// again. Not thread-safe.
#pragma once

#include <memory>
#include <string>

#include "daemon/log.h"
#include "model/clock.h"
#include "model/heads/learnt.h"

namespace rocktune::daemon {

class LearntStore {
 public:
  static constexpr std::size_t kMostFiles = 256;  // some 80 kB each

  // An empty directory's name: nothing is saved, and nothing found.
  LearntStore(std::string directory, Nanoseconds interval, Log& log)
      : directory_(std::move(directory)), interval_(interval), log_(log) {}

  struct Found {
    std::shared_ptr<const Learnt> learnt;  // null: nothing that can be used
    std::string why_discarded;             // a clause, where there is a file that cannot be used
  };
  [[nodiscard]] Found find(const std::string& database) const;
  void save(const std::string& database, const Learnt& learnt);

  [[nodiscard]] Nanoseconds interval() const { return interval_; }
  void set_interval(Nanoseconds interval) { interval_ = interval; }
  // "orders-1f2e3d4c5b6a7988.yaml" for /data/orders.
  static std::string file_name(const std::string& database);

 private:
  [[nodiscard]] std::string path_of(const std::string& database) const;
  void remove_oldest(const std::string& but) const;

  std::string directory_;
  Nanoseconds interval_;
  Log& log_;
  bool failing_ = false;
};

}  // namespace rocktune::daemon
