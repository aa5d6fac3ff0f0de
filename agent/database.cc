#include "agent/database.h"

#include <rocksdb/table.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "agent/shared_objects.h"
#include "agent/statistics.h"

namespace rocktune::agent {
namespace {

std::string absolute(const std::string& path) {
  std::error_code failed;
  const auto full = std::filesystem::absolute(path, failed);
  auto text = failed ? path : full.lexically_normal().string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

std::shared_ptr<rocksdb::Cache> block_cache_of(rocksdb::DB* db) {
  const rocksdb::Options options = db->GetOptions(db->DefaultColumnFamily());
  if (!options.table_factory) return nullptr;
  const auto* table = options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  return table == nullptr || table->no_block_cache ? nullptr : table->block_cache;
}

// RocksDB tells of no database whether it can be written, so it is asked for something that one
// opened to be read calls unsupported, and every other one an invalid argument before it does
// anything: to ingest no files.
const char* access_of(rocksdb::DB* db) {
  const auto status = db->IngestExternalFile(db->DefaultColumnFamily(), {}, {});
  if (!status.IsNotSupported()) return "read_write";
  return status.ToString().find("secondary") == std::string::npos ? "read_only" : "secondary";
}

const char* who_brought(rocksdb::Statistics* statistics) {
  if (statistics == nullptr) return "none";
  const auto* const ours = WindowedStatistics::from(statistics);
  return ours != nullptr && !ours->brought_by_host() ? "agent" : "host";
}

const char* who_brought(const std::shared_ptr<rocksdb::RateLimiter>& limiter) {
  if (!limiter) return "none";
  return is_ours(limiter) ? "agent" : "host";
}

}  // namespace

void write_to_log(rocksdb::Logger* log, const std::string& sentence, rocksdb::InfoLogLevel level) {
  if (log != nullptr) rocksdb::Log(level, log, "rocktune: %s", sentence.c_str());
}

Database::Database(rocksdb::DB* db, const std::vector<rocksdb::ColumnFamilyHandle*>& handles,
                   std::uint64_t number, bool read_only, Clock clock) {
  const rocksdb::DBOptions options = db->GetDBOptions();
  description_.access = access_of(db);
  const Sampler::Objects objects{options.statistics, block_cache_of(db), options.rate_limiter};
  std::vector<std::unique_ptr<Knob>> knobs;
  knobs.push_back(std::make_unique<LimiterKnob>(objects.limiter));
  knobs.push_back(std::make_unique<JobsKnob>(db, description_.access == "read_write", clock));
  knobs.push_back(std::make_unique<CacheKnob>(objects.cache));
  families_ = std::make_shared<Families>(db, handles, clock);
  sampler_ = std::make_unique<Sampler>(db, families_, objects, clock);
  control_ = std::make_unique<Control>(
      std::move(knobs), number, std::move(clock),
      [log = options.info_log](const std::string& text) { write_to_log(log.get(), text); });
  describe(db, options, number, read_only);
}

void Database::describe(rocksdb::DB* db, const rocksdb::DBOptions& options, std::uint64_t number,
                        bool read_only) {
  description_.id = std::to_string(number);
  description_.path = absolute(db->GetName());
  const auto add_path = [this](const std::string& path) {
    auto& paths = description_.data_paths;
    const auto full = absolute(path);
    if (full == description_.path || std::ranges::find(paths, full) != paths.end()) return;
    paths.push_back(full);
  };
  for (const auto& path : options.db_paths) add_path(path.path);
  if (!options.wal_dir.empty()) add_path(options.wal_dir);
  description_.limiter = who_brought(options.rate_limiter);
  description_.statistics = who_brought(options.statistics.get());
  if (read_only) {
    description_.reason = "the agent is read-only (ROCKTUNE_AGENT_MODE=ro)";
    return;
  }
  for (const auto& knob : control_->describe()) description_.tunable |= knob.changeable;
  if (!description_.tunable) description_.reason = "none of its knobs can be changed";
}

void Database::add(rocksdb::ColumnFamilyHandle* handle) {
  if (const auto inside = pass()) families_->add(handle);
}

// Also while it closes: what was changed through the handle may be returned through it just now.
void Database::forget(const rocksdb::ColumnFamilyHandle* handle) {
  families_->forget(handle);
}

void Database::close() {
  if (const auto inside = pass()) control_->hurry();
  gate_.close();
  const std::lock_guard lock(closing_);
  try {
    if (control_) control_->abandon();
  } catch (...) {  // no memory: the values stay, but the objects must go
  }
  control_.reset();
  sampler_.reset();
}

}  // namespace rocktune::agent
