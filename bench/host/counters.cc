#include "bench/host/counters.h"

namespace rocktune::bench {

Counters Counters::since(const Counters& older) const {
  return {stall_us - older.stall_us,
          user_bytes_written - older.user_bytes_written,
          flush_bytes_written - older.flush_bytes_written,
          compaction_bytes_written - older.compaction_bytes_written,
          compaction_bytes_read - older.compaction_bytes_read,
          cache_hits - older.cache_hits,
          cache_misses - older.cache_misses};
}

void Counters::add(const Counters& other) {
  stall_us += other.stall_us;
  user_bytes_written += other.user_bytes_written;
  flush_bytes_written += other.flush_bytes_written;
  compaction_bytes_written += other.compaction_bytes_written;
  compaction_bytes_read += other.compaction_bytes_read;
  cache_hits += other.cache_hits;
  cache_misses += other.cache_misses;
}

std::optional<double> Counters::write_amplification() const {
  if (user_bytes_written == 0) return std::nullopt;
  return static_cast<double>(flush_bytes_written + compaction_bytes_written) /
         static_cast<double>(user_bytes_written);
}

std::optional<double> Counters::cache_hit_ratio() const {
  if (cache_hits + cache_misses == 0) return std::nullopt;
  return static_cast<double>(cache_hits) / static_cast<double>(cache_hits + cache_misses);
}

}  // namespace rocktune::bench
