#include "sim/host.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace rocktune::sim {
namespace {

// The foreground waits for the device and the other way round: halved until it fits.
constexpr int kShareRounds = 12;
constexpr double kSameRate = 0.01;

bool fits(double tried, double asked) {
  return std::abs(asked - tried) <= kSameRate * std::max(asked, 1.0);
}

// Background work never takes all CPUs from the foreground: the kernel shares them.
constexpr double kLeastCpuShare = 0.3;
constexpr double kDeviceRequestBytes = 128 << 10;
// Events that follow faster come together, so that no input, however absurd, takes for ever.
constexpr double kShortestStepSeconds = 1e-4;

}  // namespace

Host::Host(const HostLaws& laws, std::vector<Plant> plants)
    : laws_(laws), device_(laws.device), plants_(std::move(plants)), away_(plants_.size(), false) {
  assert(!plants_.empty());
}

template <class Use>
void Host::for_each(const Use& use) {
  for (std::size_t i = 0; i < plants_.size(); ++i) {
    if (!away_[i]) use(plants_[i]);
  }
}

template <class Use>
void Host::for_each(const Use& use) const {
  for (std::size_t i = 0; i < plants_.size(); ++i) {
    if (!away_[i]) use(plants_[i]);
  }
}

void Host::change_device() {
  const auto& changes = laws_.device_changes;
  while (device_ && device_changes_ < changes.size() &&
         changes[device_changes_].after_seconds <= seconds_) {
    const double rates = changes[device_changes_++].rates;
    device_ = laws_.device;
    for (DirectionCapacity* one : {&device_->read, &device_->write}) {
      one->bytes_per_second *= rates;
      one->iops *= rates;
    }
  }
}

double Host::memory_bytes() const {
  double bytes = 0;
  for_each([&](const Plant& plant) { bytes += plant.memory_bytes(); });
  return bytes;
}

std::optional<double> Host::memory_available() const {
  if (!laws_.memory) return std::nullopt;
  if (!others_bytes_) return laws_.memory->available_bytes;
  return std::max(0.0, laws_.memory->total_bytes - *others_bytes_ - memory_bytes());
}

void Host::advance(double seconds) {
  if (laws_.memory && !others_bytes_) {
    const double taken = laws_.memory->total_bytes - laws_.memory->available_bytes;
    others_bytes_ = std::max(0.0, taken - memory_bytes());
  }
  double left = seconds;
  while (left > 0) {
    change_device();
    solve();
    double step = left;
    if (device_changes_ < laws_.device_changes.size()) {
      step = std::min(step, laws_.device_changes[device_changes_].after_seconds - seconds_);
    }
    for_each([&](const Plant& plant) { step = std::min(step, plant.next_event()); });
    step = std::min(left, std::max(step, kShortestStepSeconds));
    pass(step);
    left -= step;
    seconds_ += step;
    for_each([](Plant& plant) { plant.settle(); });
  }
}

ForegroundIo Host::foreground_io() const {
  ForegroundIo all{0, 0, 0};
  for_each([&](const Plant& plant) {
    const ForegroundIo own = plant.foreground_io();
    all.reads_per_second += own.reads_per_second;
    all.read_bytes = std::max(all.read_bytes, own.read_bytes);
    all.log_bytes_per_second += own.log_bytes_per_second;
  });
  return all;
}

void Host::solve() {
  jobs_.clear();
  first_jobs_.clear();
  const DeviceLaws* device = device_ ? &*device_ : nullptr;
  double threads = 0;
  for (std::size_t i = 0; i < plants_.size(); ++i) {
    first_jobs_.push_back(jobs_.size());
    if (away_[i]) continue;
    plants_[i].want(jobs_, device);
    threads += plants_[i].threads();
  }
  first_jobs_.push_back(jobs_.size());
  // What the device answers depends on what is read, and whoever waits for the answer reads the
  // less the longer it takes: so the one that fits lies between what was tried and what came of it.
  ForegroundIo asked = foreground_io();
  double low = asked.reads_per_second;
  double high = low;
  for (int round = 0; round < kShareRounds; ++round) {
    // The first two as asked for: where nobody waits for the answer, the second is it.
    ForegroundIo tried = asked;
    tried.reads_per_second = round < 2 ? high : (low + high) / 2;
    asked = answer(tried, threads);
    if (!device_ || (fits(tried.reads_per_second, asked.reads_per_second) &&
                     fits(tried.log_bytes_per_second, asked.log_bytes_per_second))) {
      return;
    }
    if (round == 0) {
      high = asked.reads_per_second;
      if (low > high) std::swap(low, high);
      continue;
    }
    (asked.reads_per_second > tried.reads_per_second ? low : high) = tried.reads_per_second;
  }
}

// What the foreground would ask of the device, were that asked for so much; and everybody gets what
// that leaves.
ForegroundIo Host::answer(const ForegroundIo& foreground, double threads) {
  double device_read_seconds = 0;
  if (device_) {
    use_ = share_device(*device_, foreground, threads, jobs_);
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
  const auto present = std::count(away_.begin(), away_.end(), false);
  const double cpus =
      (laws_.cpus - busy_cpus_) / static_cast<double>(std::max<std::ptrdiff_t>(present, 1));
  for (std::size_t i = 0; i < plants_.size(); ++i) {
    if (away_[i]) continue;
    const auto own = std::span(jobs_).subspan(first_jobs_[i], first_jobs_[i + 1] - first_jobs_[i]);
    plants_[i].take(own, use_, device_read_seconds, cpus);
  }
  return foreground_io();
}

void Host::pass(double seconds) {
  const ForegroundIo foreground = foreground_io();
  for_each([&](Plant& plant) {
    cpu_seconds_ += plant.foreground_cpu() * seconds;
    plant.pass(seconds);
  });
  cpu_seconds_ += busy_cpus_ * seconds;
  if (!device_) return;
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
        read_pieces * (job.wait_seconds + capacity_share(device_->read, job.read_piece_bytes, 1) +
                       device_->read_latency_seconds);
    totals.write_bytes += written;
    totals.write_requests += parts;
    totals.write_seconds +=
        parts * (job.wait_seconds + capacity_share(device_->write, job.write_piece_bytes, 1));
  }
  totals.busy_seconds += use_.busy_ratio * seconds;
}

}  // namespace rocktune::sim
