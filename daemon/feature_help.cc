#include "daemon/feature_help.h"

#include <algorithm>
#include <array>

namespace rocktune::daemon {
namespace {

struct FeatureHelp {
  std::string_view feature, help;
};

constexpr std::array kFeatureHelp{
    FeatureHelp{"reads_per_second", "Keys read by Get and MultiGet."},
    FeatureHelp{"writes_per_second", "Keys written, updated or deleted."},
    FeatureHelp{"seeks_per_second", "Seeks of iterators."},
    FeatureHelp{"iterator_steps_per_second",
                "Steps of iterators to the next or previous key; counted as an iterator ends."},
    FeatureHelp{"user_write_bytes_per_second", "Bytes that the program wrote, keys and values."},
    FeatureHelp{"wal_bytes_per_second", "Bytes written to the write-ahead log."},
    FeatureHelp{"read_p50_us", "Median time of a Get or MultiGet call in the last poll interval."},
    FeatureHelp{"read_p99_us",
                "99th percentile of the time of a Get or MultiGet call in the last poll interval."},
    FeatureHelp{"read_mean_us", "Mean time of a Get or MultiGet call in the last poll interval."},
    FeatureHelp{"write_p50_us", "Median time of a write call in the last poll interval."},
    FeatureHelp{"write_p99_us",
                "99th percentile of the time of a write call in the last poll interval."},
    FeatureHelp{"write_mean_us", "Mean time of a write call in the last poll interval."},
    FeatureHelp{"stalled_ratio",
                "Time that writers were held back, all together, per second; at most 1."},
    FeatureHelp{"write_stopped", "1 while RocksDB, or its write buffer manager, stops writes."},
    FeatureHelp{"delayed_bytes_per_second",
                "What RocksDB lets writers write while it delays them; else absent."},
    FeatureHelp{"l0_files", "Files of level 0, of the column family nearest to its limit."},
    FeatureHelp{"l0_slowdown_files", "Files of level 0 from which on its writes are delayed."},
    FeatureHelp{"l0_stop_files", "Files of level 0 from which on its writes are stopped."},
    FeatureHelp{"l0_ratio", "Files of level 0 to those that delay writes."},
    FeatureHelp{"pending_bytes",
                "Bytes that compactions have to rewrite, of the column family nearest to its "
                "limit (RocksDB's estimate)."},
    FeatureHelp{"pending_soft_bytes", "Pending bytes from which on its writes are delayed."},
    FeatureHelp{"pending_hard_bytes", "Pending bytes from which on its writes are stopped."},
    FeatureHelp{
        "pending_ratio",
        "Pending bytes to those that delay writes or, with none, stop them; 0: nor do any."},
    FeatureHelp{"total_pending_bytes",
                "Bytes that compactions have to rewrite, of all column families that may compact."},
    FeatureHelp{"immutable_memtables",
                "Memtables that wait for their flush, of the column family nearest to its limit."},
    FeatureHelp{"max_write_buffers", "Its max_write_buffer_number."},
    FeatureHelp{"memtable_ratio", "Waiting memtables to that number."},
    FeatureHelp{"live_data_bytes", "RocksDB's estimate of the live data."},
    FeatureHelp{"total_sst_bytes", "All SST files."},
    FeatureHelp{"flush_bytes_per_second", "Bytes that flushes wrote."},
    FeatureHelp{"compaction_write_bytes_per_second", "Bytes that compactions wrote."},
    FeatureHelp{"compaction_read_bytes_per_second", "Bytes that compactions read."},
    FeatureHelp{"running_flushes", "Flushes that run."},
    FeatureHelp{"running_compactions", "Compactions that run."},
    FeatureHelp{"write_amplification",
                "Bytes that flushes and compactions wrote for each byte of the program, in the "
                "last poll interval."},
    FeatureHelp{"limiter_rate", "The rate limit of background I/O; absent where there is none."},
    FeatureHelp{"limiter_bytes_per_second", "What passed the rate limiter."},
    FeatureHelp{"limiter_use_ratio", "What passed it to its limit."},
    FeatureHelp{"limiter_limits_reads", "1: reads are held against it, too."},
    FeatureHelp{"cache_hit_ratio", "Block cache hits to all look-ups."},
    FeatureHelp{"cache_misses_per_second", "Block cache misses."},
    FeatureHelp{"cache_read_hit_ratio",
                "Block cache hits to look-ups of reads, without those of compactions."},
    FeatureHelp{"cache_capacity_bytes", "The block cache's capacity."},
    FeatureHelp{"cache_usage_bytes", "What is in the block cache."},
    FeatureHelp{"cache_fill_ratio", "What is in the block cache to its capacity."},
    FeatureHelp{"device_read_bytes_per_second", "Bytes that the device read, for all processes."},
    FeatureHelp{"device_write_bytes_per_second", "Bytes that the device wrote, for all processes."},
    FeatureHelp{"device_read_iops", "Reads that the device completed per second."},
    FeatureHelp{"device_write_iops", "Writes that the device completed per second."},
    FeatureHelp{"device_read_await_ms", "Mean time of a read of the device, with its wait."},
    FeatureHelp{"device_write_await_ms", "Mean time of a write of the device, with its wait."},
    FeatureHelp{"device_queue", "Mean number of requests in flight."},
    FeatureHelp{"device_busy_ratio",
                "Share of the time with a request in flight; of NVMe no sign of saturation."},
    FeatureHelp{"nvme_temperature_celsius", "The NVMe controller's temperature."},
    FeatureHelp{"nvme_wear_ratio", "Used part of the rated endurance; it may exceed 1."},
    FeatureHelp{"nvme_throttled_ratio", "Share of the time that the drive throttled for its heat."},
    FeatureHelp{"nvme_critical_warnings", "Bits set in the drive's critical warning."},
    FeatureHelp{"nvme_media_errors", "Media errors since the drive was made."},
    FeatureHelp{"device_write_amplification",
                "Flash writes to host writes over the drive's life, where it tells (OCP)."},
    FeatureHelp{"cpus", "CPUs that the process may be on at a time."},
    FeatureHelp{"cpu_quota", "CPUs that its control groups' quota allows; absent: no quota."},
    FeatureHelp{"cpu_busy_ratio", "Busy share of the machine's CPUs."},
    FeatureHelp{"cpu_iowait_ratio", "Share of the machine's CPUs' time that waits for I/O."},
    FeatureHelp{"process_cpu_cores", "CPUs that the process uses."},
    FeatureHelp{"cpu_pressure_ratio", "Share of the time that some task waits for a CPU (PSI)."},
    FeatureHelp{"io_pressure_ratio", "Share of the time that some task waits for I/O (PSI)."},
    FeatureHelp{"memory_pressure_ratio",
                "Share of the time that some task waits for memory (PSI)."},
    FeatureHelp{"memory_available_bytes", "Memory that the process may still take."},
    FeatureHelp{"memory_total_bytes", "Memory that the process may have in all."},
    FeatureHelp{"process_rss_bytes", "The process's resident memory."},
    FeatureHelp{"io_limit_use_ratio",
                "Largest used share of what the control group may read or write on the device; "
                "absent without a limit."},
};

}  // namespace

std::string_view feature_help(std::string_view feature) {
  const auto found = std::find_if(kFeatureHelp.begin(), kFeatureHelp.end(),
                                  [&](const auto& one) { return one.feature == feature; });
  return found == kFeatureHelp.end() ? std::string_view() : found->help;
}

}  // namespace rocktune::daemon
