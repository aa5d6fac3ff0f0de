#include "sim/sampler.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "sim/knobs.h"

namespace rocktune::sim {
namespace {

std::uint64_t whole_amount(double value) {
  return value > 0 ? static_cast<std::uint64_t>(value) : 0;
}

std::uint64_t milliseconds(double seconds) {
  return whole_amount(seconds * 1000);
}

void read_levels(const Tree& tree, double file_bytes, ColumnFamilyReading& reading) {
  reading.levels.resize(tree.levels());
  reading.levels[0] = {tree.l0_files(), whole_amount(tree.level_bytes(0))};
  for (std::size_t level = 1; level < tree.levels(); ++level) {
    const std::uint64_t bytes = whole_amount(tree.level_bytes(level));
    const auto files = whole_amount(static_cast<double>(bytes) / file_bytes);
    reading.levels[level] = {files + (bytes > 0 && files == 0 ? 1 : 0), bytes};
  }
}

void read_options(const FamilyOptions& options, ColumnFamilyReading& reading) {
  const auto& shape = options.tree.shape;
  reading.write_buffer_bytes = whole_amount(options.write_buffer_bytes);
  reading.max_write_buffer_number = static_cast<std::uint64_t>(options.limits.write_buffers);
  reading.level0_compaction_trigger = shape.level0_compaction_trigger;
  reading.level0_slowdown_trigger = static_cast<std::uint64_t>(options.limits.l0_slowdown_files);
  reading.level0_stop_trigger = static_cast<std::uint64_t>(options.limits.l0_stop_files);
  reading.soft_pending_limit_bytes = options.limits.soft_pending_bytes;
  reading.hard_pending_limit_bytes = options.limits.hard_pending_bytes;
  reading.target_file_bytes = whole_amount(options.tree.target_file_bytes);
  reading.max_bytes_for_level_base_bytes = shape.max_bytes_for_level_base;
  reading.max_bytes_for_level_multiplier = whole_amount(shape.max_bytes_for_level_multiplier + 0.5);
  reading.dynamic_level_bytes = shape.dynamic_level_bytes ? 1 : 0;
  reading.leveled_compaction = 1;
}

// Of the running compactions of one family; they lie in the order in which they began.
void read_running(const Plant& plant, std::size_t family, ColumnFamilyReading& reading) {
  reading.l0_compaction_input_files = reading.l0_compaction_input_bytes = 0;
  reading.l0_compaction_output_bytes = reading.l0_compaction_age_ms = 0;
  reading.deep_compaction_level = reading.deep_compaction_age_ms = 0;
  for (const RunningCompaction& one : plant.running_compactions()) {
    if (one.family != family) continue;
    const std::uint64_t age = milliseconds(plant.totals().seconds - one.began_at);
    if (one.what.level > 0) {
      if (*reading.deep_compaction_level > 0) continue;
      reading.deep_compaction_level = one.what.level;
      reading.deep_compaction_age_ms = age;
      continue;
    }
    if (*reading.l0_compaction_input_files == 0) reading.l0_compaction_age_ms = age;
    *reading.l0_compaction_input_files += one.what.files;
    *reading.l0_compaction_input_bytes += whole_amount(one.what.input_bytes());
    const double read = one.what.trivial ? 0 : one.what.input_bytes() - one.left;
    *reading.l0_compaction_output_bytes += whole_amount(read * one.written_ratio);
  }
}

ColumnFamilyReading read_family(const Plant& plant, std::size_t index) {
  const Tree& tree = plant.tree(index);
  const FamilyOptions& options = plant.options().families[index];
  const FamilyTotals& totals = plant.family_totals(index);
  ColumnFamilyReading reading;
  reading.name = family_name(index);
  read_levels(tree, options.tree.target_file_bytes, reading);
  read_options(options, reading);
  read_running(plant, index, reading);
  const auto immutable = static_cast<std::uint64_t>(plant.immutable_memtables(index));
  reading.active_memtable_bytes =
      whole_amount(plant.active_bytes(index) / plant.laws().memtable_fill);
  reading.all_memtables_bytes = whole_amount(plant.memtable_bytes(index));
  reading.immutable_memtables = immutable;
  reading.memtable_flush_pending = immutable > 0 && plant.running_flushes() == 0 ? 1 : 0;
  reading.pending_compaction_bytes = tree.debt_bytes();
  reading.compaction_pending = *reading.pending_compaction_bytes > 0 ? 1 : 0;
  reading.flushes = totals.flushes;
  if (totals.last_flush_at) {
    reading.last_flush_age_ms = milliseconds(plant.totals().seconds - *totals.last_flush_at);
  }
  reading.l0_compactions = totals.l0_compactions;
  reading.l0_compactions_ms = milliseconds(totals.l0_seconds);
  reading.l0_compactions_input_bytes = whole_amount(totals.l0_input_bytes);
  reading.deep_compactions = totals.deep_compactions;
  reading.deep_compactions_ms = milliseconds(totals.deep_seconds);
  return reading;
}

}  // namespace

DatabaseReading read_database(const Plant& plant, Nanoseconds tick) {
  const Totals& totals = plant.totals();
  DatabaseReading reading;
  reading.agent_tick = tick;
  reading.user_bytes_written = whole_amount(totals.user_bytes_written);
  reading.wal_bytes = reading.user_bytes_written;
  reading.keys_written = whole_amount(totals.keys_written);
  reading.keys_read = whole_amount(totals.keys_read);
  reading.block_cache_hits = whole_amount(totals.cache_hits);
  reading.block_cache_misses = whole_amount(totals.cache_misses);
  reading.cache_capacity_bytes = whole_amount(plant.options().cache_bytes);
  reading.cache_usage_bytes = whole_amount(plant.cached_bytes());
  reading.stall_us = whole_amount(totals.writers_seconds * 1e6);
  reading.read_latency = plant.read_latency().served.histogram();
  reading.write_latency = plant.write_latency().served.histogram();
  reading.flush_bytes_written = whole_amount(totals.flush_bytes_written);
  reading.compaction_bytes_read = whole_amount(totals.compaction_bytes_read);
  reading.compaction_bytes_written = whole_amount(totals.compaction_bytes_written);
  reading.limiter_bytes_through =
      whole_amount(totals.compaction_bytes_written + totals.flush_bytes_written);
  reading.running_flushes = plant.running_flushes();
  reading.running_compactions = plant.running_compactions().size();
  const WriteState state = plant.write_state();
  reading.delayed_write_rate = state == WriteState::kDelayed ? plant.delayed_rate() : 0;
  reading.write_stopped = state == WriteState::kStopped ? 1 : 0;
  reading.column_families.reserve(plant.families());
  for (std::size_t i = 0; i < plant.families(); ++i) {
    reading.column_families.push_back(read_family(plant, i));
  }
  return reading;
}

namespace {

constexpr double kSectorBytes = 512;

DeviceReading read_device(const Host& host) {
  const DeviceTotals& totals = host.device_totals();
  DeviceReading reading;
  reading.name = "simulated";
  reading.read_ios = whole_amount(totals.read_requests);
  reading.read_merges = reading.write_merges = 0;
  reading.read_sectors = whole_amount(totals.read_bytes / kSectorBytes);
  reading.read_ms = milliseconds(totals.read_seconds);
  reading.write_ios = whole_amount(totals.write_requests);
  reading.write_sectors = whole_amount(totals.write_bytes / kSectorBytes);
  reading.write_ms = milliseconds(totals.write_seconds);
  reading.in_flight = whole_amount(host.queue() + 0.5);
  reading.busy_ms = milliseconds(totals.busy_seconds);
  reading.queue_ms = *reading.read_ms + *reading.write_ms;
  return reading;
}

// Each database is in a process of its own.
HostReading read_host(const Host& host, const Plant& plant) {
  HostReading reading;
  const double seconds = host.seconds();
  const double busy = std::min(host.cpu_seconds(), seconds * host.laws().cpus);
  reading.cpus = std::max<std::uint64_t>(1, whole_amount(host.laws().cpus));
  reading.cpu_busy_us = reading.process_cpu_us = whole_amount(busy * 1e6);
  reading.cpu_idle_us = whole_amount((seconds * host.laws().cpus - busy) * 1e6);
  reading.cpu_iowait_us = 0;
  if (const auto available = host.memory_available()) {
    reading.memory_total_bytes = whole_amount(host.laws().memory->total_bytes);
    reading.memory_available_bytes = whole_amount(*available);
    reading.process_rss_bytes = whole_amount(plant.memory_bytes());
  }
  return reading;
}

}  // namespace

Sampler::Sampler(const Host& host, std::size_t plant)
    : plant_(plant),
      found_(host.plant(plant).options()),
      options_(found_),
      knobs_(read_knobs(options_, found_)) {}

void Sampler::close() {
  if (read_) ++reopenings_;
  read_ = false;
}

Sample Sampler::next(const Host& host) {
  read_ = true;
  const Plant& plant = host.plant(plant_);
  const auto passed =
      std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(host.seconds()));
  Sample sample;
  sample.at = {kBegin + passed, kBegin + passed};
  sample.sequence = ++sequence_;
  sample.incarnation = "simulated/" + std::to_string(plant_);
  if (reopenings_ > 0) sample.incarnation += "/" + std::to_string(reopenings_);
  sample.health = {{"agent", ""}, {"device", ""}, {"host", ""}};
  sample.database = read_database(plant, sample.at.tick);
  sample.database->agent_sequence = sequence_;
  if (host.laws().device) sample.device = read_device(host);
  sample.host = read_host(host, plant);
  if (options_ != plant.options()) {
    options_ = plant.options();
    knobs_ = read_knobs(options_, found_);
  }
  sample.knobs = knobs_;
  return sample;
}

}  // namespace rocktune::sim
