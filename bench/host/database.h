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
#include <vector>

#include "bench/device/target_device.h"
#include "bench/host/counters.h"
#include "bench/host/saved_options.h"
#include "model/result.h"
#include "scenario/configuration.h"

namespace rocktune::bench {

struct OpenSettings {
  std::string path;  // created when missing
  scenario::HostConfiguration configuration;
  TargetDevice* device = nullptr;  // must outlive the Database; none: the disk itself
  bool agent = true;
  bool compactions = true;  // automatic ones, where the configuration has them
  bool statistics = true;   // the host's own
  std::vector<std::string> families = {"default"};  // created when missing
  // Nothing of it is written, nor created, compacted or logged: it opens with the families it has.
  bool read_only = false;
};

// What a column family has of its own, where there are several.
struct FamilyGauges {
  std::uint64_t pending_compaction_bytes = 0;
  std::uint64_t l0_files = 0;
  std::uint64_t immutable_memtables = 0;
  std::uint64_t sst_bytes = 0;  // of the files in use
  // Written by flushes and compactions since the database was opened.
  std::uint64_t compaction_bytes_written = 0;
};

class Database {
 public:
  static Result<std::unique_ptr<Database>> open(const OpenSettings& settings);
  // With the agent. An Error where the options name a comparator, a merge operator or a compaction
  // filter that this program does not have.
  static Result<std::unique_ptr<Database>> open_saved(const SavedSettings& settings);
  ~Database();  // detaches the agent, then closes
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  [[nodiscard]] rocksdb::DB& db() { return *db_; }
  // All that it has.
  [[nodiscard]] const std::vector<rocksdb::ColumnFamilyHandle*>& handles() const { return opened_; }
  // By the order of OpenSettings::families.
  [[nodiscard]] rocksdb::ColumnFamilyHandle& family(std::size_t index) const {
    return *families_[index];
  }
  // All zero without statistics.
  [[nodiscard]] Counters read_counters() const;
  // Of all column families together: sums, but the most of L0 files and of immutable memtables.
  [[nodiscard]] Gauges read_gauges() const;
  [[nodiscard]] FamilyGauges read_family_gauges(std::size_t index) const;
  // "serving on <socket>", "off", or why it does not serve.
  [[nodiscard]] std::string agent_status() const;
  // Of every column family, until the database is closed: a name and value as for SetOptions().
  Result<void> set_family_option(const std::string& name, const std::string& value);
  // Blocks until no flush or compaction runs or is due, or `stop` says so.
  void wait_for_background(const std::atomic<bool>& stop);

 private:
  Database() = default;
  rocksdb::Status open_families(const std::string& path, const std::vector<std::string>& wanted,
                                const rocksdb::DBOptions& options,
                                const std::vector<rocksdb::ColumnFamilyDescriptor>& descriptors,
                                bool read_only = false);
  void attach_agent(const std::vector<rocksdb::ColumnFamilyHandle*>& handles);
  struct Attachment;  // hides the agent

  std::unique_ptr<rocksdb::Env> env_;
  std::shared_ptr<rocksdb::Cache> cache_;
  std::shared_ptr<rocksdb::RateLimiter> limiter_;
  std::shared_ptr<rocksdb::Statistics> statistics_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> opened_;    // all, to be destroyed before the database
  std::vector<rocksdb::ColumnFamilyHandle*> families_;  // of them, those that were asked for
  std::unique_ptr<Attachment> attachment_;
};

}  // namespace rocktune::bench
