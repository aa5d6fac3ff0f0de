#include "bench/replay_speed/day_samples.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "sim/loop.h"

namespace rocktune::bench {
namespace {

using sim::kPollSeconds;

// A machine with eight CPUs and an NVMe drive, up for 40 days at the day's begin, 2026-11-23.
constexpr Nanoseconds kBeginWall = std::chrono::seconds(1'795'392'000);
constexpr Nanoseconds kBeginTick = std::chrono::hours(40 * 24);
constexpr double kCpus = 8;
constexpr std::uint64_t kMemoryBytes = std::uint64_t{64} << 30;
constexpr double kDaySeconds = 86'400;

// What is asked for, in the mean, and how far the day's wave and single polls go from it.
constexpr double kWritesPerSecond = 8'000;
constexpr double kReadsPerSecond = 30'000;
constexpr double kBytesPerWrite = 1'000;
constexpr double kWave = 0.4;
constexpr double kNoise = 0.08;
// A burst of writes: how often one begins, how long it goes on, what it multiplies.
constexpr double kBurstEverySeconds = 1'800;
constexpr double kBurstSeconds = 60;
constexpr double kBurst = 4;

// Operations that are timed in a poll; each stands for several, as with the agent's thinning.
constexpr std::uint64_t kTimed = 200;
constexpr double kFastSpread = 0.3;  // deviations of the logarithm
constexpr double kSlowSpread = 0.5;

// A poll begins late by up to this. The agent answers one to three milliseconds after it was due:
// whole ones, so that ages of jobs are exact at its tick, too.
constexpr double kLateNanoseconds = 150e3;
constexpr double kMostAnswerMilliseconds = 3;

constexpr std::uint64_t kNvmePolls = 120;  // once a minute

sim::PlantOptions options(std::size_t families) {
  sim::PlantOptions options;
  options.max_background_jobs = 6;
  options.rate_limit = 400e6;
  options.cache_bytes = 4.0 * (std::uint64_t{1} << 30);
  options.families.resize(families);
  for (std::size_t i = 0; i < families; ++i) {
    // Of different sizes, so that they do not all flush at once.
    options.families[i].write_buffer_bytes = static_cast<double>(16 + 3 * (i % 16)) * (1 << 20);
    options.families[i].tree.target_file_bytes = 32 << 20;
  }
  return options;
}

sim::Laws laws() {
  sim::Laws laws;
  laws.bytes_per_write = kBytesPerWrite;
  laws.tree.survival = 0.85;
  laws.l0_bytes_per_second = laws.deep_bytes_per_second = 120e6;
  laws.reads.miss_ratio = 0.05;
  laws.reads.cache_bytes = 4.0 * (std::uint64_t{1} << 30);
  return laws;
}

sim::Host make_host(std::size_t families) {
  return sim::Host({kCpus, sim::DeviceLaws{}}, {sim::Plant(options(families), laws(), 1)});
}

std::uint64_t whole_amount(double value) {
  return value > 0 ? static_cast<std::uint64_t>(value) : 0;
}

}  // namespace

DaySamples::DaySamples(std::size_t families) : host_(make_host(families)), sampler_(host_, 0) {}

void DaySamples::ask(double seconds) {
  const double wave = 1 + kWave * std::sin(seconds / kDaySeconds * 2 * std::acos(-1.0));
  if (std::fmod(seconds, kBurstEverySeconds) < kPollSeconds) burst_seconds_ = kBurstSeconds;
  const double burst = burst_seconds_ > 0 ? kBurst : 1;
  burst_seconds_ -= kPollSeconds;
  sim::Arrivals arrivals;
  arrivals.writes_per_second =
      kWritesPerSecond * wave * burst * std::exp(kNoise * random_.normal());
  arrivals.reads_per_second = kReadsPerSecond * wave * std::exp(kNoise * random_.normal());
  arrivals.threads = 16;
  host_.plant(0).set_arrivals(arrivals);
}

Sample DaySamples::next() {
  const double seconds = static_cast<double>(polls_) * kPollSeconds;
  ask(seconds);
  host_.advance(kPollSeconds);
  ++polls_;
  Sample sample = sampler_.next(host_);
  set_times(sample, std::chrono::milliseconds(static_cast<std::int64_t>(1000 * kPollSeconds)) *
                        static_cast<std::int64_t>(polls_));
  sample.incarnation = "4711-1";
  sample.device->name = "nvme0n1";
  fill_database(*sample.database);
  fill_host(*sample.host);
  fill_nvme(sample);
  return sample;
}

void DaySamples::set_times(Sample& sample, Nanoseconds passed) {
  const auto late = Nanoseconds(static_cast<std::int64_t>(kLateNanoseconds * random_.uniform()));
  sample.at = {kBeginWall + passed + late, kBeginTick + passed + late};
  const auto answer = 1 + static_cast<std::uint64_t>(kMostAnswerMilliseconds * random_.uniform());
  sample.database->agent_tick = kBeginTick + passed + std::chrono::milliseconds(answer);
  for (ColumnFamilyReading& family : sample.database->column_families) {
    for (Counter* age : {&family.l0_compaction_age_ms, &family.deep_compaction_age_ms,
                         &family.last_flush_age_ms}) {
      if (*age && **age > 0) **age += answer;
    }
  }
}

void DaySamples::fill_database(DatabaseReading& database) {
  const std::uint64_t read = *database.keys_read, written = *database.keys_written;
  database.user_bytes_read = read * static_cast<std::uint64_t>(kBytesPerWrite);
  database.seeks = read / 50;
  database.bloom_useful = *database.block_cache_hits / 3;
  database.cache_usage_bytes =
      *database.cache_capacity_bytes - static_cast<std::uint64_t>(8e6 * random_.uniform());
  database.cache_pinned_bytes = whole_amount(3e6 + 1e6 * random_.uniform());
  database.limiter_bytes_through =
      *database.flush_bytes_written + *database.compaction_bytes_written;
  database.limiter_requests = *database.limiter_bytes_through >> 18;
  for (ColumnFamilyReading& family : database.column_families) {
    std::uint64_t bytes = 0;
    for (const LevelReading& level : family.levels) bytes += level.bytes;
    family.live_data_bytes = bytes * 9 / 10;
    // Tables that are finished, not the one that is being written.
    *family.l0_compaction_output_bytes -=
        *family.l0_compaction_output_bytes % *family.target_file_bytes;
  }
  const bool held_back = *database.delayed_write_rate > 0 || *database.write_stopped > 0;
  count_latencies(reads_, read, 45, 180, 0.05);
  count_latencies(writes_, written, 18, held_back ? 8'000 : 90, held_back ? 0.6 : 0.03);
  database.read_latency = reads_.histogram();
  database.write_latency = writes_.histogram();
  database.seek_latency = database.multiget_latency = database.write_stall = LatencyHistogram{};
}

LatencyHistogram DaySamples::Latencies::histogram() const {
  LatencyHistogram histogram;
  histogram.sum_us = sum_us;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    histogram.buckets.push_back(
        {LatencyBuckets::lower(i), LatencyBuckets::lower(i + 1), counts[i]});
  }
  return histogram;
}

void DaySamples::count_latencies(Latencies& all, std::uint64_t operations, double fast_us,
                                 double slow_us, double slow_ratio) {
  const std::uint64_t done = operations - std::exchange(all.operations, operations);
  const std::uint64_t timed = std::min(done, kTimed);
  for (std::uint64_t i = 0; i < timed; ++i) {
    const bool slow = random_.uniform() < slow_ratio;
    const double us = slow ? slow_us * std::exp(kSlowSpread * random_.normal())
                           : fast_us * std::exp(kFastSpread * random_.normal());
    all.counts[LatencyBuckets::index(whole_amount(us))] += done / timed;
    all.sum_us += whole_amount(us) * (done / timed);
  }
}

void DaySamples::fill_host(HostReading& host) {
  cpu_pressure_us_ += 1e6 * kPollSeconds * 0.02 * random_.uniform();
  io_pressure_us_ += 1e6 * kPollSeconds * 0.05 * random_.uniform();
  host.cpu_pressure_some_us = whole_amount(cpu_pressure_us_);
  host.io_pressure_some_us = whole_amount(io_pressure_us_);
  host.io_pressure_full_us = whole_amount(io_pressure_us_ / 2);
  host.memory_pressure_some_us = host.memory_pressure_full_us = 0;
  host.memory_total_bytes = kMemoryBytes;
  host.memory_available_bytes = (kMemoryBytes / 2) & ~std::uint64_t{4095};
  *host.memory_available_bytes += whole_amount(1e5 * random_.uniform()) * 4096;
  host.process_rss_bytes = whole_amount(2e6 + 1e3 * random_.uniform()) * 4096;
  const sim::DeviceTotals& device = host_.device_totals();
  host.process_read_bytes = whole_amount(device.read_bytes);
  host.process_write_bytes = whole_amount(device.write_bytes);
}

// As read once a minute: the samples between carry the last reading.
void DaySamples::fill_nvme(Sample& sample) {
  const std::uint64_t minute = (polls_ - 1) / kNvmePolls;
  NvmeReading& nvme = sample.nvme.emplace();
  NvmeReading::visit_fields(nvme, [](const char*, Counter& value) { value = 0; });
  nvme.temperature_kelvin = 315 + minute % 7;
  nvme.spare_percent = 100;
  nvme.used_percent = 3;
  nvme.data_units_read = 480'000'000 + 2'000 * minute;
  nvme.data_units_written = 350'000'000 + 5'000 * minute;
  nvme.period_ms = 60'000;
  nvme.media_bytes_written.reset();
  sample.health.push_back({"nvme", ""});
}

}  // namespace rocktune::bench
