#include "sim/calibrate/reads.h"

#include <algorithm>
#include <cmath>

#include "model/derive.h"
#include "sim/calibrate/least_squares.h"

namespace rocktune::sim {
namespace {

using derivation::growth;

// Fewer reads than this between two samples are an accident.
constexpr double kFewestReads = 20;
// Blocks of level 0 miss at first, and more often than this only by accident of a fit.
constexpr double kMostL0Misses = 2;
// Of the latencies, the fast end: a read that finds all in memory, a write that waits for nobody.
constexpr double kFastest = 0.1;
// What a misjudged quantile may not make of a read: the time of a look-up in memory.
constexpr double kLeastReadSeconds = 1e-6, kMostReadSeconds = 200e-6;
// Over so long around an interval misses are counted; fewer look-ups than that tell nothing.
constexpr double kMissesSeconds = 5, kFewestLookups = 100;

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
  const CacheUse use = cache_use(from, to);
  if (!reads || !(use.lookups > 0)) return;
  const double files = (l0_files(from) + l0_files(to)) / 2;
  const Sources sources(*reads, *reads * files, use.compaction_bytes);
  sums_.sources += sources * sources.transpose();
  sums_.lookups += sources * use.lookups;
  sums_.misses += sources * use.misses;
  sums_.reads += *reads;
  sums_.l0_files += *reads * files;
  sums_.cache_bytes += *reads * use.cache_bytes;
}

bool ReadCalibration::seen() const {
  return sums_.reads >= kFewestReads;
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
  if (!seen()) return laws;
  const Sources lookups = nonnegative_fit(sums_.sources, sums_.lookups);
  const Sources misses = nonnegative_fit(sums_.sources, sums_.misses);
  laws.lookups = lookups(0);
  laws.lookups_per_l0_file = lookups(1);
  laws.compaction_lookups = lookups(2);
  laws.compaction_misses = std::min(misses(2), lookups(2));
  if (lookups(0) > 0 && misses(0) > 0) {
    laws.miss_ratio = std::min(1.0, misses(0) / lookups(0));
    laws.l0_misses =
        lookups(1) > 0 ? std::min(misses(1) / lookups(1) / laws.miss_ratio, kMostL0Misses) : 1;
  } else if (const double files = sums_.l0_files / sums_.reads; lookups_per_read(laws, files) > 0) {
    laws.miss_ratio =
        std::min(1.0, (misses(0) + misses(1) * files) / lookups_per_read(laws, files));
  }
  if (const double bytes = sums_.cache_bytes / sums_.reads; bytes > 0) laws.cache_bytes = bytes;
  return laws;
}

CacheUse cache_use(const DatabaseReading& older, const DatabaseReading& newer) {
  const auto hits = growth(older.block_cache_hits, newer.block_cache_hits);
  const auto misses = growth(older.block_cache_misses, newer.block_cache_misses);
  if (!hits || !misses) return {};
  return {*hits + *misses, *misses,
          growth(older.compaction_bytes_read, newer.compaction_bytes_read).value_or(0),
          static_cast<double>(newer.cache_capacity_bytes.value_or(0)), l0_files(newer)};
}

void follow_misses(std::span<const CacheUse> uses, const ReadLaws& laws, DemandSeries& demand) {
  CacheUse sum;
  double weighed = 0;  // misses that the laws have for those look-ups
  double seconds = 0;  // that `sum` is of
  std::size_t begin = 0, end = 0;
  const auto add = [&](std::size_t i, double sign) {
    const CacheUse& use = uses[i];
    const double lookups =
        std::max(use.lookups - laws.compaction_lookups * use.compaction_bytes, 0.0);
    sum.lookups += sign * lookups;
    sum.misses += sign * std::max(use.misses - laws.compaction_misses * use.compaction_bytes, 0.0);
    const double all = lookups_per_read(laws, use.l0_files);
    const double missing = all > 0 ? missing_lookups_per_read(laws, use.l0_files) / all : 1;
    weighed += sign * lookups * missing * (lookups > 0 ? miss_ratio(laws, use.cache_bytes) : 0);
    seconds += sign * demand.seconds[i];
  };
  double last = 1;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    for (; end < uses.size() && (end <= i || seconds < kMissesSeconds); ++end) add(end, 1);
    for (; begin < i && seconds - demand.seconds[begin] >= kMissesSeconds; ++begin) add(begin, -1);
    if (sum.lookups >= kFewestLookups && weighed > 0) last = sum.misses / weighed;
    demand.arrivals[i].misses = last;
  }
}

}  // namespace rocktune::sim
