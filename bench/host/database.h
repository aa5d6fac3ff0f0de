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
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "bench/device/device.h"
#include "bench/host/configuration.h"
#include "model/result.h"

namespace rocktune::bench {

// Cumulative since the database was opened.
struct Counters {
  std::uint64_t stall_us = 0;            // ticker stall.micros: what writers waited, added up
  std::uint64_t user_bytes_written = 0;  // bytes.written
  std::uint64_t flush_bytes_written = 0;
  std::uint64_t compaction_bytes_written = 0;
  std::uint64_t compaction_bytes_read = 0;
  std::uint64_t cache_hits = 0;
  std::uint64_t cache_misses = 0;

  [[nodiscard]] Counters since(const Counters& older) const;
  // Source 003: (flush.write.bytes + compact.write.bytes) / bytes.written. Nothing when nothing
  // was written.
  [[nodiscard]] std::optional<double> write_amplification() const;
  [[nodiscard]] std::optional<double> cache_hit_ratio() const;  // nothing without look-ups
};

struct Gauges {
  std::uint64_t pending_compaction_bytes = 0;
  std::uint64_t l0_files = 0;
  std::uint64_t immutable_memtables = 0;
  std::uint64_t delayed_write_rate = 0;  // bytes/s; 0: not delayed
  bool write_stopped = false;
  std::uint64_t cache_usage_bytes = 0;
  // The knobs that a tuner may turn, as they are now.
  std::int64_t rate_limit_bytes_per_second = 0;  // 0: no limiter
  std::int64_t max_background_jobs = 0;
  std::int64_t cache_capacity_bytes = 0;
};

struct OpenSettings {
  std::string path;  // created when missing
  HostConfiguration configuration;
  EmulatedDevice* device = nullptr;  // must outlive the Database; none: the disk itself
  bool agent = true;
};

class Database {
 public:
  static Result<std::unique_ptr<Database>> open(const OpenSettings& settings);
  ~Database();  // detaches the agent, then closes
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  [[nodiscard]] rocksdb::DB& db() { return *db_; }
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

// The version of the RocksDB headers: "7.8.3".
std::string rocksdb_version();

}  // namespace rocktune::bench
