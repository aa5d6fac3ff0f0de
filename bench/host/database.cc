#include "bench/host/database.h"

#if __has_include(<rocksdb/advanced_cache.h>)
#include <rocksdb/advanced_cache.h>  // from 8.0 on, what a Cache can do
#endif
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "bench/device/file_system.h"
#include "bench/host/options.h"
#include "rocktune/agent.h"

namespace rocktune::bench {
namespace {

std::uint64_t property(rocksdb::DB& db, const std::string& name) {
  std::uint64_t value = 0;
  return db.GetIntProperty(name, &value) ? value : 0;
}

}  // namespace

struct Database::Attachment {
  std::unique_ptr<Agent::Attachment> held;
};

Result<std::unique_ptr<Database>> Database::open(const OpenSettings& settings) {
  auto options = make_options(settings.configuration);
  if (!options) return tl::unexpected(options.error());
  std::error_code created;
  std::filesystem::create_directories(settings.path, created);
  if (created) {
    return fail(ErrorCode::kIo, settings.path + ": cannot be created: " + created.message());
  }

  std::unique_ptr<Database> database(new Database);
  if (settings.device != nullptr) {
    database->env_ = rocksdb::NewCompositeEnv(
        make_device_file_system(rocksdb::FileSystem::Default(), *settings.device));
    options->env = database->env_.get();
  }
  if (!settings.statistics) options->statistics.reset();
  if (settings.agent) prepare(*options);
#if ROCKSDB_MAJOR >= 11
  const auto status = rocksdb::DB::Open(*options, settings.path, &database->db_);
#else
  rocksdb::DB* db = nullptr;
  const auto status = rocksdb::DB::Open(*options, settings.path, &db);
  database->db_.reset(db);
#endif
  if (!status.ok()) {
    return fail(ErrorCode::kIo, "database " + settings.path + ": " + status.ToString());
  }
  database->statistics_ = options->statistics;
  database->limiter_ = options->rate_limiter;
  const auto* table = options->table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  if (table != nullptr) database->cache_ = table->block_cache;
  if (settings.agent) {
    database->attachment_ = std::make_unique<Attachment>();
    database->attachment_->held = Agent::attach(database->db_.get());
  }
  return database;
}

Database::~Database() {
  attachment_.reset();
  db_.reset();
}

std::string Database::agent_status() const {
  return attachment_ ? Agent::status() : "off";
}

Counters Database::read_counters() const {
  if (!statistics_) return {};
  const auto ticker = [this](rocksdb::Tickers name) { return statistics_->getTickerCount(name); };
  return {ticker(rocksdb::STALL_MICROS),       ticker(rocksdb::BYTES_WRITTEN),
          ticker(rocksdb::FLUSH_WRITE_BYTES),  ticker(rocksdb::COMPACT_WRITE_BYTES),
          ticker(rocksdb::COMPACT_READ_BYTES), ticker(rocksdb::BLOCK_CACHE_HIT),
          ticker(rocksdb::BLOCK_CACHE_MISS)};
}

Gauges Database::read_gauges() const {
  rocksdb::DB& db = *db_;
  Gauges gauges;
  gauges.pending_compaction_bytes =
      property(db, rocksdb::DB::Properties::kEstimatePendingCompactionBytes);
  gauges.immutable_memtables = property(db, rocksdb::DB::Properties::kNumImmutableMemTable);
  gauges.delayed_write_rate = property(db, rocksdb::DB::Properties::kActualDelayedWriteRate);
  gauges.write_stopped = property(db, rocksdb::DB::Properties::kIsWriteStopped) != 0;
  std::string l0;
  if (db.GetProperty(rocksdb::DB::Properties::kNumFilesAtLevelPrefix + "0", &l0)) {
    gauges.l0_files = std::stoull(l0);
  }
  if (limiter_) gauges.rate_limit_bytes_per_second = limiter_->GetBytesPerSecond();
  gauges.max_background_jobs = db.GetDBOptions().max_background_jobs;
  if (cache_) {
    gauges.cache_capacity_bytes = static_cast<std::int64_t>(cache_->GetCapacity());
    gauges.cache_usage_bytes = cache_->GetUsage();
  }
  return gauges;
}

void Database::wait_for_background(const std::atomic<bool>& stop) {
  while (!stop.load()) {
    const bool busy = property(*db_, rocksdb::DB::Properties::kNumRunningFlushes) != 0 ||
                      property(*db_, rocksdb::DB::Properties::kNumRunningCompactions) != 0 ||
                      property(*db_, rocksdb::DB::Properties::kMemTableFlushPending) != 0 ||
                      property(*db_, rocksdb::DB::Properties::kCompactionPending) != 0;
    if (!busy) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace rocktune::bench
