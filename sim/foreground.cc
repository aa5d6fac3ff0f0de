#include "sim/foreground.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rocktune::sim {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// Of a read's misses the first makes it slow, the others make it slower.
struct Misses {
  double slow_ratio = 0;  // reads that wait for the device at all
  double each = 0;        // device reads of such a read
};

Misses misses_of(double per_read) {
  if (!(per_read > 0)) return {};
  const double slow = -std::expm1(-per_read);
  return {slow, per_read / slow};
}

LatencyMix read_mix(const ForegroundInput& input, const ReadLaws& laws, const DeviceUse& use,
                    double device_read_seconds) {
  const Misses misses = misses_of(input.misses_per_read);
  LatencyMix mix;
  mix.fast_seconds = laws.read_seconds;
  mix.slow_ratio = misses.slow_ratio;
  mix.slow_seconds = laws.read_seconds + misses.each * device_read_seconds;
  mix.wait_ratio = 1 - std::pow(1 - std::min(use.busy_ratio, 1.0), misses.each);
  if (mix.wait_ratio > 0 && use.read_wait_seconds > 0) {
    // Of those that wait at all; the waits of one read are taken to be independent.
    const double mean = misses.each * use.read_wait_seconds;
    const double squares = misses.each * use.read_wait_variance + mean * mean;
    mix.wait = WaitTail(mean / mix.wait_ratio, squares * mix.wait_ratio / (mean * mean) - 1);
  }
  return mix;
}

// What one operation takes of the threads and of the CPUs, seconds.
struct Cost {
  double thread = 0, cpu = 0;
};

// What is there to do operations, each second.
struct Hands {
  double threads = 0, cpus = 0;
  // Operations a second.
  [[nodiscard]] double most(const Cost& each) const {
    return std::max(
        std::min(threads / std::max(each.thread, 1e-9), cpus / std::max(each.cpu, 1e-9)), 0.0);
  }
  [[nodiscard]] Hands without(double operations, const Cost& each) const {
    return {threads - operations * each.thread, cpus - operations * each.cpu};
  }
};

struct Queues {
  double due_reads = 0, due_writes = 0;  // operations a second
  Cost read, write;
  Hands hands;

  [[nodiscard]] double writing() const { return due_writes / (due_reads + due_writes); }
  // As fast as the threads and the CPUs allow, in the mix that is due.
  [[nodiscard]] double most() const {
    const double w = writing();
    return hands.most(
        {(1 - w) * read.thread + w * write.thread, (1 - w) * read.cpu + w * write.cpu});
  }
};

struct Done {
  double reads = 0, writes = 0;
};

// `allowed`: writes a second that get through.
Done done_of(const Queues& queues, const Arrivals& arrivals, double allowed) {
  const double writing = queues.writing(), most = queues.most();
  if (arrivals.closed || arrivals.one_queue) {
    double all = arrivals.closed ? most : std::min(queues.due_reads + queues.due_writes, most);
    if (arrivals.one_queue && writing > 0) all = std::min(all, allowed / writing);
    return {all * (1 - writing), std::min(all * writing, allowed)};
  }
  // Each kind has its share, and what the other one leaves of its own.
  const double wanted = std::min(queues.due_writes, allowed);
  const Hands beside_writes = queues.hands.without(std::min(wanted, most * writing), queues.write);
  const double reads = std::min(queues.due_reads, beside_writes.most(queues.read));
  const Hands beside_reads = queues.hands.without(reads, queues.read);
  return {reads, std::min(wanted, beside_reads.most(queues.write))};
}

}  // namespace

double miss_ratio(const ReadLaws& laws, double cache_bytes) {
  if (!(laws.miss_ratio > 0)) return 0;
  const double size = std::max(cache_bytes, 1.0) / laws.cache_bytes;
  return std::min(1.0, laws.miss_ratio * std::pow(size, -laws.cache_exponent));
}

double lookups_per_read(const ReadLaws& laws, double l0_files) {
  return laws.lookups + laws.lookups_per_l0_file * l0_files;
}

double missing_lookups_per_read(const ReadLaws& laws, double l0_files) {
  return laws.lookups + laws.lookups_per_l0_file * laws.l0_misses * l0_files;
}

ForegroundRates foreground_rates(const ForegroundInput& input, const ReadLaws& laws,
                                 const DeviceUse& use, double device_read_seconds) {
  ForegroundRates rates;
  rates.read = read_mix(input, laws, use, device_read_seconds);
  rates.write.fast_seconds = laws.write_seconds;
  const Arrivals& arrivals = input.arrivals;
  const double due_reads = arrivals.reads_per_second + input.read_backlog / kQueueSeconds;
  const double due_writes = arrivals.writes_per_second + input.write_backlog / kQueueSeconds;
  if (!(due_reads + due_writes > 0)) return rates;
  const Queues queues{due_reads,
                      due_writes,
                      {rates.read.mean_seconds(), laws.read_seconds},
                      {rates.write.mean_seconds(), laws.write_seconds},
                      {arrivals.threads, input.cpus}};
  double allowed = kUnbounded;
  if (input.write_state == WriteState::kDelayed) allowed = input.delayed_writes_per_second;
  if (input.write_state == WriteState::kStopped) allowed = 0;
  rates.unheld_writes_per_second = done_of(queues, arrivals, kUnbounded).writes;
  const Done done = done_of(queues, arrivals, allowed);
  rates.reads_per_second = done.reads;
  rates.writes_per_second = done.writes;
  if (allowed < kUnbounded && allowed > 0 && rates.writes_per_second >= allowed) {
    // The threads' writes wait for their turn.
    rates.write.slow_ratio = 1;
    rates.write.slow_seconds = laws.write_seconds + arrivals.threads / allowed;
  }
  rates.read.queued_seconds = input.read_queued_seconds;
  rates.write.queued_seconds = input.write_queued_seconds;
  return rates;
}

}  // namespace rocktune::sim
