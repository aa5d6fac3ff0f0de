// Features of the database as a whole: foreground, background work, limiter and cache.
#include <algorithm>

#include "model/cache_lookups.h"
#include "model/derive.h"
#include "model/knobs.h"

namespace rocktune::derivation {
namespace {

// What compactions read at a time, at least: the kernel's readahead (read_ahead_kb, 128 by default;
// RocksDB's own is 2 MiB).
constexpr double kLeastCompactionRead = 128 << 10;

IntervalLatency latency(const std::optional<LatencyHistogram>& older,
                        const std::optional<LatencyHistogram>& newer, HistogramForm form) {
  if (!older || !newer) return {};
  return form == HistogramForm::kSincePrevious ? interval_latency(*newer)
                                               : interval_latency(*older, *newer);
}

// Of Get and MultiGet together: each call counts once. RocksDB's histograms have the same buckets.
std::optional<LatencyHistogram> of_reads(const DatabaseReading& reading) {
  const std::optional<LatencyHistogram>&gets = reading.read_latency,
        &multigets = reading.multiget_latency;
  if (!gets || !multigets) return gets ? gets : multigets;
  LatencyHistogram both;
  both.sum_us = gets->sum_us + multigets->sum_us;
  auto one = gets->buckets.begin(), other = multigets->buckets.begin();
  while (one != gets->buckets.end() || other != multigets->buckets.end()) {
    const bool first = other == multigets->buckets.end() ||
                       (one != gets->buckets.end() && one->lower_us <= other->lower_us);
    LatencyHistogram::Bucket next = first ? *one++ : *other++;
    if (first && other != multigets->buckets.end() && other->lower_us == next.lower_us) {
      next.count += (other++)->count;
    }
    both.buckets.push_back(next);
  }
  return both;
}

IntervalLatency read_latency(const DatabaseReading& older, const DatabaseReading& newer,
                             HistogramForm form) {
  // Most databases have no MultiGet: nothing is copied for those.
  const auto& multigets = newer.multiget_latency;
  if (!multigets || multigets->buckets.empty()) {
    return latency(older.read_latency, newer.read_latency, form);
  }
  return latency(of_reads(older), of_reads(newer), form);
}

Value sum(const Value& a, const Value& b) {
  return a && b ? finite(*a + *b) : std::nullopt;
}

void fill_foreground(const DatabaseReading& older, const DatabaseReading& newer, HistogramForm form,
                     double seconds, Features& out) {
  out.reads_per_second = rate(older.keys_read, newer.keys_read, seconds);
  out.writes_per_second = rate(older.keys_written, newer.keys_written, seconds);
  out.seeks_per_second = rate(older.seeks, newer.seeks, seconds);
  out.iterator_steps_per_second = rate(older.iterator_steps, newer.iterator_steps, seconds);
  out.user_write_bytes_per_second =
      rate(older.user_bytes_written, newer.user_bytes_written, seconds);
  out.wal_bytes_per_second = rate(older.wal_bytes, newer.wal_bytes, seconds);
  const IntervalLatency reads = read_latency(older, newer, form);
  out.read_p50_us = reads.p50_us;
  out.read_p99_us = reads.p99_us;
  out.read_mean_us = reads.mean_us;
  const IntervalLatency writes = latency(older.write_latency, newer.write_latency, form);
  out.write_p50_us = writes.p50_us;
  out.write_p99_us = writes.p99_us;
  out.write_mean_us = writes.mean_us;
  Value stalled_us_per_second = rate(older.stall_us, newer.stall_us, seconds);
  if (stalled_us_per_second) out.stalled_ratio = at_most(*stalled_us_per_second / 1e6, 1);
}

void fill_background(const DatabaseReading& older, const DatabaseReading& newer, double seconds,
                     Features& out) {
  Value flushed = growth(older.flush_bytes_written, newer.flush_bytes_written);
  Value compacted = growth(older.compaction_bytes_written, newer.compaction_bytes_written);
  out.flush_bytes_per_second = per_second(flushed, seconds);
  out.compaction_write_bytes_per_second = per_second(compacted, seconds);
  out.compaction_read_bytes_per_second =
      rate(older.compaction_bytes_read, newer.compaction_bytes_read, seconds);
  out.write_amplification =
      ratio(sum(flushed, compacted), growth(older.user_bytes_written, newer.user_bytes_written));
  out.limiter_bytes_per_second =
      rate(older.limiter_bytes_through, newer.limiter_bytes_through, seconds);
  out.limiter_use_ratio = ratio(out.limiter_bytes_per_second, out.limiter_rate);
}

}  // namespace

void fill_database_gauges(const DatabaseReading& newer, Features& out) {
  out.write_stopped = gauge(newer.write_stopped);
  out.write_buffer_stall = gauge(newer.write_buffer_stall);
  out.write_buffer_limit_bytes = gauge(newer.write_buffer_limit_bytes);
  if (newer.delayed_write_rate && *newer.delayed_write_rate > 0) {
    out.delayed_bytes_per_second = gauge(newer.delayed_write_rate);
  }
  out.limiter_limits_reads = gauge(newer.limiter_limits_reads);
  out.running_flushes = gauge(newer.running_flushes);
  out.running_compactions = gauge(newer.running_compactions);
  out.cache_capacity_bytes = gauge(newer.cache_capacity_bytes);
  out.cache_usage_bytes = gauge(newer.cache_usage_bytes);
  out.cache_pinned_bytes = gauge(newer.cache_pinned_bytes);
  out.cache_fill_ratio = ratio(out.cache_usage_bytes, out.cache_capacity_bytes);
}

void fill_limiter(const Sample& newer, Features& out) {
  const KnobReading* reading = newer.knobs.find(knob::kRateLimit, "");
  const bool limits =
      reading != nullptr && reading->value > 0 && reading->value < kUnlimitedBytesPerSecond;
  if (limits) out.limiter_rate = static_cast<double>(reading->value);
}

void fill_database_rates(const DatabaseReading& older, const DatabaseReading& newer,
                         HistogramForm form, double seconds, Features& out) {
  fill_foreground(older, newer, form, seconds, out);
  fill_background(older, newer, seconds, out);
  Value hits = growth(older.block_cache_hits, newer.block_cache_hits);
  Value misses = growth(older.block_cache_misses, newer.block_cache_misses);
  out.cache_hit_ratio = ratio(hits, sum(hits, misses));
  out.cache_misses_per_second = per_second(misses, seconds);
}

// Misses that reads wait for are no more than the device's reads, where those are known: the page
// cache serves others, and readahead serves compactions with few.
void fill_cache_read_hits(const DatabaseReading& older, const DatabaseReading& newer,
                          Features& out) {
  const Value hits =
      per_second(growth(older.block_cache_hits, newer.block_cache_hits), out.interval_seconds);
  const Value &misses = out.cache_misses_per_second, &device = out.device_read_iops;
  const Value& compacted = out.compaction_read_bytes_per_second;
  if (!hits || !misses || !compacted) return;
  const bool by_device = device && *device < *misses;
  const double waited_for = by_device ? *device : *misses;
  const double of_compactions = *compacted / (by_device ? kLeastCompactionRead : kLeastBlock);
  const double lookups = *hits + waited_for;
  if (compactions_hide_reads(of_compactions, waited_for, lookups)) return;
  out.cache_read_hit_ratio = ratio(hits, lookups);
}

}  // namespace rocktune::derivation
