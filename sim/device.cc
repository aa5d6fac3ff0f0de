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

// Pieces of one direction.
struct Pieces {
  double count = 0;    // for each byte of progress
  double seconds = 0;  // of one, were the direction alone

  [[nodiscard]] double service() const { return count * seconds; }
};

// A job at the device.
struct Visit {
  Pieces reads, writes;
  // As of this round: the time of both directions for each byte of progress; how many of its pieces
  // are there, at most one; and how long those still take that are there when somebody arrives: the
  // mean, and that of the square.
  double service_seconds = 0;
  double there = 0;
  double left_seconds = 0, left_squares = 0;

  [[nodiscard]] double pieces() const { return reads.count + writes.count; }
};

Pieces pieces_of(const DirectionCapacity& capacity, double bytes, double piece_bytes) {
  if (!(bytes > 0)) return {};
  return {bytes / piece_bytes, service_seconds(capacity, piece_bytes)};
}

Visit visit_of(const DeviceLaws& laws, const DeviceJob& job) {
  Visit visit;
  visit.reads = pieces_of(laws.read, job.read_bytes, job.read_piece_bytes);
  visit.writes = pieces_of(laws.write, job.write_bytes, job.write_piece_bytes);
  return visit;
}

struct Shares {
  double read = 0, write = 0;
};

Shares foreground_shares(const DeviceLaws& laws, const ForegroundIo& foreground) {
  return {capacity_share(laws.read, foreground.reads_per_second * foreground.read_bytes,
                         foreground.reads_per_second),
          foreground.log_bytes_per_second / laws.write.bytes_per_second};
}

Shares with_jobs(Shares shares, std::span<const Visit> visits, std::span<const DeviceJob> jobs) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    shares.read += jobs[i].bytes_per_second * visits[i].reads.service();
    shares.write += jobs[i].bytes_per_second * visits[i].writes.service();
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

// A job's piece is there while it waits and while it is served. Who arrives finds a large piece in
// service the likelier the longer it takes, and half of it is left in the mean.
void meet(const DeviceJob& job, const Factors& factors, Visit& visit) {
  const double read = visit.reads.seconds * factors.read;
  const double write = visit.writes.seconds * factors.write;
  const double rate = job.bytes_per_second;
  visit.service_seconds = visit.reads.count * read + visit.writes.count * write;
  visit.there = std::min(rate * job.device_seconds, 1.0);
  const double all = rate * job.device_seconds;
  const double shrunk = all > 1 ? 1 / all : 1;  // it has one piece there at most
  visit.left_seconds = visit.left_squares = 0;
  const auto add = [&](double count, double seconds) {
    const double served = shrunk * rate * count * seconds;
    const double waiting = shrunk * rate * count * job.wait_seconds;
    visit.left_seconds += (waiting + served / 2) * seconds;
    visit.left_squares += (waiting + served / 3) * seconds * seconds;
  };
  add(visit.reads.count, read);
  add(visit.writes.count, write);
}

// One round: each job goes as fast as the queue lets it that the others and the foreground make.
void adjust_jobs(const Queue& queue, std::span<const Visit> visits, std::span<DeviceJob> jobs) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    DeviceJob& job = jobs[i];
    const double others = std::max(queue.seconds() - visits[i].left_seconds, 0.0);
    const double device_seconds = visits[i].service_seconds + visits[i].pieces() * others;
    const double cycle = job.work_seconds + device_seconds;
    const double wanted = cycle > 0 ? 1 / cycle : 0;
    job.device_seconds = (job.device_seconds + device_seconds) / 2;
    job.wait_seconds = (job.wait_seconds + others) / 2;
    job.bytes_per_second = (job.bytes_per_second + std::min(wanted, job.most_bytes_per_second)) / 2;
  }
}

// The device does no more than all of it: what is too much the jobs give up alike.
void give_way(const Shares& foreground, DeviceUse& use, std::span<DeviceJob> jobs) {
  const double kept = std::min(foreground.read + foreground.write, kNearlyAll);
  const double factor = std::clamp((1 - kept) / (use.load - kept), 0.0, 1.0);
  for (DeviceJob& job : jobs) job.bytes_per_second *= factor;
  use.load = 1;
}

}  // namespace

double device_seconds_alone(const DeviceLaws& laws, const DeviceJob& job) {
  const Visit alone = visit_of(laws, job);
  return alone.reads.service() + alone.writes.service();
}

DeviceUse share_device(const DeviceLaws& laws, const ForegroundIo& foreground, double threads,
                       std::span<DeviceJob> jobs) {
  std::vector<Visit> visits;
  visits.reserve(jobs.size());
  for (const DeviceJob& job : jobs) visits.push_back(visit_of(laws, job));
  const Shares alone = foreground_shares(laws, foreground);
  DeviceUse use;
  for (int round = 0; round < kQueueRounds; ++round) {
    const Shares shares = with_jobs(alone, visits, jobs);
    const Factors factors{1 + laws.mixing_loss / 2 * std::min(shares.write, 1.0),
                          1 + laws.mixing_loss / 2 * std::min(shares.read, 1.0)};
    Queue queue;
    queue.read_service = service_seconds(laws.read, foreground.read_bytes) * factors.read;
    const double reading = std::min(foreground.reads_per_second * queue.read_service, kNearlyAll);
    queue.reads = std::min(reading / (1 - reading), std::max(threads, 1.0));
    use.busy_ratio = reading;
    use.queue = queue.reads + reading;
    // As many reads as in a queue of their own, where the number's variance is n + n^2.
    use.read_wait_variance =
        (queue.reads + queue.reads * queue.reads) * queue.read_service * queue.read_service;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      meet(jobs[i], factors, visits[i]);
      queue.job_seconds += visits[i].left_seconds;
      use.read_wait_variance +=
          visits[i].left_squares - visits[i].left_seconds * visits[i].left_seconds;
      use.busy_ratio += jobs[i].bytes_per_second * visits[i].service_seconds;
      use.queue += visits[i].there;
    }
    use.busy_ratio = std::min(use.busy_ratio, 1.0);
    use.read_wait_seconds = queue.seconds();
    use.read_seconds = queue.seconds() + queue.read_service + laws.read_latency_seconds;
    adjust_jobs(queue, visits, jobs);
  }
  const Shares shares = with_jobs(alone, visits, jobs);
  use.read_share = shares.read;
  use.write_share = shares.write;
  use.load = mixed_load(shares.read, shares.write, laws.mixing_loss);
  if (use.load > 1) give_way(alone, use, jobs);
  return use;
}

}  // namespace rocktune::sim
