// Features: what two samples of one target say about the time between them. Pure.
//
// derive() handles what live counters do: a counter that runs backwards (reset), an incarnation
// that changed (reopened), a gap (missed polls): the affected rates are absent, never negative or
// absurd. Gauges come from the newer sample alone. Every number is finite or absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/sample.h"

namespace rocktune {

using Value = std::optional<double>;

struct Features {
  Instant at;
  std::uint64_t sequence = 0;
  double interval_seconds = 0;     // between the two database readings; 0 when there is no pair
  bool fresh = false;              // the newer sample has a database reading
  bool reset = false;              // another incarnation than before: histories must begin anew
  std::uint64_t missed_polls = 0;  // due polls between the two samples that gave no pair: rates
                                   // then are means over the whole gap

  // Foreground
  Value reads_per_second, writes_per_second, seeks_per_second;
  Value iterator_steps_per_second;  // RocksDB counts an iterator's steps as it is destroyed
  Value user_write_bytes_per_second, wal_bytes_per_second;
  Value read_p50_us, read_p99_us, read_mean_us;
  Value write_p50_us, write_p99_us, write_mean_us;
  Value stalled_ratio;  // stall time per second of wall time, summed over writers, capped at 1
  Value write_stopped;  // 0 or 1
  Value delayed_bytes_per_second;  // present only while RocksDB delays writes
  // Of the write buffer manager: 0 or 1, and its limit. No features of models and evidence.
  Value write_buffer_stall, write_buffer_limit_bytes;

  // LSM shape: the column family that is worst off counts, since any one stalls the database
  std::string l0_column_family;
  Value l0_files, l0_slowdown_files, l0_stop_files;
  Value l0_ratio;  // l0_files / slowdown trigger, largest over column families
  std::string pending_column_family;
  Value pending_bytes, pending_soft_bytes, pending_hard_bytes;
  Value pending_ratio;        // pending / soft limit, or hard one where that is 0; 0 if both are
  Value total_pending_bytes;  // of all column families that may compact: the work that waits
  std::string memtable_column_family;
  Value immutable_memtables, max_write_buffers;
  Value memtable_ratio;  // immutables / (max_write_buffer_number), largest
  Value live_data_bytes, total_sst_bytes;

  // Background work
  Value flush_bytes_per_second, compaction_write_bytes_per_second, compaction_read_bytes_per_second;
  Value running_flushes, running_compactions;
  Value write_amplification;  // (flush + compaction writes) / user writes, source 003's formula
  Value limiter_rate;         // bytes/s; absent when unlimited or when there is no limiter
  Value limiter_bytes_per_second;  // what passed it
  Value limiter_use_ratio;         // passed / rate; absent when unlimited
  Value limiter_limits_reads;      // 0 or 1: reads pass it, too

  // Cache
  Value cache_hit_ratio, cache_misses_per_second;
  // Of what reads look up, without what compactions look up in vain: hits / (hits + misses that
  // reads wait for). Absent where compactions may have too large a part of those misses.
  Value cache_read_hit_ratio;
  Value cache_capacity_bytes, cache_usage_bytes, cache_fill_ratio;
  Value cache_pinned_bytes;  // no feature of models and evidence: what a cache cannot give up

  // Device
  Value device_read_bytes_per_second, device_write_bytes_per_second;
  Value device_read_iops, device_write_iops;
  Value device_read_await_ms, device_write_await_ms;
  Value device_queue;       // mean requests in flight (Little)
  Value device_busy_ratio;  // %util / 100: not saturation on NVMe
  // Of the NVMe controller's health, as of its last reading (up to a minute ago)
  Value nvme_temperature_celsius;
  Value nvme_wear_ratio;       // of the rated endurance; may exceed 1
  Value nvme_throttled_ratio;  // share of the time between the last two readings, for its heat
  Value nvme_critical_warnings, nvme_media_errors;  // bits set; since the drive was made
  Value device_write_amplification;  // flash / host writes, over the drive's life; OCP drives tell

  // Host
  Value cpus, cpu_quota, cpu_busy_ratio, cpu_iowait_ratio, process_cpu_cores;
  Value cpu_pressure_ratio, io_pressure_ratio, memory_pressure_ratio;  // PSI some, share of time
  Value memory_available_bytes, memory_total_bytes, process_rss_bytes;
  // Of what the control group may read or write, in bytes or requests, on the device: the largest
  // share. 1: requests wait there, unseen by the device. Absent: it has no limit.
  Value io_limit_use_ratio;

  KnobReadings knobs;                                // as read in the newer sample
  std::optional<SharedBudget> shared;                // as decided for the newer sample
  Nanoseconds read_at{0};                            // when the agent took it
  std::vector<ColumnFamilyReading> column_families;  // as read in the newer sample

  // Every Value by name, for evidence, tables and metrics; visited in declaration order.
  template <class Self, class Visit>
  static void visit_values(Self& self, Visit&& visit) {
    visit("reads_per_second", self.reads_per_second);
    visit("writes_per_second", self.writes_per_second);
    visit("seeks_per_second", self.seeks_per_second);
    visit("iterator_steps_per_second", self.iterator_steps_per_second);
    visit("user_write_bytes_per_second", self.user_write_bytes_per_second);
    visit("wal_bytes_per_second", self.wal_bytes_per_second);
    visit("read_p50_us", self.read_p50_us);
    visit("read_p99_us", self.read_p99_us);
    visit("read_mean_us", self.read_mean_us);
    visit("write_p50_us", self.write_p50_us);
    visit("write_p99_us", self.write_p99_us);
    visit("write_mean_us", self.write_mean_us);
    visit("stalled_ratio", self.stalled_ratio);
    visit("write_stopped", self.write_stopped);
    visit("delayed_bytes_per_second", self.delayed_bytes_per_second);
    visit("l0_files", self.l0_files);
    visit("l0_slowdown_files", self.l0_slowdown_files);
    visit("l0_stop_files", self.l0_stop_files);
    visit("l0_ratio", self.l0_ratio);
    visit("pending_bytes", self.pending_bytes);
    visit("pending_soft_bytes", self.pending_soft_bytes);
    visit("pending_hard_bytes", self.pending_hard_bytes);
    visit("pending_ratio", self.pending_ratio);
    visit("total_pending_bytes", self.total_pending_bytes);
    visit("immutable_memtables", self.immutable_memtables);
    visit("max_write_buffers", self.max_write_buffers);
    visit("memtable_ratio", self.memtable_ratio);
    visit("live_data_bytes", self.live_data_bytes);
    visit("total_sst_bytes", self.total_sst_bytes);
    visit("flush_bytes_per_second", self.flush_bytes_per_second);
    visit("compaction_write_bytes_per_second", self.compaction_write_bytes_per_second);
    visit("compaction_read_bytes_per_second", self.compaction_read_bytes_per_second);
    visit("running_flushes", self.running_flushes);
    visit("running_compactions", self.running_compactions);
    visit("write_amplification", self.write_amplification);
    visit("limiter_rate", self.limiter_rate);
    visit("limiter_bytes_per_second", self.limiter_bytes_per_second);
    visit("limiter_use_ratio", self.limiter_use_ratio);
    visit("limiter_limits_reads", self.limiter_limits_reads);
    visit("cache_hit_ratio", self.cache_hit_ratio);
    visit("cache_misses_per_second", self.cache_misses_per_second);
    visit("cache_read_hit_ratio", self.cache_read_hit_ratio);
    visit("cache_capacity_bytes", self.cache_capacity_bytes);
    visit("cache_usage_bytes", self.cache_usage_bytes);
    visit("cache_fill_ratio", self.cache_fill_ratio);
    visit("device_read_bytes_per_second", self.device_read_bytes_per_second);
    visit("device_write_bytes_per_second", self.device_write_bytes_per_second);
    visit("device_read_iops", self.device_read_iops);
    visit("device_write_iops", self.device_write_iops);
    visit("device_read_await_ms", self.device_read_await_ms);
    visit("device_write_await_ms", self.device_write_await_ms);
    visit("device_queue", self.device_queue);
    visit("device_busy_ratio", self.device_busy_ratio);
    visit("nvme_temperature_celsius", self.nvme_temperature_celsius);
    visit("nvme_wear_ratio", self.nvme_wear_ratio);
    visit("nvme_throttled_ratio", self.nvme_throttled_ratio);
    visit("nvme_critical_warnings", self.nvme_critical_warnings);
    visit("nvme_media_errors", self.nvme_media_errors);
    visit("device_write_amplification", self.device_write_amplification);
    visit("cpus", self.cpus);
    visit("cpu_quota", self.cpu_quota);
    visit("cpu_busy_ratio", self.cpu_busy_ratio);
    visit("cpu_iowait_ratio", self.cpu_iowait_ratio);
    visit("process_cpu_cores", self.process_cpu_cores);
    visit("cpu_pressure_ratio", self.cpu_pressure_ratio);
    visit("io_pressure_ratio", self.io_pressure_ratio);
    visit("memory_pressure_ratio", self.memory_pressure_ratio);
    visit("memory_available_bytes", self.memory_available_bytes);
    visit("memory_total_bytes", self.memory_total_bytes);
    visit("process_rss_bytes", self.process_rss_bytes);
    visit("io_limit_use_ratio", self.io_limit_use_ratio);
  }
};

// `older` may be null (first sample): then gauges only.
Features derive(const Sample* older, const Sample& newer);

// What RocksDB holds against level 0's triggers: files, of universal compaction sorted runs.
double level0_count(const ColumnFamilyReading& family);

// The p-quantile (0 < p < 1) in microseconds of what was counted between two cumulative
// histograms, interpolated within its bucket; absent when nothing was counted or a count fell.
Value interval_quantile_us(const LatencyHistogram& older, const LatencyHistogram& newer, double p);
Value interval_mean_us(const LatencyHistogram& older, const LatencyHistogram& newer);

}  // namespace rocktune
