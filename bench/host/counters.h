// What the host reads of its own database: counters and gauges, for the result. Plain values.
#pragma once

#include <cstdint>
#include <optional>

namespace rocktune::bench {

// Cumulative since the database was opened.
struct Counters {
  std::uint64_t stall_us = 0;            // ticker stall.micros: what writers waited, added up
  std::uint64_t user_bytes_written = 0;  // bytes.written
  std::uint64_t flush_bytes_written = 0;
  std::uint64_t compaction_bytes_written = 0;
  std::uint64_t compaction_bytes_read = 0;
  std::uint64_t cache_hits = 0;
  std::uint64_t cache_misses = 0;

  [[nodiscard]] Counters since(const Counters& older) const;
  void add(const Counters& other);
  // Source 003: (flush.write.bytes + compact.write.bytes) / bytes.written. Nothing when nothing
  // was written.
  [[nodiscard]] std::optional<double> write_amplification() const;
  [[nodiscard]] std::optional<double> cache_hit_ratio() const;  // nothing without look-ups
};

struct Gauges {
  std::uint64_t pending_compaction_bytes = 0;
  std::uint64_t l0_files = 0;
  std::uint64_t immutable_memtables = 0;
  std::uint64_t delayed_write_rate = 0;  // bytes/s; 0: not delayed
  bool write_stopped = false;
  std::uint64_t cache_usage_bytes = 0;
  // The knobs that a tuner may turn, as they are now.
  std::int64_t rate_limit_bytes_per_second = 0;  // 0: no limiter
  std::int64_t max_background_jobs = 0;
  std::int64_t cache_capacity_bytes = 0;
};

}  // namespace rocktune::bench
