#include "agent/report.h"

#include <rocksdb/statistics.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "agent/derived.h"
#include "agent/names.h"
#include "agent/statistics.h"

namespace rocktune::agent {
namespace {

using namespace std::string_view_literals;

// Asked through a column family, RocksDB gives the same answer for each: they are the database's.
constexpr std::array kOfDatabase = {"rocksdb.actual-delayed-write-rate"sv,
                                    "rocksdb.background-errors"sv,
                                    "rocksdb.compaction-abort-count"sv,
                                    "rocksdb.db-write-stall-stats"sv,
                                    "rocksdb.dbstats"sv,
                                    "rocksdb.is-file-deletions-enabled"sv,
                                    "rocksdb.is-write-stopped"sv,
                                    "rocksdb.min-log-number-to-keep"sv,
                                    "rocksdb.num-running-compactions"sv,
                                    "rocksdb.num-running-flushes"sv,
                                    "rocksdb.num-snapshots"sv,
                                    "rocksdb.oldest-snapshot-sequence"sv,
                                    "rocksdb.oldest-snapshot-time"sv};

constexpr std::string_view kCacheEntries = "rocksdb.fast-block-cache-entry-stats";
constexpr std::string_view kPinned = "rocksdb.block-cache-pinned-usage";

// See the header.
constexpr std::array kNeverAsked = {"rocksdb.aggregated-table-properties"sv,
                                    "rocksdb.blob-cache-pinned-usage"sv,
                                    "rocksdb.block-cache-entry-stats"sv,
                                    kCacheEntries,
                                    kPinned,
                                    "rocksdb.estimate-oldest-key-time"sv};

// A visit to every entry of a larger cache may take seconds.
constexpr std::size_t kLargestCacheVisited = std::size_t{16} << 30;

bool is_of_database(std::string_view name) {
  return std::ranges::find(kOfDatabase, name) != kOfDatabase.end();
}

bool is_asked(std::string_view name) {
  return std::ranges::find(kNeverAsked, name) == kNeverAsked.end();
}

// "compaction.L0.NumFiles" into the entry NumFiles of the level L0.
void divide_by_level(wire::MapProperty& stats,
                     std::vector<std::pair<std::string, wire::MapProperty>>& levels) {
  constexpr std::string_view kPrefix = "compaction.";
  for (auto it = stats.begin(); it != stats.end();) {
    const auto dot = it->first.find('.', kPrefix.size());
    if (!it->first.starts_with(kPrefix) || dot == std::string::npos) {
      ++it;
      continue;
    }
    auto level = it->first.substr(kPrefix.size(), dot - kPrefix.size());
    if (levels.empty() || levels.back().first != level)
      levels.emplace_back(std::move(level), wire::MapProperty{});
    levels.back().second.emplace(it->first.substr(dot + 1), std::move(it->second));
    it = stats.erase(it);
  }
}

wire::HistogramSummary summary(const rocksdb::HistogramData& data) {
  return {data.count,   data.sum,    data.min,          data.max,
          data.average, data.median, data.percentile95, data.percentile99};
}

std::int64_t whole_nanoseconds(std::chrono::nanoseconds since) {
  return since.count();
}

}  // namespace

Report::Report(rocksdb::DB* db, std::shared_ptr<Families> families,
               std::shared_ptr<rocksdb::Statistics> statistics,
               std::shared_ptr<rocksdb::Cache> cache, Clock clock, Clock cpu)
    : db_(db),
      families_(std::move(families)),
      statistics_(std::move(statistics)),
      cache_(std::move(cache)),
      clock_(std::move(clock)),
      cpu_(std::move(cpu)) {}

wire::Statistics Report::take() {
  const std::lock_guard lock(mutex_);
  const auto begin = clock_();
  wire::Statistics out;
  out.tick_ns = whole_nanoseconds(begin.time_since_epoch());
  out.wall_ns = whole_nanoseconds(std::chrono::system_clock::now().time_since_epoch());
  take_counters(out);
  take_database(out);
  take_cache(out);
  take_memory(out);
  take_families(out, begin);
  out.derived = derive(out.tickers);
  return out;
}

void Report::rehearse() {
  const std::string pinned(kPinned);
  const auto leave = [&](TimePoint until) {
    const std::lock_guard lock(mutex_);
    left_alone_[pinned] = until;
  };
  leave(TimePoint::max());
  static_cast<void>(take());
  leave(TimePoint::min());
}

void Report::take_counters(wire::Statistics& out) const {
  if (!statistics_) {
    out.left_out.emplace_back("tickers and histograms: the database has no Statistics");
    return;
  }
  const auto* const windowed = WindowedStatistics::from(statistics_.get());
  if (windowed != nullptr && windowed->shared_by_host()) {
    out.left_out.emplace_back(
        "tickers and histograms of this database alone: these are of all databases that the host "
        "has given the same Statistics");
  }
  const auto level = statistics_->get_stats_level();
  if (level <= rocksdb::StatsLevel::kExceptTickers) {
    out.left_out.emplace_back("tickers: the level of the Statistics turns them off");
  } else {
    for (const auto& [ticker, name] : tickers()) {
      out.tickers.emplace_hint(out.tickers.end(), name, statistics_->getTickerCount(ticker));
    }
  }
  if (level <= rocksdb::StatsLevel::kExceptHistogramOrTimers) {
    out.left_out.emplace_back("histograms: the level of the Statistics turns them off");
    return;
  }
  for (const auto& [type, name] : histograms()) {
    rocksdb::HistogramData data;
    statistics_->histogramData(type, &data);
    out.histograms.emplace_hint(out.histograms.end(), name, summary(data));
  }
}

void Report::take_database(wire::Statistics& out) {
  auto* const handle = db_->DefaultColumnFamily();
  for (const auto& name : properties()) {
    if (!is_of_database(name)) continue;
    std::uint64_t value = 0;
    wire::MapProperty entries;
    if (number(out, handle, name, value)) {
      out.properties.emplace(without_prefix(name), value);
    } else if (map(out, handle, name, entries)) {
      out.maps.emplace(without_prefix(name), std::move(entries));
    }
  }
}

void Report::take_cache(wire::Statistics& out) {
  if (!cache_) return;
  out.memory["block_cache_capacity_bytes"] = cache_->GetCapacity();
  out.memory["block_cache_usage_bytes"] = cache_->GetUsage();
  std::size_t pinned = 0;
  const auto read = [&] {
    pinned = cache_->GetPinnedUsage();
    return true;
  };
  if (measured(out, std::string(kPinned), read)) out.memory["block_cache_pinned_bytes"] = pinned;
  if (cache_->GetUsage() > kLargestCacheVisited) {
    out.left_out.emplace_back(
        "block-cache-entry-stats: RocksDB may visit every entry for it, and the cache holds more "
        "than 16 GiB");
    return;
  }
  wire::MapProperty entries;
  if (map(out, db_->DefaultColumnFamily(), std::string(kCacheEntries), entries)) {
    out.maps.emplace("block-cache-entry-stats", std::move(entries));
  }
}

// Sums over all column families, also those without a known handle.
void Report::take_memory(wire::Statistics& out) {
  constexpr std::pair<const char*, const char*> kParts[] = {
      {"memtables_bytes", "rocksdb.cur-size-all-mem-tables"},
      {"memtables_and_pinned_ones_bytes", "rocksdb.size-all-mem-tables"},
      {"table_readers_bytes", "rocksdb.estimate-table-readers-mem"}};
  for (const auto& [part, property] : kParts) {
    std::uint64_t value = 0;
    const bool known = measured(out, std::string("the sum of ") + property, [&, name = property] {
      return db_->GetAggregatedIntProperty(name, &value);
    });
    if (known) out.memory.emplace(part, value);
  }
}

void Report::take_families(wire::Statistics& out, TimePoint begin) {
  for (const auto& family : families_->all()) {
    if (clock_() - begin > kLongest) {
      out.left_out.push_back("column family '" + family->name() +
                             "': the time for one answer was used up");
      continue;
    }
    if (const auto used = family->use()) {
      out.column_families.push_back(take_family(out, family->name(), used.handle()));
    }
  }
}

wire::ColumnFamilyStatistics Report::take_family(wire::Statistics& out, const std::string& name,
                                                 rocksdb::ColumnFamilyHandle* handle) {
  wire::ColumnFamilyStatistics family;
  family.name = name;
  for (const auto& property : properties()) {
    if (is_of_database(property) || !is_asked(property)) continue;
    std::uint64_t value = 0;
    wire::MapProperty entries;
    if (number(out, handle, property, value)) {
      family.properties.emplace(without_prefix(property), value);
    } else if (map(out, handle, property, entries)) {
      if (property == rocksdb::DB::Properties::kCFStats) divide_by_level(entries, family.levels);
      family.maps.emplace(without_prefix(property), std::move(entries));
    }
  }
  return family;
}

bool Report::number(wire::Statistics& out, rocksdb::ColumnFamilyHandle* handle,
                    const std::string& name, std::uint64_t& value) {
  return measured(out, name, [&] { return db_->GetIntProperty(handle, name, &value); });
}

bool Report::map(wire::Statistics& out, rocksdb::ColumnFamilyHandle* handle,
                 const std::string& name, wire::MapProperty& entries) {
  return measured(out, name, [&] { return db_->GetMapProperty(handle, name, &entries); });
}

template <class Read>
bool Report::measured(wire::Statistics& out, const std::string& name, Read read) {
  const auto now = clock_();
  if (const auto it = left_alone_.find(name); it != left_alone_.end()) {
    if (now < it->second) {
      const std::string sentence = without_prefix(name) + ": took too long, and is left alone";
      if (std::ranges::find(out.left_out, sentence) == out.left_out.end()) {
        out.left_out.push_back(sentence);
      }
      return false;
    }
    left_alone_.erase(it);
  }
  const auto begin = cpu_();
  const bool known = read();
  if (cpu_() - begin > kLongestReading) left_alone_[name] = now + kPause;
  return known;
}

}  // namespace rocktune::agent
