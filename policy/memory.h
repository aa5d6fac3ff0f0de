// What the block cache and the write buffers of a database take at their fullest, and may take: one
// budget, so that either can grow where the other shrinks. Pure; internal to policy/.
//
// Write buffers count as write_buffer_size * max_write_buffer_number of every column family, all
// together up to the limit of a write buffer manager; a cache that several column families share
// stands in the sample once. And whether the host has memory to spare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/features.h"
#include "model/indicators.h"
#include "model/objective.h"
#include "model/sample.h"
#include "model/trend.h"

namespace rocktune {

struct MemoryUse {
  double cache = 0, write_buffers = 0;        // bytes, as the knobs stand
  double found_cache = 0, found_buffers = 0;  // ...and as they were found
  [[nodiscard]] double total() const { return cache + write_buffers; }
  // Write buffers take no more at once than the write buffer manager's limit, where it has one (0:
  // none).
  void limit_buffers(const Value& limit);
};

// Of column families without a reading of these knobs what `families` say counts, as found.
MemoryUse memory_use(const KnobReadings& knobs,
                     const std::vector<ColumnFamilyReading>& families = {},
                     const Value& buffer_limit = {});
MemoryUse memory_use(const Features& features);

// The least that write_buffer_size may be set to; it may have been found smaller.
std::int64_t least_write_buffer(const KnobReading& size);

// From this share of it on a cache is full: an emptier one does not need to grow.
inline constexpr double kCacheFull = 0.95;

inline constexpr double kLeastCacheShare = 0.25;  // of the cache found: no loop takes more of it

// The least that a cache is made by any loop: that share, and room for what is pinned in it, below
// which all other blocks go as soon as they are read.
std::int64_t least_cache(const KnobReading& cache, const Features& features);

inline constexpr double kMemoryPressure = 0.10;  // a share of the time that is too much

// The machine's memory. Short: less than 5% is available, or tasks wait for it (for pages of files,
// too: that counts where less than 15% is available). Low: less than 10%, or it was short within
// five minutes; there is none to spare.
class MemoryWatch {
 public:
  void observe(const Features& features);  // once per sample

  [[nodiscard]] bool is_short() const { return short_; }
  [[nodiscard]] bool is_low() const { return low_; }
  // What was free at the least moment of the last two minutes: write buffers come and go.
  [[nodiscard]] Value least_free() const { return free_.smallest(kFreeSeconds); }
  // Share of the time that tasks waited for memory, mean of 5 s.
  [[nodiscard]] Value pressure() const { return pressure_.mean(5); }

 private:
  static constexpr double kFreeSeconds = 120;
  Trend pressure_{Trend::Jumps::kKeep, 0, 5};
  Trend free_{Trend::Jumps::kKeep, 0, kFreeSeconds};
  std::optional<Nanoseconds> short_at_;
  bool short_ = false, low_ = false;
};

// What is available, less what the database's own write buffers and cache were made larger by and
// have not filled yet.
Value free_memory(const Features& features);

// Bytes that one of the databases on the host may take before memory is low, of what is `free`; all
// of that where the total is not known.
double spare_memory(const Features& features, const Value& free);

// budget.memory_max, or what was found.
double memory_budget(const Budget& budget, const MemoryUse& use);

Value reads_and_seeks(const Features& features);  // per second; absent without reads

// Fewer operations than these, as of a health check, have no P99 that anybody waits for.
inline constexpr double kLeastOperationsPerSecond = 10;

// From so many steps of iterators on it is read from, though few reads begin: five scans a second
// of 100,000 rows each are five seeks. A health check that looks through a range takes some
// hundred.
inline constexpr double kLeastStepsPerSecond = 1000;

// Whether it is read from at all, now.
bool is_read(const Features& features);

// Misses of the block cache that reads wait for, per second: an upper bound of them. What
// compactions look up in vain is among the misses of RocksDB's statistics (on a busy tree the
// larger part), and their readahead serves that with few reads; the page cache serves others. So
// they are no more than the device's reads, compactions' included, where those are known; else
// those of samples count in which compactions have no part of note. A sample or some without the
// device's reads say nothing: all misses would be another quantity.
class ReadMisses {
 public:
  Value look(const Features& features);  // once per sample

 private:
  std::optional<Nanoseconds> device_seen_;
};

// All misses, and what the device reads: for the reasons of a proposal.
std::vector<Driver> miss_evidence(const Features& features);

// Whether misses of the block cache are what reads pay for. By reads and seeks, not by look-ups:
// most of those are for filters and indexes, which are hit nearly always.
bool misses_cost_reads(double misses_per_second, double reads_and_seeks_per_second);

// Caches of column families that brought one of their own. Of caches a sample tells what is in the
// default column family's alone, and what all of them miss together: where there are others nobody
// can tell whose misses these are.
std::size_t other_caches(const KnobReadings& knobs);

// Whether the cache is too small for its reads: it is full, and its misses are what they pay for
// (means of some seconds, per second). Beside others that is known of none; but what was made
// smaller than it was found is to come back.
bool cache_is_short(const Features& features, const Value& misses, const Value& reads_and_seeks);

// A cache that grows by less tells nothing of what more would gain.
inline constexpr double kLeastCacheGrowth = 1.05;

// What write buffers and cache leave of the budget, or of what was found.
double left_of_budget(const Features& features, const Budget& budget);

// As an integer, without overflow.
std::int64_t whole_bytes(double bytes);

// A cache of this size fills as long as it gets so many bytes more within each minute: a fiftieth,
// or what one file of RocksDB's default size holds, which a large one may take no more than.
inline constexpr double kCacheFillsSeconds = 60;
double cache_fills_by(double cache_bytes);

}  // namespace rocktune
