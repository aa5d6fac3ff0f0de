#include "bench/host/saved_options.h"

#include <rocksdb/compaction_filter.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/rate_limiter.h>
#include <rocksdb/statistics.h>
#include <rocksdb/utilities/options_util.h>

#include <sstream>

#include "files/text_file.h"

namespace rocktune::bench {
namespace {

// RocksDB 7.8's own for a table without a cache (block_based_table_factory.cc); 32 MiB since 8.2.
constexpr std::int64_t kUnknownCacheBytes = std::int64_t{8} << 20;
constexpr std::size_t kMostOptionsBytes = std::size_t{16} << 20;

// A copy's files are its own: the paths in the file are those of the original, which may be in use.
void confine(SavedOptions& saved) {
  auto& options = saved.options;
  options.wal_dir.clear();
  options.db_log_dir.clear();
  options.db_paths.clear();
  options.listeners.clear();
  options.info_log.reset();
  options.env = rocksdb::Env::Default();
  options.create_if_missing = false;
  options.error_if_exists = false;
  options.best_efforts_recovery = false;
  for (auto& family : saved.families) family.options.cf_paths.clear();
}

// What an object is called in the file, without the options that may follow: "id=NAME;..." too.
std::string object_name(std::string value) {
  if (value.starts_with('{')) value = value.substr(1, value.size() - 2);
  value = value.substr(0, value.find(';'));
  if (value.starts_with("id=")) value = value.substr(3);
  return value == "nullptr" ? std::string() : value;
}

Result<void> check_object(const std::string& text, const char* key,
                          const rocksdb::ColumnFamilyDescriptor& family,
                          const std::string& loaded) {
  const auto values = saved_values(text, key);
  const auto value = values.find(family.name);
  if (value == values.end()) return {};
  const std::string wanted = object_name(value->second);
  if (wanted.empty() || wanted == loaded) return {};
  return fail(ErrorCode::kUnsupported,
              "column family '" + family.name + "' was written with the " + key + " " + wanted +
                  ", which this program does not have: it cannot be opened here");
}

Result<void> check_objects(const std::string& text, const SavedOptions& saved) {
  for (const auto& family : saved.families) {
    const auto& o = family.options;
    const auto name = [](const auto& object) { return object ? std::string(object->Name()) : ""; };
    for (const auto& [key, loaded] : std::map<const char*, std::string>{
             {"comparator", name(o.comparator)},
             {"merge_operator", name(o.merge_operator)},
             {"compaction_filter", name(o.compaction_filter)},
             {"compaction_filter_factory", name(o.compaction_filter_factory)}}) {
      if (auto known = check_object(text, key, family, loaded); !known) return known;
    }
  }
  return {};
}

// As RocksDB calls what is a knob to the agent (agent/family_knobs.cc).
std::string option_text(const std::string& knob, std::int64_t value) {
  constexpr std::string_view kUniversal = "universal_";
  const std::string number = std::to_string(value);
  if (knob.starts_with(kUniversal)) {
    return "compaction_options_universal={" + knob.substr(kUniversal.size()) + "=" + number + ";}";
  }
  if (knob == "block_size") return "block_based_table_factory={block_size=" + number + ";}";
  if (knob == "bloom_bits_per_key") {
    const std::string filter = value == 0 ? "nullptr" : "bloomfilter:" + number + ":false";
    return "block_based_table_factory={filter_policy=" + filter + ";}";
  }
  return knob + "=" + number;
}

template <class Options, class Parse>
Result<void> give_back(Options& options, const std::map<std::string, std::int64_t>& found,
                       Parse parse) {
  for (const auto& [knob, value] : found) {
    if (knob.starts_with("rate_limiter_")) continue;  // the limiter here is a new one
    const Options base = options;
    const auto status = parse(rocksdb::ConfigOptions(), base, option_text(knob, value), &options);
    if (!status.ok()) {
      return fail(ErrorCode::kUnsupported, "the recorded " + knob + ", which was found at " +
                                               std::to_string(value) +
                                               ", cannot be set here: " + status.ToString());
    }
  }
  return {};
}

// The file has what rocktune made of them.
Result<void> give_back_found(const trace::FoundKnobs& found, SavedOptions& saved) {
  if (const auto whole = found.find(""); whole != found.end()) {
    const auto parse = [](const auto&... arguments) {
      return rocksdb::GetDBOptionsFromString(arguments...);
    };
    if (auto done = give_back(saved.options, whole->second, parse); !done) return done;
  }
  for (auto& family : saved.families) {
    const auto own = found.find(family.name);
    if (own == found.end()) continue;
    const auto parse = [](const auto&... arguments) {
      return rocksdb::GetColumnFamilyOptionsFromString(arguments...);
    };
    if (auto done = give_back(family.options, own->second, parse); !done) return done;
  }
  return {};
}

}  // namespace

std::map<std::string, std::string> saved_values(const std::string& options_text,
                                                const std::string& key) {
  std::map<std::string, std::string> values;
  std::istringstream lines(options_text);
  std::string family;
  for (std::string line; std::getline(lines, line);) {
    const auto begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos) continue;
    line.erase(0, begin);
    if (line.starts_with('[')) {
      constexpr std::string_view kFamily = "[CFOptions \"";
      const bool of_family = line.starts_with(kFamily) && line.find("\"]") != std::string::npos;
      family = of_family ? line.substr(kFamily.size(), line.rfind("\"]") - kFamily.size()) : "";
    } else if (!family.empty() && line.starts_with(key + "=")) {
      values[family] = line.substr(key.size() + 1);
    }
  }
  return values;
}

Result<SavedOptions> load_saved_options(const SavedSettings& settings) {
  SavedOptions saved;
  saved.block_cache = rocksdb::NewLRUCache(
      static_cast<std::size_t>(settings.block_cache_bytes.value_or(kUnknownCacheBytes)));
  std::string file;
  const rocksdb::ConfigOptions config;
  auto status = rocksdb::GetLatestOptionsFileName(settings.path, config.env, &file);
  if (status.ok()) {
    status = rocksdb::LoadLatestOptions(config, settings.path, &saved.options, &saved.families,
                                        &saved.block_cache);
  }
  if (!status.ok()) {
    return fail(ErrorCode::kIo,
                settings.path + ": its options cannot be read: " + status.ToString());
  }
  const auto text = rocktune::read_text_file(settings.path + "/" + file, kMostOptionsBytes);
  if (!text) return tl::unexpected(text.error());
  if (auto known = check_objects(*text, saved); !known) return tl::unexpected(known.error());
  if (auto back = give_back_found(settings.found_knobs, saved); !back) {
    return tl::unexpected(back.error());
  }
  confine(saved);
  saved.options.statistics = rocksdb::CreateDBStatistics();
  saved.options.statistics->set_stats_level(rocksdb::StatsLevel::kExceptDetailedTimers);
  saved.options.rate_limiter.reset();
  if (settings.rate_limit_bytes_per_second && *settings.rate_limit_bytes_per_second > 0) {
    saved.options.rate_limiter.reset(
        rocksdb::NewGenericRateLimiter(*settings.rate_limit_bytes_per_second));
  }
  return saved;
}

}  // namespace rocktune::bench
