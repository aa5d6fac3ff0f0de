#include "sim/device.h"

#include <algorithm>
#include <vector>

namespace rocktune::sim {
namespace {

// The fixed point is near after a few rounds; each halves the way to it, so that it cannot swing.
constexpr int kQueueRounds = 12;
constexpr double kNearlyAll = 0.999;

double service_seconds(const DirectionCapacity& capacity, double bytes) {
  return capacity_share(capacity, bytes, 1);
}

// By how much each direction is slower for the other one: half of what mixing loses is each's, so
// that in balance u_r + u_w + eta u_r u_w is 1.
struct Factors {
  double read = 1, write = 1;
};

// A job at the device. For each byte of its progress:
struct Visit {
  double read_seconds = 0, write_seconds = 0;  // of each direction, were it alone
  double pieces = 0;
  // As of this round:
  double service = 0;  // seconds of both directions
  double left = 0;     // seconds of its piece's that are there when somebody arrives, mean

  [[nodiscard]] double seconds(const Factors& factors) const {
    return read_seconds * factors.read + write_seconds * factors.write;
  }
};

Visit visit_of(const DeviceLaws& laws, const DeviceJob& job) {
  Visit visit;
  if (job.read_bytes > 0) {
    const double pieces = job.read_bytes / job.read_piece_bytes;
    visit.read_seconds = pieces * service_seconds(laws.read, job.read_piece_bytes);
    visit.pieces += pieces;
  }
  if (job.write_bytes > 0) {
    const double pieces = job.write_bytes / job.write_piece_bytes;
    visit.write_seconds = pieces * service_seconds(laws.write, job.write_piece_bytes);
    visit.pieces += pieces;
  }
  return visit;
}

struct Shares {
  double read = 0, write = 0;
};

Shares shares_of(const DeviceLaws& laws, const ForegroundIo& foreground,
                 std::span<const DeviceJob> jobs) {
  Shares shares;
  shares.read = capacity_share(laws.read, foreground.reads_per_second * foreground.read_bytes,
                               foreground.reads_per_second);
  shares.write = foreground.log_bytes_per_second / laws.write.bytes_per_second;
  for (const DeviceJob& job : jobs) {
    const double read = job.bytes_per_second * job.read_bytes;
    const double write = job.bytes_per_second * job.write_bytes;
    shares.read += capacity_share(laws.read, read, read / job.read_piece_bytes);
    shares.write += capacity_share(laws.write, write, write / job.write_piece_bytes);
  }
  return shares;
}

// What a read, or a job's piece, waits for when it arrives.
struct Queue {
  double reads = 0;  // of the foreground, mean
  double read_service = 0;
  double job_seconds = 0;  // until the jobs' pieces that are there are served

  [[nodiscard]] double seconds() const { return reads * read_service + job_seconds; }
};

// A job's piece is there while it waits and while it is served; of the latter half is left when
// somebody arrives.
double left_of(const DeviceJob& job, const Visit& visit) {
  const double there = std::min(job.bytes_per_second * job.device_seconds, 1.0);
  const double served = std::min(job.bytes_per_second * visit.service, there);
  const double piece_seconds = visit.pieces > 0 ? visit.service / visit.pieces : 0;
  return (there - served / 2) * piece_seconds;
}

// One round: each job goes as fast as the queue lets it that the others and the foreground make.
void adjust_jobs(const Queue& queue, std::span<const Visit> visits, std::span<DeviceJob> jobs) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    DeviceJob& job = jobs[i];
    const double others = std::max(queue.seconds() - visits[i].left, 0.0);
    const double device_seconds = visits[i].service + visits[i].pieces * others;
    const double cycle = job.work_seconds + device_seconds;
    const double wanted = cycle > 0 ? 1 / cycle : 0;
    job.device_seconds = (job.device_seconds + device_seconds) / 2;
    job.wait_seconds = others;
    job.bytes_per_second = (job.bytes_per_second + std::min(wanted, job.most_bytes_per_second)) / 2;
  }
}

// The device does no more than all of it: what is too much the jobs give up alike.
void give_way(const DeviceLaws& laws, const ForegroundIo& foreground, DeviceUse& use,
              std::span<DeviceJob> jobs) {
  const Shares alone = shares_of(laws, foreground, {});
  const double kept = std::min(alone.read + alone.write, kNearlyAll);
  const double factor = std::clamp((1 - kept) / (use.load - kept), 0.0, 1.0);
  for (DeviceJob& job : jobs) job.bytes_per_second *= factor;
  use.load = 1;
}

}  // namespace

double device_seconds_alone(const DeviceLaws& laws, const DeviceJob& job) {
  return visit_of(laws, job).seconds({});
}

DeviceUse share_device(const DeviceLaws& laws, const ForegroundIo& foreground, double threads,
                       std::span<DeviceJob> jobs) {
  std::vector<Visit> visits;
  visits.reserve(jobs.size());
  for (const DeviceJob& job : jobs) visits.push_back(visit_of(laws, job));
  DeviceUse use;
  for (int round = 0; round < kQueueRounds; ++round) {
    const Shares shares = shares_of(laws, foreground, jobs);
    const Factors factors{1 + laws.mixing_loss / 2 * std::min(shares.write, 1.0),
                          1 + laws.mixing_loss / 2 * std::min(shares.read, 1.0)};
    Queue queue;
    queue.read_service = service_seconds(laws.read, foreground.read_bytes) * factors.read;
    const double reading = std::min(foreground.reads_per_second * queue.read_service, kNearlyAll);
    queue.reads = std::min(reading / (1 - reading), std::max(threads, 1.0));
    use.busy_ratio = reading;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      visits[i].service = visits[i].seconds(factors);
      visits[i].left = left_of(jobs[i], visits[i]);
      queue.job_seconds += visits[i].left;
      use.busy_ratio += jobs[i].bytes_per_second * visits[i].service;
    }
    use.busy_ratio = std::min(use.busy_ratio, 1.0);
    use.read_wait_seconds = queue.seconds();
    use.read_seconds = queue.seconds() + queue.read_service + laws.read_latency_seconds;
    use.queue = queue.reads + reading;
    for (const DeviceJob& job : jobs) {
      use.queue += std::min(job.bytes_per_second * job.device_seconds, 1.0);
    }
    adjust_jobs(queue, visits, jobs);
  }
  const Shares shares = shares_of(laws, foreground, jobs);
  use.read_share = shares.read;
  use.write_share = shares.write;
  use.load = mixed_load(shares.read, shares.write, laws.mixing_loss);
  if (use.load > 1) give_way(laws, foreground, use, jobs);
  return use;
}

}  // namespace rocktune::sim
