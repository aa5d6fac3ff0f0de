#include "bench/host/options.h"

#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/memtablerep.h>
#include <rocksdb/rate_limiter.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

namespace rocktune::bench {
namespace {

rocksdb::BlockBasedTableOptions make_table_options(const scenario::HostConfiguration& c) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(static_cast<size_t>(c.block_cache_bytes));
  if (c.bloom_bits_per_key > 0) {
    table.filter_policy.reset(
        rocksdb::NewBloomFilterPolicy(static_cast<double>(c.bloom_bits_per_key)));
  }
  if (c.partitioned_filters) {
    table.partition_filters = true;
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  }
  table.block_size = static_cast<size_t>(c.block_size_bytes);
  table.cache_index_and_filter_blocks = c.cache_index_and_filter_blocks;
  table.pin_top_level_index_and_filter = true;
  return table;
}

// The options in RocksDB's own spelling: a key is of the database or of the column family.
Result<void> apply_rocksdb_options(const std::map<std::string, std::string>& given,
                                   rocksdb::Options& options) {
  rocksdb::ConfigOptions strict;
  for (const auto& [key, value] : given) {
    rocksdb::DBOptions db(options);
    rocksdb::ColumnFamilyOptions cf(options);
    const auto as_db = rocksdb::GetDBOptionsFromMap(strict, db, {{key, value}}, &db);
    const auto as_cf = rocksdb::GetColumnFamilyOptionsFromMap(strict, cf, {{key, value}}, &cf);
    if (!as_db.ok() && !as_cf.ok()) {
      std::string message = "option ";
      message += key;
      message += "=";
      message += value;
      message += ": RocksDB takes it neither for the database (";
      message += as_db.ToString();
      message += ") nor for the column family (";
      message += as_cf.ToString();
      message += ")";
      return fail(ErrorCode::kInvalidArgument, std::move(message));
    }
    options = rocksdb::Options(as_db.ok() ? db : rocksdb::DBOptions(options),
                               as_cf.ok() ? cf : rocksdb::ColumnFamilyOptions(options));
  }
  return {};
}

// RocksDB's limiter, with its own defaults but for the rate and the tuner.
std::shared_ptr<rocksdb::RateLimiter> make_limiter(const scenario::HostConfiguration& c) {
  constexpr std::int64_t kRefillMicroseconds = 100'000;
  constexpr std::int32_t kFairness = 10;
  return std::shared_ptr<rocksdb::RateLimiter>(rocksdb::NewGenericRateLimiter(
      c.rate_limit_bytes_per_second, kRefillMicroseconds, kFairness,
      rocksdb::RateLimiter::Mode::kWritesOnly, c.auto_tuned_rate_limit));
}

rocksdb::CompactionStyle rocksdb_style(scenario::CompactionStyle style) {
  switch (style) {
    case scenario::CompactionStyle::kLevel:
      return rocksdb::kCompactionStyleLevel;
    case scenario::CompactionStyle::kUniversal:
      return rocksdb::kCompactionStyleUniversal;
    case scenario::CompactionStyle::kFifo:
      return rocksdb::kCompactionStyleFIFO;
  }
  return rocksdb::kCompactionStyleLevel;
}

void set_family_options(const scenario::FamilyConfiguration& c,
                        rocksdb::ColumnFamilyOptions& options) {
  options.compaction_style = rocksdb_style(c.compaction_style);
  if (c.memtable == scenario::Memtable::kVector) {
    options.memtable_factory = std::make_shared<rocksdb::VectorRepFactory>();
  }
  options.write_buffer_size = static_cast<size_t>(c.write_buffer_bytes);
  options.max_write_buffer_number = static_cast<int>(c.max_write_buffer_number);
  options.target_file_size_base = static_cast<uint64_t>(c.target_file_bytes);
  options.target_file_size_multiplier = static_cast<int>(c.target_file_multiplier);
  options.max_bytes_for_level_base = static_cast<uint64_t>(c.max_bytes_for_level_base);
  options.max_bytes_for_level_multiplier = c.max_bytes_for_level_multiplier;
  options.level0_file_num_compaction_trigger = static_cast<int>(c.level0_compaction_trigger);
  options.level0_slowdown_writes_trigger = static_cast<int>(c.level0_slowdown_trigger);
  options.level0_stop_writes_trigger = static_cast<int>(c.level0_stop_trigger);
  options.soft_pending_compaction_bytes_limit = static_cast<uint64_t>(c.soft_pending_limit_bytes);
  options.hard_pending_compaction_bytes_limit = static_cast<uint64_t>(c.hard_pending_limit_bytes);
}

// Only the skip list takes several writers at once; RocksDB refuses to open otherwise.
bool writes_concurrently(const scenario::HostConfiguration& c) {
  if (c.memtable != scenario::Memtable::kSkipList) return false;
  return std::all_of(c.families.begin(), c.families.end(), [](const auto& family) {
    return family.second.memtable == scenario::Memtable::kSkipList;
  });
}

}  // namespace

Result<rocksdb::Options> make_options(const scenario::HostConfiguration& c) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.compression = rocksdb::kNoCompression;
  // The same tree on every RocksDB version (the default changed in 8.4).
  options.level_compaction_dynamic_level_bytes = false;
  set_family_options(c, options);
  options.allow_concurrent_memtable_write = writes_concurrently(c);
  options.max_background_jobs = static_cast<int>(c.max_background_jobs);
  options.max_subcompactions = static_cast<uint32_t>(c.max_subcompactions);
  options.compaction_readahead_size = static_cast<size_t>(c.compaction_readahead_bytes);
  options.writable_file_max_buffer_size = static_cast<size_t>(c.writable_file_max_buffer_bytes);
  options.use_direct_io_for_flush_and_compaction = c.direct_io_for_flush_and_compaction;
  options.use_direct_reads = c.direct_reads;
  options.statistics = rocksdb::CreateDBStatistics();
  options.statistics->set_stats_level(rocksdb::StatsLevel::kExceptDetailedTimers);
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(make_table_options(c)));
  if (c.rate_limit_bytes_per_second > 0) options.rate_limiter = make_limiter(c);
  if (auto applied = apply_rocksdb_options(c.rocksdb_options, options); !applied) {
    return tl::unexpected(applied.error());
  }
  return options;
}

Result<rocksdb::ColumnFamilyOptions> make_family_options(const scenario::HostConfiguration& c,
                                                         const std::string& family,
                                                         const rocksdb::Options& database) {
  rocksdb::ColumnFamilyOptions options(database);
  const auto own = c.families.find(family);
  if (own == c.families.end()) return options;
  options.memtable_factory = rocksdb::ColumnFamilyOptions().memtable_factory;
  set_family_options(own->second, options);
  rocksdb::ConfigOptions strict;
  std::unordered_map<std::string, std::string> given;
  for (const auto& [key, value] : c.rocksdb_options) {
    // Of those, what is the database's alone is none of the family's business.
    rocksdb::ColumnFamilyOptions ignored;
    if (rocksdb::GetColumnFamilyOptionsFromMap(strict, options, {{key, value}}, &ignored).ok()) {
      given[key] = value;
    }
  }
  for (const auto& [key, value] : own->second.rocksdb_options) given[key] = value;
  const auto applied = rocksdb::GetColumnFamilyOptionsFromMap(strict, options, given, &options);
  if (!applied.ok()) {
    return fail(ErrorCode::kInvalidArgument, "column family " + family + ": " + applied.ToString());
  }
  return options;
}

}  // namespace rocktune::bench
