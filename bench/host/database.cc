#include "bench/host/database.h"

#if __has_include(<rocksdb/advanced_cache.h>)
#include <rocksdb/advanced_cache.h>  // from 8.0 on, what a Cache can do
#endif
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

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

namespace {

// The families that the database has and, to be created, those that are asked for; RocksDB opens
// all or none.
Result<std::vector<rocksdb::ColumnFamilyDescriptor>> describe_families(
    const OpenSettings& settings, const rocksdb::Options& options) {
  std::set<std::string> names = {rocksdb::kDefaultColumnFamilyName};
  if (!settings.read_only) names.insert(settings.families.begin(), settings.families.end());
  std::vector<std::string> found;
  // A database that is not there yet has none, and says so with an error.
  if (rocksdb::DB::ListColumnFamilies(options, settings.path, &found).ok()) {
    names.insert(found.begin(), found.end());
  }
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  for (const std::string& name : names) {
    auto own = make_family_options(settings.configuration, name, options);
    if (!own) return tl::unexpected(own.error());
    descriptors.emplace_back(name, *own);
  }
  return descriptors;
}

Result<void> create_directories(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return fail(ErrorCode::kIo, path + ": cannot be created: " + error.message());
  return {};
}

// As each version of RocksDB hands a database out.
rocksdb::Status open_with(const std::string& path, const rocksdb::DBOptions& options,
                          const std::vector<rocksdb::ColumnFamilyDescriptor>& descriptors,
                          bool read_only, std::vector<rocksdb::ColumnFamilyHandle*>& handles,
                          std::unique_ptr<rocksdb::DB>& database) {
#if ROCKSDB_MAJOR >= 11
  if (read_only) {
    return rocksdb::DB::OpenForReadOnly(options, path, descriptors, &handles, &database);
  }
  return rocksdb::DB::Open(options, path, descriptors, &handles, &database);
#else
  rocksdb::DB* db = nullptr;
  auto status = read_only ? rocksdb::DB::OpenForReadOnly(options, path, descriptors, &handles, &db)
                          : rocksdb::DB::Open(options, path, descriptors, &handles, &db);
  database.reset(db);
  return status;
#endif
}

}  // namespace

Result<std::unique_ptr<Database>> Database::open(const OpenSettings& settings) {
  auto options = make_options(settings.configuration);
  if (!options) return tl::unexpected(options.error());
  if (settings.read_only) {
    options->create_if_missing = false;
  } else if (auto created = create_directories(settings.path); !created) {
    return tl::unexpected(created.error());
  }

  std::unique_ptr<Database> database(new Database);
  if (settings.device != nullptr) {
    if (auto file_system = settings.device->file_system()) {
      database->env_ = rocksdb::NewCompositeEnv(file_system);
      options->env = database->env_.get();
    }
    if (settings.device->direct_io()) {
      options->use_direct_io_for_flush_and_compaction = true;
      options->use_direct_reads = true;
    }
  }
  if (!settings.statistics) options->statistics.reset();
  if (!settings.compactions) options->disable_auto_compactions = true;
  if (settings.agent) prepare(*options);
  const auto descriptors = describe_families(settings, *options);
  if (!descriptors) return tl::unexpected(descriptors.error());
  const auto status = database->open_families(settings.path, settings.families, *options,
                                              *descriptors, settings.read_only);
  if (!status.ok()) {
    return fail(ErrorCode::kIo, "database " + settings.path + ": " + status.ToString());
  }
  database->statistics_ = options->statistics;
  database->limiter_ = options->rate_limiter;
  const auto* table = options->table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  if (table != nullptr) database->cache_ = table->block_cache;
  if (settings.agent) database->attach_agent({});
  return database;
}

Result<std::unique_ptr<Database>> Database::open_saved(const SavedSettings& settings) {
  auto saved = load_saved_options(settings);
  if (!saved) return tl::unexpected(saved.error());
  prepare(saved->options);
  std::unique_ptr<Database> database(new Database);
  std::vector<std::string> names;
  names.reserve(saved->families.size());
  for (const auto& family : saved->families) names.push_back(family.name);
  const auto status =
      database->open_families(settings.path, names, saved->options, saved->families);
  if (!status.ok()) {
    return fail(ErrorCode::kIo, "database " + settings.path + ": " + status.ToString());
  }
  database->statistics_ = saved->options.statistics;
  database->limiter_ = saved->options.rate_limiter;
  database->cache_ = saved->block_cache;
  database->attach_agent(database->opened_);
  return database;
}

void Database::attach_agent(const std::vector<rocksdb::ColumnFamilyHandle*>& handles) {
  attachment_ = std::make_unique<Attachment>();
  attachment_->held = Agent::attach(db_.get(), handles);
}

rocksdb::Status Database::open_families(
    const std::string& path, const std::vector<std::string>& wanted,
    const rocksdb::DBOptions& options,
    const std::vector<rocksdb::ColumnFamilyDescriptor>& descriptors, bool read_only) {
  auto status = open_with(path, options, descriptors, read_only, opened_, db_);
  if (!status.ok()) return status;
  for (const std::string& name : wanted) {
    for (rocksdb::ColumnFamilyHandle* handle : opened_) {
      if (handle->GetName() == name) families_.push_back(handle);
    }
  }
  return status;
}

Database::~Database() {
  attachment_.reset();
  for (rocksdb::ColumnFamilyHandle* handle : opened_) db_->DestroyColumnFamilyHandle(handle);
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

FamilyGauges Database::read_family_gauges(std::size_t index) const {
  using Properties = rocksdb::DB::Properties;
  rocksdb::ColumnFamilyHandle* family = families_[index];
  const auto number = [&](const std::string& name) {
    std::uint64_t value = 0;
    return db_->GetIntProperty(family, name, &value) ? value : 0;
  };
  FamilyGauges gauges;
  gauges.pending_compaction_bytes = number(Properties::kEstimatePendingCompactionBytes);
  gauges.immutable_memtables = number(Properties::kNumImmutableMemTable);
  gauges.sst_bytes = number(Properties::kTotalSstFilesSize);
  std::string l0;
  if (db_->GetProperty(family, Properties::kNumFilesAtLevelPrefix + "0", &l0)) {
    gauges.l0_files = std::stoull(l0);
  }
  // In GiB with six decimals; flushes count as what level 0 is written.
  std::map<std::string, std::string> statistics;
  if (db_->GetMapProperty(family, Properties::kCFStats, &statistics)) {
    const auto written = statistics.find("compaction.Sum.WriteGB");
    if (written != statistics.end()) {
      gauges.compaction_bytes_written =
          static_cast<std::uint64_t>(std::stod(written->second) * 1073741824.0);
    }
  }
  return gauges;
}

Gauges Database::read_gauges() const {
  rocksdb::DB& db = *db_;
  Gauges gauges;
  for (std::size_t i = 0; i < families_.size(); ++i) {
    const FamilyGauges family = read_family_gauges(i);
    gauges.pending_compaction_bytes += family.pending_compaction_bytes;
    gauges.immutable_memtables = std::max(gauges.immutable_memtables, family.immutable_memtables);
    gauges.l0_files = std::max(gauges.l0_files, family.l0_files);
  }
  gauges.delayed_write_rate = property(db, rocksdb::DB::Properties::kActualDelayedWriteRate);
  gauges.write_stopped = property(db, rocksdb::DB::Properties::kIsWriteStopped) != 0;
  if (limiter_) gauges.rate_limit_bytes_per_second = limiter_->GetBytesPerSecond();
  gauges.max_background_jobs = db.GetDBOptions().max_background_jobs;
  if (cache_) {
    gauges.cache_capacity_bytes = static_cast<std::int64_t>(cache_->GetCapacity());
    gauges.cache_usage_bytes = cache_->GetUsage();
  }
  return gauges;
}

Result<void> Database::set_family_option(const std::string& name, const std::string& value) {
  for (rocksdb::ColumnFamilyHandle* family : opened_) {
    const auto status = db_->SetOptions(family, {{name, value}});
    if (!status.ok()) {
      return fail(ErrorCode::kIo,
                  "database " + db_->GetName() + ": " + name + ": " + status.ToString());
    }
  }
  return {};
}

void Database::wait_for_background(const std::atomic<bool>& stop) {
  using Properties = rocksdb::DB::Properties;
  // Universal compaction can call a tree due of which it then picks nothing, for ever: what has not
  // begun within this time will not.
  constexpr auto kNothingBegins = std::chrono::seconds(2);
  auto last_running = std::chrono::steady_clock::now();
  while (!stop.load()) {
    bool busy = property(*db_, Properties::kNumRunningFlushes) != 0 ||
                property(*db_, Properties::kNumRunningCompactions) != 0;
    const auto now = std::chrono::steady_clock::now();
    if (busy) last_running = now;
    if (now - last_running > kNothingBegins) return;
    for (rocksdb::ColumnFamilyHandle* family : opened_) {
      for (const std::string& name :
           {Properties::kMemTableFlushPending, Properties::kCompactionPending}) {
        std::uint64_t value = 0;
        busy = busy || (db_->GetIntProperty(family, name, &value) && value != 0);
      }
    }
    if (!busy) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace rocktune::bench
