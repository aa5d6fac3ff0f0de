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
    jobs.insert(jobs.end(), static_cast<std::size_t>(one.threads), job);
  }
  if (options_.rate_limit > 0) limit_background(jobs, first);
}

// RocksDB's rate limiter: what is written is charged, flushes come first.
void Plant::limit_background(std::vector<DeviceJob>& jobs, std::size_t first) const {
  const auto wanted = [](const DeviceJob& job) { return job.write_bytes / job.work_seconds; };
  const auto flushes = std::span(jobs).subspan(first, flushes_.size());
  const auto compactions = std::span(jobs).subspan(first + flushes_.size());
  double left = tuning_ ? tuning_->rate() : options_.rate_limit;
  const auto share = [&](std::span<DeviceJob> some) {
    double all = 0;
    for (const DeviceJob& job : some) all += wanted(job);
    const double factor = all > left ? left / all : 1;
    for (DeviceJob& job : some) job.most_bytes_per_second = factor / job.work_seconds;
    left = std::max(left - all, 0.0);
  };
  if (options_.limit_flushes) share(flushes);
  share(compactions);
}

// What flushes and compactions write now that the limiter counts.
double Plant::limited_bytes_per_second() const {
  double bytes = 0;
  if (options_.limit_flushes) {
    for (const Flush& flush : flushes_) bytes += flush.speed;
  }
  for (const RunningCompaction& one : compactions_) {
    if (!one.what.trivial) bytes += one.speed * one.written_ratio;
  }
  return bytes;
}

double Plant::miss_ratio_now() const {
  return std::min(1.0, arrivals_.misses * miss_ratio_);
}

double Plant::misses_per_read() const {
  double files = 0;
  for (const Family& family : families_) files += static_cast<double>(family.tree.l0_files());
  const ReadLaws& laws = laws_.reads;
  const double lookups =
      laws.lookups + laws.lookups_per_l0_file * files / static_cast<double>(families_.size());
  return lookups * miss_ratio_now();
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
