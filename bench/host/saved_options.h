// The options of a copy of somebody's database, from its own OPTIONS file, made safe for a copy:
// nothing of them points to a place outside of it any more.
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/result.h"
#include "trace/op_recording.h"

namespace rocktune::bench {

struct SavedSettings {
  std::string path;
  // What options files do not have.
  std::optional<std::int64_t> block_cache_bytes;  // default: RocksDB's own
  std::optional<std::int64_t> rate_limit_bytes_per_second;
  // In place of the values in the file.
  trace::FoundKnobs found_knobs = {};
};

struct SavedOptions {
  rocksdb::DBOptions options;  // with Statistics
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  std::shared_ptr<rocksdb::Cache> block_cache;
};

// An Error where a column family needs a comparator, merge operator or compaction filter that this
// program does not have, or a knob that was found is no option of this RocksDB: it is named.
Result<SavedOptions> load_saved_options(const SavedSettings& settings);

// The values of a key in an OPTIONS file, by column family. Pure.
std::map<std::string, std::string> saved_values(const std::string& options_text,
                                                const std::string& key);

}  // namespace rocktune::bench
