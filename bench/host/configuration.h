// How the host process opens its RocksDB: the options that source 000's configurations differ in,
// with RocksDB's defaults written out, so that scaled() reaches every size and rate.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/result.h"

namespace rocktune::bench {

struct HostConfiguration {
  std::string name;
  std::int64_t block_cache_bytes = 8 << 20;
  std::int64_t bloom_bits_per_key = 0;  // 0: no filter
  bool partitioned_filters = false;     // needs bloom_bits_per_key
  bool cache_index_and_filter_blocks = false;
  std::int64_t write_buffer_bytes = 64 << 20;
  std::int64_t max_write_buffer_number = 2;
  std::int64_t target_file_bytes = 64 << 20;
  std::int64_t max_bytes_for_level_base = 256 << 20;
  std::int64_t level0_compaction_trigger = 4;
  std::int64_t level0_slowdown_trigger = 20;
  std::int64_t level0_stop_trigger = 36;
  std::int64_t soft_pending_limit_bytes = std::int64_t{64} << 30;
  std::int64_t hard_pending_limit_bytes = std::int64_t{256} << 30;
  std::int64_t max_background_jobs = 2;
  std::int64_t max_subcompactions = 1;
  std::int64_t rate_limit_bytes_per_second = 0;  // 0: the host brings no limiter
  // The default of RocksDB 8 and later; 7.8's default of 0 leaves it to the kernel's readahead,
  // which an emulated device does not have.
  std::int64_t compaction_readahead_bytes = 2 << 20;
  // Options in RocksDB's own spelling, applied last and never scaled.
  std::map<std::string, std::string> rocksdb_options;

  // Every size and rate divided by `factor` (a cache, a file and a readahead keep 64 KiB at least);
  // counts, triggers and bloom bits stay.
  [[nodiscard]] HostConfiguration scaled(double factor) const;
  // One "key=value": a key of the YAML files, or any option in RocksDB's own spelling.
  [[nodiscard]] Result<void> set(const std::string& assignment);
};

// All configurations of a YAML file, by name. `file` only names the text in messages.
Result<std::map<std::string, HostConfiguration>> parse_configurations(const std::string& text,
                                                                      const std::string& file);

// "Mild-Pressure": from the built-in source-000.yaml; "FILE.yaml:NAME": from a file.
Result<HostConfiguration> load_configuration(const std::string& name);

}  // namespace rocktune::bench
