// How the host process opens its RocksDB: the options that the source documents' experiments differ
// in, with RocksDB's defaults written out, so that scaled() reaches every size and rate. Read from
// YAML files of name: configuration (scenario/configurations/), whose keys are RocksDB's own names
// but for block_cache, bloom_bits_per_key, rate_limit, auto_tuned_rate_limit and memtable:
//
//   Hot-Cold:
//     base: ReadOpt-512MB          # begins as this one; of this file, or a built-in
//     compaction_style: level      # or universal, fifo
//     families:                    # what is different for a column family
//       cold: {compaction_style: universal, write_buffer_size: 16MiB}
//     rocksdb_options: {bytes_per_sync: 1MB}   # anything else, never scaled
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/result.h"
#include "scenario/located_yaml.h"

namespace rocktune::scenario {

enum class CompactionStyle { kLevel, kUniversal, kFifo };
enum class Memtable { kSkipList, kVector };

// What each column family has of its own.
struct FamilyConfiguration {
  CompactionStyle compaction_style = CompactionStyle::kLevel;
  Memtable memtable = Memtable::kSkipList;
  std::int64_t write_buffer_bytes = 64 << 20;
  std::int64_t max_write_buffer_number = 2;
  std::int64_t target_file_bytes = 64 << 20;
  std::int64_t target_file_multiplier = 1;
  std::int64_t max_bytes_for_level_base = 256 << 20;
  double max_bytes_for_level_multiplier = 10;
  std::int64_t level0_compaction_trigger = 4;
  std::int64_t level0_slowdown_trigger = 20;
  std::int64_t level0_stop_trigger = 36;
  std::int64_t soft_pending_limit_bytes = std::int64_t{64} << 30;
  std::int64_t hard_pending_limit_bytes = std::int64_t{256} << 30;
  // Options in RocksDB's own spelling, applied last and never scaled. The database's may also be of
  // the database, and apply to all its families.
  std::map<std::string, std::string> rocksdb_options;
};

// The column families without an entry in `families` have the configuration's own.
struct HostConfiguration : FamilyConfiguration {
  std::string name;
  std::int64_t block_cache_bytes = 8 << 20;
  std::int64_t block_size_bytes = 4096;
  std::int64_t bloom_bits_per_key = 0;  // 0: no filter
  bool partitioned_filters = false;     // needs bloom_bits_per_key
  bool cache_index_and_filter_blocks = false;
  std::int64_t max_background_jobs = 2;
  std::int64_t max_subcompactions = 1;
  std::int64_t rate_limit_bytes_per_second = 0;  // 0: the host brings no limiter
  // RocksDB's own tuner of its limiter, below rate_limit (NewGenericRateLimiter, auto_tuned).
  bool auto_tuned_rate_limit = false;
  // The default of RocksDB 8 and later; 7.8's default of 0 leaves it to the kernel's readahead,
  // which an emulated device does not have.
  std::int64_t compaction_readahead_bytes = 2 << 20;
  std::int64_t writable_file_max_buffer_bytes = 1 << 20;  // RocksDB's default
  bool direct_io_for_flush_and_compaction = false;
  bool direct_reads = false;
  std::map<std::string, FamilyConfiguration> families;

  // Every size and rate divided by `factor` (a cache, a file, a readahead and a single write keep
  // 64 KiB at least); counts, triggers, blocks and bloom bits stay.
  [[nodiscard]] HostConfiguration scaled(double factor) const;
  // One "key=value": a key of the YAML files, or any option in RocksDB's own spelling. Reaches
  // every family.
  [[nodiscard]] Result<void> set(const std::string& assignment);
  [[nodiscard]] const FamilyConfiguration& family(const std::string& family_name) const;
};

std::string compaction_style_name(CompactionStyle style);
std::string memtable_name(Memtable memtable);

// All configurations of a YAML file, by name. `file` only names the text in messages.
Result<std::map<std::string, HostConfiguration>> parse_configurations(const std::string& text,
                                                                      const std::string& file);

// One configuration, as it stands in a map; what is wrong goes to `problems`. `earlier` are those
// that `base` may name besides the built-in ones.
HostConfiguration read_configuration(const YAML::Node& node, Problems& problems,
                                     const std::string& prefix,
                                     const std::map<std::string, HostConfiguration>& earlier = {});

// "Mild-Pressure": from a built-in file, source-000.yaml and so on; "FILE.yaml:NAME": from a file.
Result<HostConfiguration> load_configuration(const std::string& name);

}  // namespace rocktune::scenario
