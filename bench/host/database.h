// The host process's own RocksDB, opened as a configuration says, with the rocktune agent linked
// in. What a user's program would have; the benchmark runs on it.
//
// Thread-safety: db() is RocksDB's own; read_counters() and read_gauges() may be called from any
// thread; opening and destroying from one.
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/rate_limiter.h>

#include <atomic>
#include <memory>
#include <string>

#include "bench/device/device.h"
#include "bench/host/configuration.h"
#include "bench/host/counters.h"
#include "model/result.h"

namespace rocktune::bench {

struct OpenSettings {
  std::string path;  // created when missing
  HostConfiguration configuration;
  EmulatedDevice* device = nullptr;  // must outlive the Database; none: the disk itself
  bool agent = true;
  bool statistics = true;  // the host's own
};

class Database {
 public:
  static Result<std::unique_ptr<Database>> open(const OpenSettings& settings);
  ~Database();  // detaches the agent, then closes
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  [[nodiscard]] rocksdb::DB& db() { return *db_; }
  // All zero without statistics.
  [[nodiscard]] Counters read_counters() const;
  [[nodiscard]] Gauges read_gauges() const;
  // "serving on <socket>", "off", or why it does not serve.
  [[nodiscard]] std::string agent_status() const;
  // Blocks until no flush or compaction runs or is due, or `stop` says so.
  void wait_for_background(const std::atomic<bool>& stop);

 private:
  Database() = default;
  struct Attachment;  // hides the agent

  std::unique_ptr<rocksdb::Env> env_;
  std::shared_ptr<rocksdb::Cache> cache_;
  std::shared_ptr<rocksdb::RateLimiter> limiter_;
  std::shared_ptr<rocksdb::Statistics> statistics_;
  std::unique_ptr<rocksdb::DB> db_;
  std::unique_ptr<Attachment> attachment_;
};

}  // namespace rocktune::bench
