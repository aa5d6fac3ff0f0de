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
  if (mix.wait_ratio > 0) {
    mix.wait_seconds = misses.each * use.read_wait_seconds / mix.wait_ratio;
  }
  return mix;
}

}  // namespace

double miss_ratio(const ReadLaws& laws, double cache_bytes) {
  if (!(laws.miss_ratio > 0)) return 0;
  const double size = std::max(cache_bytes, 1.0) / laws.cache_bytes;
  return std::min(1.0, laws.miss_ratio * std::pow(size, -laws.cache_exponent));
}

ForegroundRates foreground_rates(const ForegroundInput& input, const ReadLaws& laws,
                                 const DeviceUse& use, double device_read_seconds) {
  ForegroundRates rates;
  rates.read = read_mix(input, laws, use, device_read_seconds);
  rates.write.fast_seconds = laws.write_seconds;
  const Arrivals& arrivals = input.arrivals;
  const double asked = arrivals.per_second();
  if (!(asked > 0)) return rates;
  const double writing = arrivals.writes_per_second / asked;
  // As fast as the threads and the CPUs allow.
  const double seconds =
      (1 - writing) * rates.read.mean_seconds() + writing * rates.write.mean_seconds();
  const double cpu_seconds = (1 - writing) * laws.read_seconds + writing * laws.write_seconds;
  const double most = std::min(arrivals.threads / std::max(seconds, 1e-9),
                               input.cpus / std::max(cpu_seconds, 1e-9));
  double allowed = kUnbounded;
  if (input.write_state == WriteState::kDelayed) allowed = input.delayed_writes_per_second;
  if (input.write_state == WriteState::kStopped) allowed = 0;
  const double backlog = input.read_backlog + input.write_backlog;
  if (arrivals.closed || arrivals.one_queue) {
    double all = arrivals.closed || backlog > 0 ? most : std::min(asked, most);
    if (arrivals.one_queue && writing > 0) all = std::min(all, allowed / writing);
    rates.reads_per_second = all * (1 - writing);
    rates.writes_per_second = std::min(all * writing, allowed);
  } else {
    // Each kind has its share, and what the other one leaves of its own.
    const double reads = input.read_backlog > 0 ? most : arrivals.reads_per_second;
    const double writes = input.write_backlog > 0 ? most : arrivals.writes_per_second;
    rates.reads_per_second = std::min(reads, most - std::min({writes, allowed, most * writing}));
    rates.writes_per_second = std::min({writes, allowed, most - rates.reads_per_second});
  }
  if (allowed < kUnbounded && allowed > 0 && rates.writes_per_second >= allowed) {
    // The threads' writes wait for their turn.
    rates.write.slow_ratio = 1;
    rates.write.slow_seconds = laws.write_seconds + arrivals.threads / allowed;
  }
  const auto queued = [](double operations, double rate) {
    return operations > 0 && rate > 0 ? operations / rate : 0;
  };
  if (arrivals.one_queue) {
    rates.read.queued_seconds = rates.write.queued_seconds =
        queued(backlog, rates.reads_per_second + rates.writes_per_second);
  } else {
    rates.read.queued_seconds = queued(input.read_backlog, rates.reads_per_second);
    rates.write.queued_seconds = queued(input.write_backlog, rates.writes_per_second);
  }
  return rates;
}

}  // namespace rocktune::sim
