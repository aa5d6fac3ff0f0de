#include "sim/calibrate/reads.h"

#include <algorithm>

#include "model/derive.h"

namespace rocktune::sim {
namespace {

using derivation::growth;

// Fewer reads than this between two samples are an accident.
constexpr double kFewestReads = 20;
// Of the latencies, the fast end: a read that finds all in memory, a write that waits for nobody.
constexpr double kFastest = 0.1;
// What a misjudged quantile may not make of a read: the time of a look-up in memory.
constexpr double kLeastReadSeconds = 1e-6, kMostReadSeconds = 200e-6;

double l0_files(const DatabaseReading& database) {
  double files = 0, families = 0;
  for (const ColumnFamilyReading& family : database.column_families) {
    if (family.levels.empty()) continue;
    files += static_cast<double>(family.levels.front().files);
    ++families;
  }
  return families > 0 ? files / families : 0;
}

}  // namespace

void ReadCalibration::update(const Sample& older, const Sample& newer) {
  const DatabaseReading& from = *older.database;
  const DatabaseReading& to = *newer.database;
  if (from.read_latency && to.read_latency) {
    const auto reads = growth(from.keys_read, to.keys_read).value_or(0);
    if (const Value us = interval_quantile_us(*from.read_latency, *to.read_latency, kFastest)) {
      sums_.read_us += *us * reads;
      sums_.timed_reads += reads;
    }
  }
  if (from.write_latency && to.write_latency) {
    const auto writes = growth(from.keys_written, to.keys_written).value_or(0);
    if (const Value us = interval_quantile_us(*from.write_latency, *to.write_latency, kFastest)) {
      sums_.write_us += *us * writes;
      sums_.timed_writes += writes;
    }
  }
  const auto reads = growth(from.keys_read, to.keys_read);
  const auto hits = growth(from.block_cache_hits, to.block_cache_hits);
  const auto misses = growth(from.block_cache_misses, to.block_cache_misses);
  if (!reads || !hits || !misses || *reads < kFewestReads) return;
  const double x = (l0_files(from) + l0_files(to)) / 2;
  const double lookups = *hits + *misses;
  sums_.reads += *reads;
  sums_.x += *reads * x;
  sums_.xx += *reads * x * x;
  sums_.y += lookups;
  sums_.xy += lookups * x;
  sums_.lookups += lookups;
  sums_.misses += *misses;
  sums_.cache_bytes += *reads * static_cast<double>(to.cache_capacity_bytes.value_or(0));
}

ReadLaws ReadCalibration::laws() const {
  ReadLaws laws;
  if (sums_.timed_reads > 0) {
    laws.read_seconds =
        std::clamp(sums_.read_us / sums_.timed_reads / 1e6, kLeastReadSeconds, kMostReadSeconds);
  }
  if (sums_.timed_writes > 0) {
    laws.write_seconds =
        std::clamp(sums_.write_us / sums_.timed_writes / 1e6, kLeastReadSeconds, kMostReadSeconds);
  }
  if (!(sums_.reads > 0)) return laws;
  const double mean_x = sums_.x / sums_.reads;
  const double mean_y = sums_.y / sums_.reads;
  const double variance = sums_.xx / sums_.reads - mean_x * mean_x;
  const double covariance = sums_.xy / sums_.reads - mean_x * mean_y;
  // More files never make fewer look-ups, and the first look-up needs none.
  double slope = variance > 1e-6 ? std::max(covariance / variance, 0.0) : 0;
  if (mean_x > 0) slope = std::min(slope, mean_y / mean_x);
  laws.lookups_per_l0_file = slope;
  laws.lookups = std::max(mean_y - slope * mean_x, 0.0);
  if (sums_.lookups > 0) laws.miss_ratio = sums_.misses / sums_.lookups;
  if (const double bytes = sums_.cache_bytes / sums_.reads; bytes > 0) laws.cache_bytes = bytes;
  return laws;
}

}  // namespace rocktune::sim
