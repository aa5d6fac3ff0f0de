#include "policy/memory.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/family_options.h"
#include "model/knobs.h"

namespace rocktune {
namespace {

// A device that has not been read for so long is gone.
constexpr double kLostDeviceSeconds = 15;
// Shares of all memory that are available.
constexpr double kMemoryShort = 0.05, kMemoryLow = 0.10, kMemoryAmple = 0.15;
constexpr double kAfterShortSeconds = 300;
constexpr double kPinnedRoom = 1.25;
constexpr double kLeastMissesPerRead = 0.05, kLeastMissesPerSecond = 100;

}  // namespace

void MemoryWatch::observe(const Features& f) {
  pressure_.note(f.at.tick, f.memory_pressure_ratio);
  free_.note(f.at.tick, free_memory(f));
  const bool known = f.memory_available_bytes && f.memory_total_bytes;
  const auto less_than = [&](double share) {
    return known && *f.memory_available_bytes < share * *f.memory_total_bytes;
  };
  const bool waits =
      pressure().value_or(0) >= kMemoryPressure && (!known || less_than(kMemoryAmple));
  short_ = waits || less_than(kMemoryShort);
  if (short_) short_at_ = f.at.tick;
  const bool lately = short_at_ && seconds_between(*short_at_, f.at.tick) < kAfterShortSeconds;
  low_ = waits || less_than(kMemoryLow) || lately;
}

namespace {

// What write buffers and cache were made larger by, and have not filled yet.
double unfilled_bytes(const Features& f) {
  const MemoryUse use = memory_use(f);
  double memtables = 0;
  for (const ColumnFamilyReading& family : f.column_families) {
    memtables += static_cast<double>(family.all_memtables_bytes.value_or(0));
  }
  const auto unfilled = [](double now, double found, double used) {
    return std::max(0.0, now - std::max(found, used));
  };
  return unfilled(use.write_buffers, use.found_buffers, memtables) +
         unfilled(use.cache, use.found_cache, f.cache_usage_bytes.value_or(use.cache));
}

}  // namespace

Value free_memory(const Features& f) {
  if (!f.memory_available_bytes) return std::nullopt;
  return *f.memory_available_bytes - unfilled_bytes(f);
}

double spare_memory(const Features& f, const Value& free) {
  const double bytes = std::max(0.0, free.value_or(0));
  if (!f.memory_total_bytes) return bytes;
  const double members = f.shared ? static_cast<double>(f.shared->host_members.value_or(1)) : 1;
  return std::max(0.0, bytes - kMemoryLow * *f.memory_total_bytes) / std::max(1.0, members);
}

Value reads_and_seeks(const Features& f) {
  if (!f.reads_per_second) return std::nullopt;
  return *f.reads_per_second + f.seeks_per_second.value_or(0);
}

Value ReadMisses::look(const Features& f) {
  const bool lost = !f.device_read_iops && device_seen_ &&
                    seconds_between(*device_seen_, f.at.tick) < kLostDeviceSeconds;
  if (f.device_read_iops) device_seen_ = f.at.tick;
  if (lost || !f.cache_misses_per_second) return std::nullopt;
  if (f.device_read_iops) return std::min(*f.cache_misses_per_second, *f.device_read_iops);
  const bool may_be_compactions =
      f.cache_hit_ratio && f.compaction_read_bytes_per_second && !f.cache_read_hit_ratio;
  return may_be_compactions ? std::nullopt : f.cache_misses_per_second;
}

std::vector<Driver> miss_evidence(const Features& f) {
  std::vector<Driver> out;
  auto add = [&out](const char* name, const Value& value) {
    if (value) out.push_back({name, *value});
  };
  add("cache_misses_per_second", f.cache_misses_per_second);
  add("device_read_iops", f.device_read_iops);
  return out;
}

bool is_read(const Features& features) {
  return reads_and_seeks(features).value_or(0) >= kLeastOperationsPerSecond ||
         features.iterator_steps_per_second.value_or(0) >= kLeastStepsPerSecond;
}

bool misses_cost_reads(double misses, double reads) {
  return reads > 0 && misses >= kLeastMissesPerRead * reads && misses >= kLeastMissesPerSecond;
}

std::size_t other_caches(const KnobReadings& knobs) {
  return static_cast<std::size_t>(std::ranges::count_if(knobs, [](const KnobReading& one) {
    return one.name == knob::kCacheCapacity && !one.column_family.empty();
  }));
}

bool cache_is_short(const Features& f, const Value& misses, const Value& reads_and_seeks) {
  const bool missed = f.cache_fill_ratio.value_or(0) >= kCacheFull &&
                      misses_cost_reads(misses.value_or(0), reads_and_seeks.value_or(0));
  if (!missed || other_caches(f.knobs) == 0) return missed;
  const KnobReading* cache = f.knobs.find(knob::kCacheCapacity, "");
  return cache != nullptr && cache->value < cache->found;
}

double left_of_budget(const Features& f, const Budget& budget) {
  const MemoryUse use = memory_use(f);
  return memory_budget(budget, use) - use.total();
}

double cache_fills_by(double cache_bytes) {
  constexpr double kShare = 0.02, kMost = 64 << 20;
  return std::min(kShare * cache_bytes, kMost);
}

std::int64_t whole_bytes(double bytes) {
  using Limits = std::numeric_limits<std::int64_t>;
  constexpr double kEnd = 9223372036854775808.0;  // 2^63, which no value reaches
  if (!std::isfinite(bytes)) return 0;
  if (bytes >= kEnd) return Limits::max();
  return bytes <= -kEnd ? Limits::min() : static_cast<std::int64_t>(bytes);
}

MemoryUse memory_use(const KnobReadings& knobs, const std::vector<ColumnFamilyReading>& families,
                     const Value& buffer_limit) {
  MemoryUse use;
  for (const KnobReading& reading : knobs) {
    if (reading.name == knob::kCacheCapacity) {
      use.cache += static_cast<double>(reading.value);
      use.found_cache += static_cast<double>(reading.found);
    } else if (reading.name == knob::kWriteBufferSize) {
      const KnobReading* number = knobs.find(knob::kWriteBuffers, reading.column_family);
      if (number == nullptr) continue;
      use.write_buffers += static_cast<double>(reading.value) * static_cast<double>(number->value);
      use.found_buffers += static_cast<double>(reading.found) * static_cast<double>(number->found);
    }
  }
  const ColumnFamilyReading opened = opened_default(families, knobs);
  for (const ColumnFamilyReading& family : families) {
    if (knobs.find(knob::kWriteBufferSize, family.name) != nullptr) continue;
    const ColumnFamilyReading& options = options_unread(family) ? opened : family;
    const double bytes = static_cast<double>(options.write_buffer_bytes.value_or(0)) *
                         static_cast<double>(options.max_write_buffer_number.value_or(0));
    use.write_buffers += bytes;
    use.found_buffers += bytes;
  }
  use.limit_buffers(buffer_limit);
  return use;
}

void MemoryUse::limit_buffers(const Value& limit) {
  if (limit.value_or(0) <= 0) return;
  write_buffers = std::min(write_buffers, *limit);
  found_buffers = std::min(found_buffers, *limit);
}

MemoryUse memory_use(const Features& features) {
  return memory_use(features.knobs, features.column_families, features.write_buffer_limit_bytes);
}

std::int64_t least_cache(const KnobReading& cache, const Features& features) {
  return whole_bytes(std::max(kLeastCacheShare * static_cast<double>(cache.found),
                              kPinnedRoom * features.cache_pinned_bytes.value_or(0)));
}

std::int64_t least_write_buffer(const KnobReading& size) {
  return std::max(find_knob(knob::kWriteBufferSize)->min, size.min);
}

double memory_budget(const Budget& budget, const MemoryUse& use) {
  if (budget.memory_max) return static_cast<double>(budget.memory_max->value);
  return use.found_cache + use.found_buffers;
}

}  // namespace rocktune
