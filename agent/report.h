// Everything that RocksDB tells of a database, for GET /v1/dbs/{id}/statistics: for people, and not
// for polling.
//
// What it costs is bounded: each property is a visit of its own under the DB mutex, of microseconds
// for nearly all of them; one that took more than 10 ms of CPU time (some grow with the number of
// files) is left alone for ten minutes; after 250 ms the rest is left out. Never asked for are the
// properties that are only text, "aggregated-table-properties" (it reads every file),
// "block-cache-entry-stats" (it visits every cached block; of the fast form RocksDB answers from
// its last visit, and makes one at most every three minutes), and "block-cache-pinned-usage" and
// the blob cache's, which do so under the DB mutex where that is a HyperClock cache: of the block
// cache the cache itself is asked, without that mutex. What is left out is said.
//
// Thread-safety: all functions.
#pragma once

#include <rocksdb/db.h>

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "agent/block_cache.h"
#include "agent/clock.h"
#include "agent/families.h"
#include "wire/statistics.h"

namespace rocktune::agent {

class Report {
 public:
  static constexpr std::chrono::milliseconds kLongestReading{10};
  static constexpr std::chrono::minutes kPause{10};
  static constexpr std::chrono::milliseconds kLongest{250};

  Report(rocksdb::DB* db, std::shared_ptr<Families> families,
         std::shared_ptr<rocksdb::Statistics> statistics, std::shared_ptr<rocksdb::Cache> cache,
         Clock clock, Clock cpu = thread_cpu_time());

  wire::Statistics take();
  // At the attach, for which the host waits: asks RocksDB for everything once, but for what is
  // pinned in the cache.
  void rehearse();

 private:
  using TimePoint = Clock::result_type;

  void take_counters(wire::Statistics& out) const;
  void take_database(wire::Statistics& out);
  void take_cache(wire::Statistics& out);
  void take_memory(wire::Statistics& out);
  void take_families(wire::Statistics& out, TimePoint begin);
  wire::ColumnFamilyStatistics take_family(wire::Statistics& out, const std::string& name,
                                           rocksdb::ColumnFamilyHandle* handle);
  bool number(wire::Statistics& out, rocksdb::ColumnFamilyHandle* handle, const std::string& name,
              std::uint64_t& value);
  bool map(wire::Statistics& out, rocksdb::ColumnFamilyHandle* handle, const std::string& name,
           wire::MapProperty& entries);
  // Reads with the measure taken; false as well while the property is left alone.
  template <class Read>
  bool measured(wire::Statistics& out, const std::string& name, Read read);

  rocksdb::DB* const db_;
  const std::shared_ptr<Families> families_;
  const std::shared_ptr<rocksdb::Statistics> statistics_;
  const std::shared_ptr<rocksdb::Cache> cache_;
  const Clock clock_;
  const Clock cpu_;

  std::mutex mutex_;                             // one report at a time
  std::map<std::string, TimePoint> left_alone_;  // until then
};

}  // namespace rocktune::agent
