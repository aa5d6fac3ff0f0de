// What a device does under a load like fio's: jobs that keep a fixed number of requests in flight,
// each a read or a write by chance. Once as a formula, for fitting, and once by driving the
// DeviceModel itself in virtual time, which is what a fit is judged by.
#pragma once

#include <cstdint>

#include "scenario/device/profile.h"

namespace rocktune::bench {

struct ClosedLoad {
  double read_share = 1;  // of the requests
  std::int64_t jobs = 1;
  std::int64_t queue_depth = 1;  // requests in flight, per job
  std::int64_t request_bytes = 4096;
  // The CPU time that a job needs for each request: it submits no faster than that.
  double host_us_per_request = 0;

  [[nodiscard]] double in_flight() const { return static_cast<double>(jobs * queue_depth); }
};

struct ClosedThroughput {
  double reads_per_second = 0;
  double writes_per_second = 0;
  double read_mean_us = 0;  // 0 without reads
  double write_mean_us = 0;

  [[nodiscard]] double requests_per_second() const { return reads_per_second + writes_per_second; }
};

// The steady state by three limits: what is in flight over the latency (Little's law), the
// capacity line u_r + u_w + mixing_loss * u_r * u_w <= 1, and the jobs' CPU. It knows neither write
// cache nor degradation.
double expected_requests_per_second(const scenario::DeviceProfile& profile, const ClosedLoad& load);

// Drives a DeviceModel: `warm_up_seconds` of device time unmeasured, then `seconds` measured. The
// same seed gives the same result.
ClosedThroughput run_closed_loop(const scenario::DeviceProfile& profile, const ClosedLoad& load,
                                 double warm_up_seconds, double seconds, std::uint64_t seed = 1);

}  // namespace rocktune::bench
