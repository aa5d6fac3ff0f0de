// Sample: what was read at one moment from one database and the machine under it.
//
// Raw cumulative counters and gauges only; anything computed from them is a Feature. Every field
// is optional: absent means "could not be read", which is not zero. Counters are cumulative since
// the database was opened (or the machine booted); an `incarnation` that differs from the sample
// before means that they began anew. A Sample is written to the trace before it is used.
//
// Each reading lists its fields once, in visit_fields(): the trace's columns, its reader and the
// tests all follow from that list. Plain data, no invariants; safe to copy between threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/clock.h"
#include "model/knob_readings.h"

namespace rocktune {

using Counter = std::optional<std::uint64_t>;  // cumulative, or a gauge that cannot be negative

// Cumulative latency distribution. A bucket counts values in [lower_us, upper_us); rising order,
// empty buckets left out.
struct LatencyHistogram {
  struct Bucket {
    std::uint64_t lower_us = 0;
    std::uint64_t upper_us = 0;
    std::uint64_t count = 0;
    bool operator==(const Bucket&) const = default;
  };
  std::vector<Bucket> buckets;
  std::uint64_t sum_us = 0;
  bool operator==(const LatencyHistogram&) const = default;
};

struct LevelReading {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  bool operator==(const LevelReading&) const = default;
};

struct ColumnFamilyReading {
  std::string name;
  std::vector<LevelReading> levels;  // index = level; empty = not read
  Counter active_memtable_bytes;
  Counter all_memtables_bytes;
  Counter immutable_memtables;
  Counter memtable_flush_pending;  // 0 or 1
  Counter compaction_pending;      // 0 or 1
  Counter pending_compaction_bytes;
  Counter live_data_bytes;
  // The running compactions that have files of level 0 among their inputs, together. L0 shrinks
  // only when one of them ends.
  Counter l0_compaction_input_files;   // of level 0; 0 = none is running
  Counter l0_compaction_input_bytes;   // of all their inputs, the other level's included
  Counter l0_compaction_output_bytes;  // of the tables that they have finished so far
  Counter l0_compaction_age_ms;        // since the oldest of them began; 0 = none is running
  // The running compactions that read no file of level 0: of the oldest.
  Counter deep_compaction_level;   // the level that it takes files out of; 0 = none is running
  Counter deep_compaction_age_ms;  // 0 = none is running
  // Those that have ended since the database was opened, so that the times between two samples are
  // known exactly, however many ended between them.
  Counter flushes;
  Counter last_flush_age_ms;           // gauge: since the last of them ended; absent: none has
  Counter l0_compactions;              // out of level 0; those that only move files left out
  Counter l0_compactions_ms;           // ... how long they took, in sum
  Counter l0_compactions_input_bytes;  // ... what they read
  // ... and of that, what was not merged to make level 0 or a level smaller: ingested files of
  // level 0, and what compactions for another reason read beside level 0. Absent: not told apart.
  Counter l0_compactions_other_bytes;
  Counter deep_compactions;  // the others, those that only move files among them
  Counter deep_compactions_ms;
  // Options that decide when this column family stalls.
  Counter write_buffer_bytes;
  Counter max_write_buffer_number;
  Counter level0_compaction_trigger;
  Counter level0_slowdown_trigger;
  Counter level0_stop_trigger;
  Counter soft_pending_limit_bytes;
  Counter hard_pending_limit_bytes;
  Counter target_file_bytes;
  Counter max_bytes_for_level_base_bytes;
  Counter max_bytes_for_level_multiplier;  // rounded
  Counter dynamic_level_bytes;             // 0 or 1
  Counter leveled_compaction;              // 0 or 1: no other compaction style

  bool operator==(const ColumnFamilyReading&) const = default;

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("active_memtable_bytes", self.active_memtable_bytes);
    visit("all_memtables_bytes", self.all_memtables_bytes);
    visit("immutable_memtables", self.immutable_memtables);
    visit("memtable_flush_pending", self.memtable_flush_pending);
    visit("compaction_pending", self.compaction_pending);
    visit("pending_compaction_bytes", self.pending_compaction_bytes);
    visit("live_data_bytes", self.live_data_bytes);
    visit("l0_compaction_input_files", self.l0_compaction_input_files);
    visit("l0_compaction_input_bytes", self.l0_compaction_input_bytes);
    visit("l0_compaction_output_bytes", self.l0_compaction_output_bytes);
    visit("l0_compaction_age_ms", self.l0_compaction_age_ms);
    visit("deep_compaction_level", self.deep_compaction_level);
    visit("deep_compaction_age_ms", self.deep_compaction_age_ms);
    visit("flushes", self.flushes);
    visit("last_flush_age_ms", self.last_flush_age_ms);
    visit("l0_compactions", self.l0_compactions);
    visit("l0_compactions_ms", self.l0_compactions_ms);
    visit("l0_compactions_input_bytes", self.l0_compactions_input_bytes);
    visit("l0_compactions_other_bytes", self.l0_compactions_other_bytes);
    visit("deep_compactions", self.deep_compactions);
    visit("deep_compactions_ms", self.deep_compactions_ms);
    visit("write_buffer_bytes", self.write_buffer_bytes);
    visit("max_write_buffer_number", self.max_write_buffer_number);
    visit("level0_compaction_trigger", self.level0_compaction_trigger);
    visit("level0_slowdown_trigger", self.level0_slowdown_trigger);
    visit("level0_stop_trigger", self.level0_stop_trigger);
    visit("soft_pending_limit_bytes", self.soft_pending_limit_bytes);
    visit("hard_pending_limit_bytes", self.hard_pending_limit_bytes);
    visit("target_file_bytes", self.target_file_bytes);
    visit("max_bytes_for_level_base_bytes", self.max_bytes_for_level_base_bytes);
    visit("max_bytes_for_level_multiplier", self.max_bytes_for_level_multiplier);
    visit("dynamic_level_bytes", self.dynamic_level_bytes);
    visit("leveled_compaction", self.leveled_compaction);
  }
};

// What the agent read of one database.
struct DatabaseReading {
  Nanoseconds agent_tick{0};  // when the agent took it (same monotonic clock as Sample::at)
  std::uint64_t agent_sequence = 0;
  Counter user_bytes_written;        // ticker bytes.written
  Counter user_bytes_read;           // ticker bytes.read
  Counter wal_bytes;                 // ticker wal.bytes
  Counter wal_syncs;                 // ticker wal.synced
  Counter flush_bytes_written;       // ticker flush.write.bytes
  Counter compaction_bytes_read;     // ticker compact.read.bytes
  Counter compaction_bytes_written;  // ticker compact.write.bytes
  Counter keys_read;                 // tickers number.keys.read and number.multiget.keys.read
  Counter keys_written;              // ticker number.keys.written
  Counter seeks;                     // ticker number.db.seek
  Counter
      iterator_steps;  // tickers number.db.next and .prev: Next() and Prev(), at iterators' ends
  Counter block_cache_hits;    // ticker block.cache.hit
  Counter block_cache_misses;  // ticker block.cache.miss
  Counter bloom_useful;        // ticker bloom.filter.useful
  Counter stall_us;            // ticker stall.micros
  Counter running_flushes;     // gauges from here on
  Counter running_compactions;
  Counter delayed_write_rate;  // actual-delayed-write-rate, bytes/s; 0 = not delayed
  Counter write_stopped;  // 0 or 1: is-write-stopped, or the write buffer manager stalls writers
  // Of the write buffer manager (db_write_buffer_size, or the host's own), which several databases
  // may share; absent: it has no limit. What it stalls RocksDB counts as no stall.
  Counter write_buffer_limit_bytes;
  Counter write_buffer_stall;  // 0 or 1
  Counter cache_capacity_bytes;
  Counter cache_usage_bytes;
  Counter cache_pinned_bytes;
  Counter limiter_bytes_through;                  // counter: total bytes that passed the limiter
  Counter limiter_requests;                       // counter
  Counter limiter_limits_reads;                   // gauge, 0 or 1: reads are held against it, too
  std::optional<LatencyHistogram> read_latency;   // DB_GET
  std::optional<LatencyHistogram> write_latency;  // DB_WRITE
  std::optional<LatencyHistogram> seek_latency;
  std::optional<LatencyHistogram> multiget_latency;
  std::optional<LatencyHistogram> write_stall;  // WRITE_STALL
  std::vector<ColumnFamilyReading> column_families;

  bool operator==(const DatabaseReading&) const = default;

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("user_bytes_written", self.user_bytes_written);
    visit("user_bytes_read", self.user_bytes_read);
    visit("wal_bytes", self.wal_bytes);
    visit("wal_syncs", self.wal_syncs);
    visit("flush_bytes_written", self.flush_bytes_written);
    visit("compaction_bytes_read", self.compaction_bytes_read);
    visit("compaction_bytes_written", self.compaction_bytes_written);
    visit("keys_read", self.keys_read);
    visit("keys_written", self.keys_written);
    visit("seeks", self.seeks);
    visit("iterator_steps", self.iterator_steps);
    visit("block_cache_hits", self.block_cache_hits);
    visit("block_cache_misses", self.block_cache_misses);
    visit("bloom_useful", self.bloom_useful);
    visit("stall_us", self.stall_us);
    visit("running_flushes", self.running_flushes);
    visit("running_compactions", self.running_compactions);
    visit("delayed_write_rate", self.delayed_write_rate);
    visit("write_stopped", self.write_stopped);
    visit("write_buffer_limit_bytes", self.write_buffer_limit_bytes);
    visit("write_buffer_stall", self.write_buffer_stall);
    visit("cache_capacity_bytes", self.cache_capacity_bytes);
    visit("cache_usage_bytes", self.cache_usage_bytes);
    visit("cache_pinned_bytes", self.cache_pinned_bytes);
    visit("limiter_bytes_through", self.limiter_bytes_through);
    visit("limiter_requests", self.limiter_requests);
    visit("limiter_limits_reads", self.limiter_limits_reads);
  }
  template <class Self, class Visit>
  static void visit_histograms(Self& self, Visit&& visit) {
    visit("read_latency", self.read_latency);
    visit("write_latency", self.write_latency);
    visit("seek_latency", self.seek_latency);
    visit("multiget_latency", self.multiget_latency);
    visit("write_stall", self.write_stall);
  }
};

// /sys/block/<name>/stat (Documentation/block/stat.rst): sectors are 512 bytes.
struct DeviceReading {
  std::string name;  // the device whose saturation counts: "nvme0n1", "loop3"
  Counter read_ios, read_merges, read_sectors, read_ms;
  Counter write_ios, write_merges, write_sectors, write_ms;
  Counter in_flight;  // gauge
  Counter busy_ms;    // ticks with any request in flight: not saturation on NVMe
  Counter queue_ms;   // weighted by the queue's length

  bool operator==(const DeviceReading&) const = default;

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("read_ios", self.read_ios);
    visit("read_merges", self.read_merges);
    visit("read_sectors", self.read_sectors);
    visit("read_ms", self.read_ms);
    visit("write_ios", self.write_ios);
    visit("write_merges", self.write_merges);
    visit("write_sectors", self.write_sectors);
    visit("write_ms", self.write_ms);
    visit("in_flight", self.in_flight);
    visit("busy_ms", self.busy_ms);
    visit("queue_ms", self.queue_ms);
  }
};

// The SMART / Health page of the NVMe controller under the device (NVM Express base specification,
// log page 02h), and of the vendor's page of the OCP's datacenter drives (C0h) what it adds. Read
// at most once a minute: the samples between carry the last reading.
struct NvmeReading {
  Counter critical_warning;    // bits: 1 spare low, 2 temperature, 4 unreliable, 8 read-only, ...
  Counter temperature_kelvin;  // gauge
  Counter spare_percent;       // gauge
  Counter used_percent;        // of the rated endurance; may exceed 100
  Counter data_units_read;     // of 512,000 bytes, by the host
  Counter data_units_written;  // of 512,000 bytes, by the host
  Counter media_errors;        // counter
  Counter warning_minutes;     // at or above the warning temperature
  Counter critical_minutes;    // at or above the critical one
  Counter throttle_count;      // transitions into either state of thermal management
  Counter throttle_seconds;    // in either of them
  Counter throttle_seconds_before;  // what the reading before this one said
  Counter period_ms;                // between the two; absent: there was none
  Counter media_bytes_written;      // on flash; from the OCP page

  bool operator==(const NvmeReading&) const = default;

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("critical_warning", self.critical_warning);
    visit("temperature_kelvin", self.temperature_kelvin);
    visit("spare_percent", self.spare_percent);
    visit("used_percent", self.used_percent);
    visit("data_units_read", self.data_units_read);
    visit("data_units_written", self.data_units_written);
    visit("media_errors", self.media_errors);
    visit("warning_minutes", self.warning_minutes);
    visit("critical_minutes", self.critical_minutes);
    visit("throttle_count", self.throttle_count);
    visit("throttle_seconds", self.throttle_seconds);
    visit("throttle_seconds_before", self.throttle_seconds_before);
    visit("period_ms", self.period_ms);
    visit("media_bytes_written", self.media_bytes_written);
  }
};

// The host, the process's cgroup and the process itself.
struct HostReading {
  // /proc/pressure, totals in microseconds; the cgroup's own files where it has them.
  Counter cpu_pressure_some_us, io_pressure_some_us, io_pressure_full_us;
  Counter memory_pressure_some_us, memory_pressure_full_us;
  Counter cpus;  // that the process's threads may be on at a time: affinity and quota, rounded up
  Counter cpu_quota_millis;            // thousandths of a CPU; absent: no quota
  Counter cpu_busy_us, cpu_iowait_us;  // whole machine, summed over CPUs
  Counter cpu_idle_us;
  Counter memory_total_bytes;  // the smaller of machine and cgroup limit
  Counter memory_available_bytes;
  Counter process_cpu_us;
  Counter process_rss_bytes;
  Counter process_read_bytes, process_write_bytes;  // /proc/<pid>/io: reached the block layer
  // What the process's control group may do on the database's device, a second (gauges; absent: no
  // limit), and what it has done.
  Counter io_read_bytes_limit, io_write_bytes_limit, io_reads_limit, io_writes_limit;
  Counter io_read_bytes, io_write_bytes, io_reads, io_writes;

  bool operator==(const HostReading&) const = default;

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("cpu_pressure_some_us", self.cpu_pressure_some_us);
    visit("io_pressure_some_us", self.io_pressure_some_us);
    visit("io_pressure_full_us", self.io_pressure_full_us);
    visit("memory_pressure_some_us", self.memory_pressure_some_us);
    visit("memory_pressure_full_us", self.memory_pressure_full_us);
    visit("cpus", self.cpus);
    visit("cpu_quota_millis", self.cpu_quota_millis);
    visit("cpu_busy_us", self.cpu_busy_us);
    visit("cpu_iowait_us", self.cpu_iowait_us);
    visit("cpu_idle_us", self.cpu_idle_us);
    visit("memory_total_bytes", self.memory_total_bytes);
    visit("memory_available_bytes", self.memory_available_bytes);
    visit("process_cpu_us", self.process_cpu_us);
    visit("process_rss_bytes", self.process_rss_bytes);
    visit("process_read_bytes", self.process_read_bytes);
    visit("process_write_bytes", self.process_write_bytes);
    visit("io_read_bytes_limit", self.io_read_bytes_limit);
    visit("io_write_bytes_limit", self.io_write_bytes_limit);
    visit("io_reads_limit", self.io_reads_limit);
    visit("io_writes_limit", self.io_writes_limit);
    visit("io_read_bytes", self.io_read_bytes);
    visit("io_write_bytes", self.io_write_bytes);
    visit("io_reads", self.io_reads);
    visit("io_writes", self.io_writes);
  }
};

// What this database may take, at this moment, of what several share: its slices, as the daemon has
// divided the budgets by need and weight (policy/sharing.h). Not read but decided before the sample
// was taken, and part of it all the same, so that a replay decides within the same limits. Absent
// where nothing is shared.
struct SharedBudget {
  Counter host_members;    // databases that share jobs and memory, this one included
  Counter device_members;  // databases on the same device, this one included
  Counter jobs_max;
  Counter memory_max_bytes;                 // block cache and write buffers together
  Counter background_max_bytes_per_second;  // the highest rate limit; absent: none for now
  // The largest single write of flushes and compactions that the reads of others on the device
  // bear; absent: nobody's reads were seen to wait for larger ones.
  Counter write_size_max_bytes;
  // Reads on the device wait for what is written at once: flushes and compactions keep to nearly
  // what they write, or to this rate where they write less; absent: nobody's reads do.
  Counter smooth_from_bytes_per_second;

  bool operator==(const SharedBudget&) const = default;

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("host_members", self.host_members);
    visit("device_members", self.device_members);
    visit("jobs_max", self.jobs_max);
    visit("memory_max_bytes", self.memory_max_bytes);
    visit("background_max_bytes_per_second", self.background_max_bytes_per_second);
    visit("write_size_max_bytes", self.write_size_max_bytes);
    visit("smooth_from_bytes_per_second", self.smooth_from_bytes_per_second);
  }
};

// How a source did in this sample. `error` is empty when it was read.
struct SourceHealth {
  std::string source;  // "agent", "device", "host", "nvme" (where the device is one)
  std::string error;
  bool operator==(const SourceHealth&) const = default;
};

struct Sample {
  Instant at;                  // when the poll that made it was due and began
  std::uint64_t sequence = 0;  // per target, rises by one with every due poll, read or not
  std::string incarnation;     // agent instance and database id: another one after each open
  std::vector<SourceHealth> health;
  std::optional<DatabaseReading> database;
  std::optional<DeviceReading> device;
  std::optional<NvmeReading> nvme;
  std::optional<HostReading> host;
  std::optional<SharedBudget> shared;  // only where several databases share
  KnobReadings knobs;
  bool operator==(const Sample&) const = default;
};

}  // namespace rocktune
