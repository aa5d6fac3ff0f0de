#include "tests/unit/advice/recording.h"

#include <algorithm>
#include <chrono>

#include "tests/support/catch.h"

namespace rocktune::advice {
namespace {

ColumnFamilyReading healthy_family() {
  ColumnFamilyReading f;
  f.name = "default";
  f.levels = {{2, 64 * kMiBytes}, {4, 256 * kMiBytes}, {40, 2560 * kMiBytes}, {}, {}, {}, {}};
  f.active_memtable_bytes = f.all_memtables_bytes = kMiBytes;
  f.immutable_memtables = 0;
  f.pending_compaction_bytes = 0;
  f.live_data_bytes = 2700 * kMiBytes;
  f.l0_compaction_input_files = 0;
  f.flushes = f.l0_compactions = f.l0_compactions_ms = f.l0_compactions_input_bytes = 0;
  f.deep_compactions = f.deep_compactions_ms = 0;
  f.write_buffer_bytes = 64 * kMiBytes;
  f.max_write_buffer_number = 2;
  f.level0_compaction_trigger = 4;
  f.level0_slowdown_trigger = 20;
  f.level0_stop_trigger = 36;
  f.soft_pending_limit_bytes = 64ull << 30;
  f.hard_pending_limit_bytes = 256ull << 30;
  f.target_file_bytes = 64 * kMiBytes;
  f.max_bytes_for_level_base_bytes = 256 * kMiBytes;
  f.max_bytes_for_level_multiplier = 10;
  f.dynamic_level_bytes = 0;
  f.leveled_compaction = 1;
  return f;
}

DatabaseReading healthy_database() {
  DatabaseReading d;
  d.agent_tick = std::chrono::seconds(1000);
  d.user_bytes_written = d.user_bytes_read = d.wal_bytes = d.flush_bytes_written = 0;
  d.compaction_bytes_read = d.compaction_bytes_written = d.keys_read = d.keys_written = 0;
  d.seeks = d.block_cache_hits = d.block_cache_misses = d.bloom_useful = d.stall_us = 0;
  d.running_flushes = d.running_compactions = d.delayed_write_rate = d.write_stopped = 0;
  d.cache_capacity_bytes = 512 * kMiBytes;
  d.cache_usage_bytes = 500 * kMiBytes;
  d.limiter_bytes_through = d.limiter_requests = 0;
  d.read_latency = d.write_latency = LatencyHistogram{};
  d.column_families = {healthy_family()};
  return d;
}

KnobReading knob(const std::string& name, std::int64_t value) {
  return {name, "", value, value, KnobOwner::kFound, true, "", 1, value * 100};
}

void add(Counter& counter, double amount) {
  if (counter) counter = *counter + static_cast<std::uint64_t>(amount);
}

LatencyHistogram histogram(const std::map<std::uint64_t, std::uint64_t>& counts) {
  LatencyHistogram out;
  for (const auto& [us, count] : counts) {
    out.buckets.push_back({us, us + 1, count});
    out.sum_us += us * count;
  }
  return out;
}

// Whole events of a rate below one a second.
std::uint64_t whole(double& due, double more) {
  due += more;
  const auto out = static_cast<std::uint64_t>(due);
  due -= static_cast<double>(out);
  return out;
}

}  // namespace

Recording::Recording() {
  sample.at = {std::chrono::hours(24 * 365 * 50), std::chrono::seconds(1000)};
  sample.sequence = 1;
  sample.incarnation = "one/1";
  sample.database = healthy_database();
  sample.device = DeviceReading{};
  sample.device->name = "nvme0n1";
  DeviceReading::visit_fields(*sample.device, [](const char*, Counter& field) { field = 0; });
  sample.host = HostReading{};
  HostReading::visit_fields(*sample.host, [](const char*, Counter& field) { field = 0; });
  sample.host->cpus = 8;
  sample.host->memory_total_bytes = 32ull << 30;
  sample.host->memory_available_bytes = 16ull << 30;
  sample.knobs = {knob("rate_limiter_bytes_per_second", 200 << 20), knob("max_background_jobs", 4),
                  knob("max_subcompactions", 1), knob("delayed_write_rate", 16 << 20)};
}

void Recording::step() {
  using std::chrono::seconds;
  sample.at.wall += seconds(1);
  sample.at.tick += seconds(1);
  ++sample.sequence;
  if (!sample.database) return;
  DatabaseReading& d = *sample.database;
  d.agent_tick += seconds(1);
  ++d.agent_sequence;
  const auto written = static_cast<double>(writes * bytes_per_write);
  const double flushed = written * flushed_per_written;
  add(d.user_bytes_written, written);
  add(d.wal_bytes, written * wal_per_written);
  add(d.flush_bytes_written, flushed);
  add(d.compaction_bytes_written, flushed * compacted_per_flushed);
  add(d.compaction_bytes_read, flushed * compacted_per_flushed);
  add(d.limiter_bytes_through, flushed * (1 + compacted_per_flushed));
  add(d.keys_read, static_cast<double>(reads));
  add(d.keys_written, static_cast<double>(writes));
  add(d.seeks, static_cast<double>(seeks));
  add(d.block_cache_hits, static_cast<double>(hits));
  add(d.block_cache_misses, static_cast<double>(misses));
  add(d.bloom_useful, static_cast<double>(filter_useful));
  add(d.stall_us, static_cast<double>(stall_us));
  read_counts_[read_us] += reads;
  write_counts_[write_us] += writes / writes_per_call;
  if (d.read_latency) d.read_latency = histogram(read_counts_);
  if (d.write_latency) d.write_latency = histogram(write_counts_);
  const std::uint64_t ended = whole(compactions_, l0_compactions);
  for (ColumnFamilyReading& f : d.column_families) {
    if (&f == d.column_families.data())
      add(f.flushes, static_cast<double>(whole(flushes_, flushes)));
    add(f.l0_compactions, static_cast<double>(ended));
    add(f.l0_compactions_ms, static_cast<double>(ended * l0_compaction_ms));
    add(f.l0_compactions_input_bytes, static_cast<double>(ended * l0_compaction_input_bytes));
  }
  if (sample.device) {
    add(sample.device->write_ios, static_cast<double>(device_writes));
    add(sample.device->write_ms, static_cast<double>(device_writes * device_write_ms_each));
    add(sample.device->busy_ms, static_cast<double>(device_busy_ms));
  }
  if (sample.host) {
    add(sample.host->cpu_busy_us, static_cast<double>(cpu_busy_us));
    add(sample.host->cpu_idle_us, 8e6 - static_cast<double>(cpu_busy_us));
  }
}

Evidence Recording::evidence() const {
  Recording copy = *this;
  EvidenceFold fold;
  fold.begin_recording(memory_max);
  fold.add(copy.sample, copy.opening);
  for (int second = 1; second <= seconds; ++second) {
    each(copy, second);
    copy.step();
    fold.add(copy.sample, copy.opening);
  }
  return fold.evidence();
}

bool advises(const Report& report, std::string_view rule) {
  return std::any_of(report.advice.begin(), report.advice.end(),
                     [&](const Advice& one) { return one.rule == rule; });
}

const Advice& only_advice(const Report& report, std::string_view rule) {
  INFO("rule " << rule << "; content: " << content_of(report, rule)
               << "; not judged: " << not_judged_of(report, rule));
  REQUIRE(std::count_if(report.advice.begin(), report.advice.end(),
                        [&](const Advice& one) { return one.rule == rule; }) == 1);
  return *std::find_if(report.advice.begin(), report.advice.end(),
                       [&](const Advice& one) { return one.rule == rule; });
}

namespace {

std::string why(const std::vector<Remark>& remarks, std::string_view rule) {
  const auto found = std::find_if(remarks.begin(), remarks.end(),
                                  [&](const Remark& one) { return one.rule == rule; });
  return found == remarks.end() ? "" : found->why;
}

}  // namespace

std::string content_of(const Report& report, std::string_view rule) {
  return why(report.content, rule);
}

std::string not_judged_of(const Report& report, std::string_view rule) {
  return why(report.not_judged, rule);
}

}  // namespace rocktune::advice
