// Samples for tests, as an agent would give them: time and counters are moved by hand.
#pragma once

#include <cstdint>
#include <string>

#include "model/knobs.h"
#include "model/sample.h"

namespace rocktune::test {

inline Nanoseconds at_seconds(double seconds) {
  return std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(seconds));
}

inline constexpr std::uint64_t kMiB = 1 << 20;

// A quiet database with one column family, RocksDB's default limits, a device and a host.
inline Sample quiet_sample(std::uint64_t sequence = 1, double seconds = 100) {
  Sample sample;
  sample.at = {at_seconds(1.7e9 + seconds), at_seconds(seconds)};
  sample.sequence = sequence;
  sample.incarnation = "agent-1/db-1";
  DatabaseReading& db = sample.database.emplace();
  db.agent_tick = sample.at.tick;
  db.agent_sequence = sequence;
  DatabaseReading::visit_fields(db, [](const char*, Counter& counter) { counter = 0; });
  DatabaseReading::visit_histograms(
      db, [](const char*, std::optional<LatencyHistogram>& histogram) { histogram.emplace(); });
  db.cache_capacity_bytes = 256 * kMiB;
  ColumnFamilyReading& family = db.column_families.emplace_back();
  family.name = "default";
  ColumnFamilyReading::visit_fields(family, [](const char*, Counter& counter) { counter = 0; });
  family.leveled_compaction = 1;
  family.levels = {{0, 0}, {4, 256 * kMiB}};
  family.max_write_buffer_number = 2;
  family.write_buffer_bytes = 64 * kMiB;
  family.level0_compaction_trigger = 4;
  family.level0_slowdown_trigger = 20;
  family.level0_stop_trigger = 36;
  family.soft_pending_limit_bytes = 64 * 1024 * kMiB;
  family.hard_pending_limit_bytes = 256 * 1024 * kMiB;
  DeviceReading& device = sample.device.emplace();
  device.name = "nvme0n1";
  DeviceReading::visit_fields(device, [](const char*, Counter& counter) { counter = 0; });
  HostReading& host = sample.host.emplace();
  HostReading::visit_fields(host, [](const char*, Counter& counter) { counter = 0; });
  host.cpus = 4;
  host.cpu_quota_millis.reset();
  host.memory_total_bytes = 16 * 1024 * kMiB;
  host.memory_available_bytes = 8 * 1024 * kMiB;
  return sample;
}

// The next poll, half a second later, with the same counters.
inline Sample next_sample(const Sample& before, double seconds = 0.5) {
  Sample sample = before;
  Nanoseconds step = at_seconds(seconds);
  sample.at = {before.at.wall + step, before.at.tick + step};
  ++sample.sequence;
  if (sample.database) {
    sample.database->agent_tick += step;
    ++sample.database->agent_sequence;
  }
  return sample;
}

inline KnobReading knob_reading(std::string_view name, std::int64_t value, std::int64_t found,
                                std::int64_t min, std::int64_t max) {
  KnobReading reading;
  reading.name = name;
  reading.value = value;
  reading.found = found;
  reading.owner = value == found ? KnobOwner::kFound : KnobOwner::kRocktune;
  reading.changeable = true;
  reading.min = min;
  reading.max = max;
  return reading;
}

inline KnobReading limiter_knob(std::int64_t value, std::int64_t found = kUnlimitedBytesPerSecond) {
  return knob_reading(knob::kRateLimit, value, found, 1 << 20, kUnlimitedBytesPerSecond);
}
inline KnobReading jobs_knob(std::int64_t value, std::int64_t found = 2) {
  return knob_reading(knob::kBackgroundJobs, value, found, 1, 64);
}
inline KnobReading cache_knob(std::int64_t value, std::int64_t found) {
  return knob_reading(knob::kCacheCapacity, value, found, 1 << 20, std::int64_t{1} << 42);
}

}  // namespace rocktune::test
