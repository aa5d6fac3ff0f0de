// The samples of the day (bench/replay_speed/day.h). Deterministic. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/measure/histogram.h"
#include "model/sample.h"
#include "sim/host.h"
#include "sim/random.h"
#include "sim/sampler.h"

namespace rocktune::bench {

class DaySamples {
 public:
  explicit DaySamples(std::size_t families);

  // The next poll's: half a second after the one before.
  Sample next();

 private:
  // Of one kind of operation, in buckets of microseconds that are the agent's, too.
  struct Latencies {
    std::vector<std::uint64_t> counts = std::vector<std::uint64_t>(LatencyBuckets::kCount, 0);
    std::uint64_t sum_us = 0;
    std::uint64_t operations = 0;  // by the last poll
    [[nodiscard]] LatencyHistogram histogram() const;
  };

  void ask(double seconds);
  void set_times(Sample& sample, Nanoseconds passed);
  void fill_database(DatabaseReading& database);
  void count_latencies(Latencies& all, std::uint64_t operations, double fast_us, double slow_us,
                       double slow_ratio);
  void fill_host(HostReading& host);
  void fill_nvme(Sample& sample);

  sim::Random random_{1, 0};
  sim::Host host_;
  sim::Sampler sampler_;
  Latencies reads_, writes_;
  std::uint64_t polls_ = 0;
  double burst_seconds_ = 0;  // left of a burst of writes
  double cpu_pressure_us_ = 0, io_pressure_us_ = 0;
};

}  // namespace rocktune::bench
