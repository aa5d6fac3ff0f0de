#include "agent/sampler.h"

#include <rocksdb/convenience.h>
#include <rocksdb/metadata.h>
#include <rocksdb/rate_limiter.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "agent/family_knobs.h"
#include "agent/limiter/fair_rate_limiter.h"
#include "agent/names.h"
#include "agent/shared_objects.h"
#include "agent/statistics.h"

namespace rocktune::agent {
namespace {

using rocksdb::DB;
using std::chrono::nanoseconds;

constexpr std::string_view kPrefix = "rocksdb.";

struct Property {
  const char* full_name;
  [[nodiscard]] std::string name() const { return full_name + kPrefix.size(); }
};

constexpr Property kDatabaseProperties[] = {
    {"rocksdb.num-running-flushes"},       {"rocksdb.num-running-compactions"},
    {"rocksdb.actual-delayed-write-rate"}, {"rocksdb.is-write-stopped"},
    {"rocksdb.background-errors"},         {"rocksdb.num-snapshots"}};

// Of each column family; summed over all of them they are the database's.
constexpr Property kFamilyProperties[] = {
    {"rocksdb.cur-size-active-mem-table"}, {"rocksdb.cur-size-all-mem-tables"},
    {"rocksdb.num-immutable-mem-table"},   {"rocksdb.mem-table-flush-pending"},
    {"rocksdb.compaction-pending"},        {"rocksdb.estimate-pending-compaction-bytes"}};

constexpr Property kLiveDataSize = {"rocksdb.estimate-live-data-size"};  // grows with the files
constexpr Property kLiveFilesSize = {"rocksdb.live-sst-files-size"};     // so does this, by little

std::map<std::string, std::string> to_map(const std::string& options) {
  std::unordered_map<std::string, std::string> parsed;
  if (!rocksdb::StringToMap(options, &parsed).ok()) return {};
  return {parsed.begin(), parsed.end()};
}

// Of block-based tables; RocksDB's OPTIONS file has them in a section of their own.
std::map<std::string, std::string> table_options(const rocksdb::ConfigOptions& config,
                                                 const rocksdb::ColumnFamilyOptions& family) {
  const auto& factory = family.table_factory;
  std::string text;
  if (!factory || !factory->IsInstanceOf(rocksdb::TableFactory::kBlockBasedTableName())) return {};
  return factory->GetOptionString(config, &text).ok() ? to_map(text)
                                                      : std::map<std::string, std::string>();
}

std::chrono::steady_clock::time_point seen_at(const wire::Event& event) {
  return std::chrono::steady_clock::time_point(nanoseconds(event.tick_ns));
}

}  // namespace

Sampler::Sampler(rocksdb::DB* db, std::shared_ptr<Families> families, Objects objects, Clock clock,
                 ListingLimits limits, Clock cpu)
    : db_(db),
      families_(std::move(families)),
      objects_(std::move(objects)),
      clock_(std::move(clock)),
      cpu_(std::move(cpu)),
      limits_(limits) {}

void Sampler::rehearse() {
  const auto now = clock_();
  list_pace_.spent(now, now);
  pinned_pace_.spent(now, now);
  static_cast<void>(take());
  static_cast<void>(options());
  list_pace_ = pinned_pace_ = {};
}

wire::Sample Sampler::take() {
  const auto now = clock_();
  wire::Sample sample;
  sample.sequence = ++sequence_;
  sample.tick_ns = std::chrono::duration_cast<nanoseconds>(now.time_since_epoch()).count();
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  sample.wall_ns = std::chrono::duration_cast<nanoseconds>(wall).count();
  take_statistics(sample);
  take_properties(sample);
  take_objects(sample, now);
  take_families(sample, now);
  return sample;
}

void Sampler::take_statistics(wire::Sample& sample) {
  auto* const statistics = objects_.statistics.get();
  if (statistics == nullptr) return;
  auto* const windowed = WindowedStatistics::from(statistics);
  if (windowed != nullptr) {
    windowed->keep_level_in_step();
    sample.histograms = windowed->histograms();
  }
  if (statistics->get_stats_level() <= rocksdb::StatsLevel::kExceptTickers) return;
  for (const auto& [ticker, name] : tickers()) {
    const auto count =
        windowed != nullptr ? windowed->own_count(ticker) : statistics->getTickerCount(ticker);
    sample.tickers.emplace_hint(sample.tickers.end(), name, count);
  }
}

void Sampler::take_properties(wire::Sample& sample) const {
  std::uint64_t value = 0;
  for (const auto& property : kDatabaseProperties) {
    if (db_->GetIntProperty(property.full_name, &value)) {
      sample.properties.emplace(property.name(), value);
    }
  }
  for (const auto& property : kFamilyProperties) {
    if (db_->GetAggregatedIntProperty(property.full_name, &value)) {
      sample.properties.emplace(property.name(), value);
    }
  }
}

void Sampler::take_objects(wire::Sample& sample, TimePoint now) {
  if (const auto& cache = objects_.cache) {
    sample.cache = {{"capacity_bytes", cache->GetCapacity()}, {"usage_bytes", cache->GetUsage()}};
    take_pinned(*cache, now);
    if (pinned_) sample.cache.emplace("pinned_usage_bytes", *pinned_);
  }
  if (const auto& limiter = objects_.limiter) {
    const auto counter = [](std::int64_t count) {
      return static_cast<std::uint64_t>(std::max<std::int64_t>(0, count));
    };
    if (const auto own = own_limiter(limiter)) sample.limiter = own->snapshot();
    sample.limiter.emplace("bytes_through", counter(limiter->GetTotalBytesThrough()));
    sample.limiter.emplace("requests", counter(limiter->GetTotalRequests()));
    const bool reads = limiter->IsRateLimited(rocksdb::RateLimiter::OpType::kRead);
    sample.limiter.emplace("limits_reads", reads ? 1 : 0);
  }
  // Two atomics. RocksDB makes a manager without a limit where the host brings none.
  if (const auto& manager = objects_.write_buffers; manager && manager->enabled()) {
    sample.write_buffer_manager = {{"limit_bytes", manager->buffer_size()},
                                   {"stall_active", manager->IsStallActive() ? 1 : 0}};
  }
}

void Sampler::take_pinned(const rocksdb::Cache& cache, TimePoint now) {
  if (!pinned_pace_.due(now)) return;
  const auto begin = clock_();
  pinned_ = cache.GetPinnedUsage();
  pinned_pace_.spent(begin, clock_());
}

// As if each had the size that the default column family's compactions aim at, or 16 MiB where that
// is less: others may be smaller. It visits every file, too, but copies none.
std::uint64_t Sampler::estimate_files() const {
  std::uint64_t each = std::uint64_t{16} << 20;
  if (!watched_.empty()) {
    const auto& options = watched_.front().options;
    const auto target = options.find("target_file_size_base");
    if (target != options.end() && target->second > 0) {
      each = std::min(each, static_cast<std::uint64_t>(target->second));
    }
  }
  std::uint64_t bytes = 0;
  if (!db_->GetAggregatedIntProperty(kLiveFilesSize.full_name, &bytes)) return 0;
  return bytes / each;
}

void Sampler::list_families(TimePoint now, std::uint64_t known_files) {
  if (!list_pace_.due(now)) return;
  std::vector<rocksdb::ColumnFamilyMetaData> all;
  listed_.clear();
  if (known_files > limits_.files) return;
  if (estimate_files() > limits_.files) return list_pace_.pause(now);
  const auto begin = clock_();
  db_->GetAllColumnFamilyMetaData(&all);
  const auto end = clock_();
  // It copies the description of every file in one visit under the DB mutex, where writers wait.
  // Those without a known handle are counted by it only.
  std::uint64_t files = 0;
  for (const auto& family : all) files += family.file_count;
  if (end - begin > limits_.duration || files > limits_.files) return list_pace_.pause(end);
  list_pace_.spent(now, end);
  for (const auto& family : all) {
    auto& levels = listed_[family.name];
    for (const auto& level : family.levels) {
      levels.push_back({level.files.size(), level.size});
    }
  }
}

// Those that came or went since the last sample.
void Sampler::find_families() {
  const auto known = families_->all();
  const auto same = [](const Watched& watched, const auto& family) {
    return watched.family == family;
  };
  if (std::ranges::equal(watched_, known, same)) return;
  std::vector<Watched> found;
  for (const auto& family : known) {
    const auto it = std::ranges::find(watched_, family, &Watched::family);
    if (it == watched_.end()) {
      found.emplace_back().family = family;
    } else {
      found.push_back(std::move(*it));
    }
  }
  for (const auto& watched : watched_) {
    if (watched.family) stall_causes_.forget(watched.family->name());  // not among the moved ones
  }
  watched_ = std::move(found);
}

void Sampler::take_families(wire::Sample& sample, TimePoint now) {
  find_families();
  std::set<std::string_view> taken;
  if (live_data_pace_.due(now)) {
    const auto begin = clock_();
    for (auto& watched : watched_) {
      const auto used = watched.family->use();
      std::uint64_t value = 0;
      const bool known =
          used && db_->GetIntProperty(used.handle(), kLiveDataSize.full_name, &value);
      watched.live_data_size = known ? std::optional(value) : std::nullopt;
    }
    live_data_pace_.spent(begin, clock_());
  }
  std::uint64_t files = 0;
  for (auto& watched : watched_) {
    auto family = take_family(watched);
    if (!family) continue;
    for (const auto& level : family->levels) files += level.files;
    taken.insert(watched.family->name());
    sample.column_families.push_back(*std::move(family));
  }
  list_families(now, files);
  for (const auto& [name, levels] : listed_) {
    if (taken.contains(name)) continue;
    wire::ColumnFamily family;
    family.name = name;
    family.levels = levels;
    sample.column_families.push_back(std::move(family));
  }
}

// nullopt: its handle has just gone.
std::optional<wire::ColumnFamily> Sampler::take_family(Watched& watched) {
  const auto copy = watched.family->options().get(Freshness::kCached);
  const auto used = watched.family->use();
  if (!copy || !used) return std::nullopt;
  if (watched.version != copy.version()) {
    watched.version = copy.version();
    watched.options = family_option_values(*copy);
    watched.levels = copy->num_levels;
  }
  wire::ColumnFamily taken;
  taken.name = watched.family->name();
  taken.options = watched.options;
  std::uint64_t value = 0;
  for (const auto& property : kFamilyProperties) {
    if (db_->GetIntProperty(used.handle(), property.full_name, &value)) {
      taken.properties.emplace(property.name(), value);
    }
  }
  if (watched.live_data_size) {
    taken.properties.emplace(kLiveDataSize.name(), *watched.live_data_size);
  }
  take_levels(watched, used.handle());
  taken.levels = watched.last_levels;
  return taken;
}

// RocksDB visits every file for it, under the DB mutex: not again before `levels_due`.
bool Sampler::read_stats(Watched& watched, rocksdb::ColumnFamilyHandle* handle,
                         StallCauses::CfStats& stats) {
  constexpr std::chrono::microseconds kQuick{500};
  constexpr int kShare = 200;
  const auto now = clock_();
  const auto begin = cpu_();
  const bool known = db_->GetMapProperty(handle, DB::Properties::kCFStats, &stats);
  const auto took = cpu_() - begin;
  if (took > kQuick) watched.levels_due = now + kShare * took;
  watched.read_at = now;
  if (known) stall_causes_.read(watched.family->name(), stats);
  return known;
}

// From "compaction.L0.NumFiles" and "compaction.L0.SizeBytes" (doubles, as text) of the map
// property, where the metadata would copy every file.
void Sampler::take_levels(Watched& watched, rocksdb::ColumnFamilyHandle* handle) {
  if (clock_() < watched.levels_due) return;
  watched.last_levels.clear();
  StallCauses::CfStats stats;
  if (!read_stats(watched, handle, stats)) return;
  auto& levels = watched.last_levels;
  levels.resize(static_cast<std::size_t>(std::clamp(watched.levels, 1, 64)));
  const auto number = [](const std::string& text) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value > 0 ? static_cast<std::uint64_t>(value) : 0;
  };
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const std::string prefix = "compaction.L" + std::to_string(level) + ".";
    if (const auto it = stats.find(prefix + "NumFiles"); it != stats.end()) {
      levels[level].files = number(it->second);
    }
    if (const auto it = stats.find(prefix + "SizeBytes"); it != stats.end()) {
      levels[level].bytes = number(it->second);
    }
  }
}

void Sampler::explain_stalls(EventRing& events) {
  const auto unexplained = events.lacking("stall", "cause");
  if (unexplained.empty()) return;
  find_families();
  std::map<std::string, TimePoint> read;
  for (auto& watched : watched_) {
    const std::string& name = watched.family->name();
    const bool asked =
        std::ranges::find(unexplained, name, &wire::Event::column_family) != unexplained.end();
    if (!asked) continue;
    const auto used = watched.family->use();
    StallCauses::CfStats stats;
    const bool may_read = clock_() >= watched.levels_due;
    if (used && (!may_read || read_stats(watched, used.handle(), stats))) {
      read.emplace(name, watched.read_at);
    }
  }
  for (const auto& event : unexplained) {
    const auto& condition = event.words.at("condition");
    const bool ended = condition == "normal";  // then it is that of the state before
    const auto at = read.find(event.column_family);
    const bool too_early = !ended && at != read.end() && at->second < seen_at(event);
    const auto cause = too_early
                           ? std::string()
                           : stall_causes_.latest(event.column_family,
                                                  ended ? event.words.at("before") : condition);
    const char* told_by = !cause.empty()     ? "RocksDB's counters"
                          : at == read.end() ? "nobody: its handle is not known"
                          : too_early        ? "nobody: to read RocksDB's counters again costs too "
                                               "much yet"
                                             : "nobody: none of RocksDB's counters has moved";
    // Such a stop is told by the writing thread that made it, once its own wait is over: what lies
    // between its beginning and its end as they are told is not how long it lasted.
    const bool told_late =
        event.words.at("before") == "stopped" &&
        stall_causes_.latest(event.column_family, "stopped").find("memtables") != std::string::npos;
    events.complete(event.sequence,
                    {{"cause", cause.empty() ? "unknown" : cause}, {"told_by", told_by}},
                    told_late ? "before_us" : "");
  }
}

wire::Options Sampler::options() {
  wire::Options options;
  const rocksdb::ConfigOptions config;
  std::string text;
  if (rocksdb::GetStringFromDBOptions(config, db_->GetDBOptions(), &text).ok()) {
    options.database = to_map(text);
  }
  for (const auto& family : families_->all()) {
    text.clear();
    const auto copy = family->options().get(Freshness::kFresh);
    if (copy && rocksdb::GetStringFromColumnFamilyOptions(config, *copy, &text).ok()) {
      auto& values = options.column_families[family->name()] = to_map(text);
      values.merge(table_options(config, *copy));
    }
  }
  return options;
}

}  // namespace rocktune::agent
