// The plant's share of the machine: what its jobs and its foreground ask for, and what they get.
// Between two events (sim/plant.cc) it stays the same.
#include <algorithm>
#include <cmath>

#include "sim/plant.h"

namespace rocktune::sim {
namespace {

// A job's own work for each byte, where alone it goes this fast and the device's part of that is
// known. What was measured under load holds some waiting: no less than a fifth is taken as its own.
double own_seconds(const DeviceLaws* device, const DeviceJob& job, double bytes_per_second) {
  const double all = 1 / bytes_per_second;
  if (device == nullptr) return all;
  return std::max(all - device_seconds_alone(*device, job), all / 5);
}

// Of the agent's own limiter: what compactions make up for at most, of the rate.
constexpr double kMostMadeUp = 0.5;

// While a cache fills its misses fall; they are taken to be the same until it holds so much more.
constexpr double kCacheStep = 1.0 / 16;

// A write that waits at a limiter is done in bursts: of RocksDB's limiter what it refills at a
// time, of the agent's what FairBudget::burst_at() says.
double burst_bytes(double rate, bool agents_own) {
  constexpr double kRocksdbsSeconds = 0.1, kOwnSeconds = 0.05;
  constexpr double kLeastBurst = 16 << 10, kMostOwn = 8 << 20;
  return agents_own ? std::clamp(rate * kOwnSeconds, kLeastBurst, kMostOwn)
                    : std::max(rate * kRocksdbsSeconds, kLeastBurst);
}

void cut_into(double burst, std::span<DeviceJob> jobs) {
  for (DeviceJob& job : jobs) job.write_piece_bytes = std::min(job.write_piece_bytes, burst);
}

double written_by(const DeviceJob& job) {
  return job.write_bytes / job.work_seconds;
}

double written_by(std::span<const DeviceJob> jobs) {
  double bytes = 0;
  for (const DeviceJob& job : jobs) bytes += written_by(job);
  return bytes;
}

// Each gets by its weight; what one does not need is the others'.
void share_limit(double rate, std::span<DeviceJob> jobs) {
  const auto is_bound = [](const DeviceJob& job) { return std::isinf(job.most_bytes_per_second); };
  bool settled = false;
  while (!settled) {
    settled = true;
    double weights = 0;
    for (const DeviceJob& job : jobs) weights += is_bound(job) ? job.limiter_weight : 0;
    const double each = weights > 0 ? std::max(rate, 0.0) / weights : 0;
    for (DeviceJob& job : jobs) {
      if (!is_bound(job) || written_by(job) > each * job.limiter_weight) continue;
      job.most_bytes_per_second = 1 / job.work_seconds;
      rate -= written_by(job);
      settled = false;
    }
    if (!settled) continue;
    for (DeviceJob& job : jobs) {
      if (is_bound(job)) job.most_bytes_per_second = each * job.limiter_weight / job.write_bytes;
    }
  }
}

}  // namespace

// Flushes first, then a job for each thread of each compaction.
void Plant::want(std::vector<DeviceJob>& jobs, const DeviceLaws* device) const {
  const std::size_t first = jobs.size();
  for (const Flush& flush : flushes_) {
    DeviceJob job;
    job.write_bytes = 1;
    job.write_piece_bytes = options_.write_piece_bytes;
    job.work_seconds = own_seconds(device, job, laws_.flush_bytes_per_second * flush.luck);
    jobs.push_back(job);
  }
  for (const RunningCompaction& one : compactions_) {
    if (one.what.trivial) continue;
    DeviceJob job;
    job.read_bytes = 1;
    job.read_piece_bytes = laws_.read_piece_bytes;
    job.write_bytes = one.written_ratio;
    job.write_piece_bytes = options_.write_piece_bytes;
    const double speed = one.what.kind == CompactionKind::kDeep ? laws_.deep_bytes_per_second
                                                                : laws_.l0_bytes_per_second;
    // Several threads get in each other's way.
    const double loss = std::pow(one.threads, 1 - laws_.subcompaction_gain);
    job.work_seconds = own_seconds(device, job, speed * one.luck) * loss;
    if (one.what.level == 0 && options_.l0_weight > 0) {
      job.limiter_weight = static_cast<double>(options_.l0_weight);
    }
    jobs.insert(jobs.end(), static_cast<std::size_t>(one.threads), job);
  }
  if (options_.rate_limit > 0) limit_background(jobs, first);
}

// What is written is charged; flushes come first, compactions share what is left.
void Plant::limit_background(std::vector<DeviceJob>& jobs, std::size_t first) const {
  const double rate = options_.rate_limit;
  const auto flushes = std::span(jobs).subspan(first, flushes_.size());
  const auto compactions = std::span(jobs).subspan(first + flushes_.size());
  const double burst = burst_bytes(rate, options_.l0_weight > 0);
  const double flushed = written_by(flushes);
  if (options_.limit_flushes) {
    cut_into(burst, flushes);
    share_limit(rate, flushes);
  }
  cut_into(burst, compactions);
  const double least = options_.limit_flushes ? 0 : rate * (1 - kMostMadeUp);
  const double left = owed_bytes_ > 0 ? least : std::max(rate - flushed, least);
  share_limit(left, compactions);
}

double Plant::flushed_bytes_per_second() const {
  double bytes = 0;
  for (const Flush& flush : flushes_) bytes += flush.speed;
  return bytes;
}

double Plant::owing_per_second() const {
  if (options_.limit_flushes || !(options_.rate_limit > 0)) return 0;
  return flushed_bytes_per_second() - kMostMadeUp * options_.rate_limit;
}

// What flushes and compactions write now.
double Plant::limited_bytes_per_second() const {
  double bytes = flushed_bytes_per_second();
  for (const RunningCompaction& one : compactions_) {
    if (!one.what.trivial) bytes += one.speed * one.written_ratio;
  }
  return bytes;
}

double Plant::miss_ratio_now() const {
  return std::min(1.0, arrivals_.misses * miss_ratio_);
}

// Each block that a read misses goes there, and until it is full none leaves.
double Plant::cached_per_second() const {
  if (!(cached_bytes_ < options_.cache_bytes)) return 0;
  return rates_.reads_per_second * misses_per_read() * laws_.reads.read_bytes;
}

double Plant::cache_step_bytes() const {
  const double step = std::max(cached_bytes_ * kCacheStep, laws_.reads.read_bytes);
  return std::min(step, options_.cache_bytes - cached_bytes_);
}

// It holds what was read last, as a full one of that size does, and misses like that.
void Plant::pass_cache(double seconds) {
  const double filled = cached_per_second() * seconds;
  if (!(filled > 0)) return;
  cached_bytes_ = std::min(cached_bytes_ + filled, options_.cache_bytes);
  miss_ratio_ = miss_ratio(laws_.reads, cached_bytes_);
}

double Plant::memtable_bytes(std::size_t family) const {
  return families_.at(family).active_bytes / laws_.memtable_fill +
         static_cast<double>(immutable_memtables(family)) *
             options_.families.at(family).write_buffer_bytes;
}

double Plant::memory_bytes() const {
  double bytes = cached_bytes_;
  for (std::size_t i = 0; i < families_.size(); ++i) bytes += memtable_bytes(i);
  return bytes;
}

double Plant::l0_files_per_family() const {
  double files = 0;
  for (const Family& family : families_) files += static_cast<double>(family.tree.l0_files());
  return files / static_cast<double>(families_.size());
}

double Plant::misses_per_read() const {
  return missing_lookups_per_read(laws_.reads, l0_files_per_family()) * miss_ratio_now();
}

ForegroundIo Plant::foreground_io() const {
  return {rates_.reads_per_second * misses_per_read(), laws_.reads.read_bytes,
          rates_.writes_per_second * laws_.bytes_per_write};
}

double Plant::foreground_cpu() const {
  return rates_.reads_per_second * laws_.reads.read_seconds +
         rates_.writes_per_second * laws_.reads.write_seconds;
}

void Plant::take(std::span<const DeviceJob> jobs, const DeviceUse& use, double device_read_seconds,
                 double cpus) {
  std::size_t next = 0;
  for (Flush& flush : flushes_) flush.speed = jobs[next++].bytes_per_second;
  for (RunningCompaction& one : compactions_) {
    one.speed = one.what.trivial ? 1 : 0;
    if (one.what.trivial) continue;
    for (std::size_t i = 0; i < static_cast<std::size_t>(one.threads); ++i) {
      one.speed += jobs[next++].bytes_per_second;
    }
  }
  ForegroundInput input;
  input.arrivals = arrivals_;
  input.read_backlog = read_backlog_;
  input.write_backlog = write_backlog_;
  input.read_queued_seconds = read_clock_.wait_seconds(totals_.seconds);
  input.write_queued_seconds =
      arrivals_.one_queue ? input.read_queued_seconds : write_clock_.wait_seconds(totals_.seconds);
  input.write_state = control_.state();
  input.delayed_writes_per_second =
      static_cast<double>(control_.delayed_rate()) * laws_.delayed_bytes / laws_.bytes_per_write;
  input.misses_per_read = misses_per_read();
  input.cpus = cpus;
  rates_ = foreground_rates(input, laws_.reads, use, device_read_seconds);
}

}  // namespace rocktune::sim
