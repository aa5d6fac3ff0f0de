#include "sim/host.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace rocktune::sim {
namespace {

// The foreground waits for the background and the other way round: a few rounds are enough.
constexpr int kShareRounds = 4;
constexpr double kSameRate = 0.01;
// Background work never takes all CPUs from the foreground: the kernel shares them.
constexpr double kLeastCpuShare = 0.3;
constexpr double kDeviceRequestBytes = 128 << 10;
// Events that follow faster come together, so that no input, however absurd, takes for ever.
constexpr double kShortestStepSeconds = 1e-4;

}  // namespace

Host::Host(const HostLaws& laws, std::vector<Plant> plants)
    : laws_(laws), plants_(std::move(plants)) {
  assert(!plants_.empty());
}

void Host::advance(double seconds) {
  double left = seconds;
  while (left > 0) {
    solve();
    double step = left;
    for (const Plant& plant : plants_) step = std::min(step, plant.next_event());
    step = std::min(left, std::max(step, kShortestStepSeconds));
    pass(step);
    left -= step;
    for (Plant& plant : plants_) plant.settle();
  }
}

ForegroundIo Host::foreground_io() const {
  ForegroundIo all{0, 0, 0};
  for (const Plant& plant : plants_) {
    const ForegroundIo own = plant.foreground_io();
    all.reads_per_second += own.reads_per_second;
    all.read_bytes = std::max(all.read_bytes, own.read_bytes);
    all.log_bytes_per_second += own.log_bytes_per_second;
  }
  return all;
}

void Host::solve() {
  jobs_.clear();
  first_jobs_.clear();
  const DeviceLaws* device = laws_.device ? &*laws_.device : nullptr;
  double threads = 0;
  for (const Plant& plant : plants_) {
    first_jobs_.push_back(jobs_.size());
    plant.want(jobs_, device);
    threads += plant.threads();
  }
  first_jobs_.push_back(jobs_.size());
  for (int round = 0; round < kShareRounds; ++round) {
    const double reads = foreground_io().reads_per_second;
    double device_read_seconds = 0;
    if (device != nullptr) {
      use_ = share_device(*device, foreground_io(), threads, jobs_);
      device_read_seconds = use_.read_seconds - use_.read_wait_seconds;
    } else {
      for (DeviceJob& job : jobs_) {
        job.bytes_per_second = std::min(1 / job.work_seconds, job.most_bytes_per_second);
      }
    }
    busy_cpus_ = 0;
    for (const DeviceJob& job : jobs_) busy_cpus_ += job.bytes_per_second * job.work_seconds;
    if (const double most = (1 - kLeastCpuShare) * laws_.cpus; busy_cpus_ > most) {
      for (DeviceJob& job : jobs_) job.bytes_per_second *= most / busy_cpus_;
      busy_cpus_ = most;
    }
    const double cpus = (laws_.cpus - busy_cpus_) / static_cast<double>(plants_.size());
    for (std::size_t i = 0; i < plants_.size(); ++i) {
      const auto own =
          std::span(jobs_).subspan(first_jobs_[i], first_jobs_[i + 1] - first_jobs_[i]);
      plants_[i].take(own, use_, device_read_seconds, cpus, round > 0);
    }
    if (device == nullptr) return;
    const double now = foreground_io().reads_per_second;
    if (std::abs(now - reads) <= kSameRate * std::max(now, 1.0)) return;
  }
}

void Host::pass(double seconds) {
  const ForegroundIo foreground = foreground_io();
  for (Plant& plant : plants_) {
    cpu_seconds_ += plant.foreground_cpu() * seconds;
    plant.pass(seconds);
  }
  cpu_seconds_ += busy_cpus_ * seconds;
  if (!laws_.device) return;
  DeviceTotals& totals = device_totals_;
  const double reads = foreground.reads_per_second * seconds;
  totals.read_requests += reads;
  totals.read_bytes += reads * foreground.read_bytes;
  totals.read_seconds += reads * use_.read_seconds;
  totals.write_bytes += foreground.log_bytes_per_second * seconds;
  for (const DeviceJob& job : jobs_) {
    const double progress = job.bytes_per_second * seconds;
    const double read = progress * job.read_bytes;
    const double written = progress * job.write_bytes;
    const double read_pieces = read / job.read_piece_bytes;
    // The kernel splits large writes; each part is there until all of them are written.
    const double parts = written / std::min(job.write_piece_bytes, kDeviceRequestBytes);
    totals.read_bytes += read;
    totals.read_requests += read_pieces;
    totals.read_seconds +=
        read_pieces *
        (job.wait_seconds + capacity_share(laws_.device->read, job.read_piece_bytes, 1) +
         laws_.device->read_latency_seconds);
    totals.write_bytes += written;
    totals.write_requests += parts;
    totals.write_seconds +=
        parts * (job.wait_seconds + capacity_share(laws_.device->write, job.write_piece_bytes, 1));
  }
  totals.busy_seconds += use_.busy_ratio * seconds;
}

}  // namespace rocktune::sim
