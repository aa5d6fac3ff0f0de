// Fits a device profile to measured points, and says how far off it is at points it has not seen.
//
// Fitted are both bandwidths, both IOPS, the mixing loss, the latencies of each request size, how
// the reads' grow with the load, and the CPU time that the measuring host needed for a request.
// They minimise the difference of the logarithms of measured and expected throughput
// (closed_loop.h), large ones counted linearly, so that one odd run does not bend the rest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/device/points.h"
#include "model/result.h"
#include "scenario/device/profile.h"

namespace rocktune::bench {

struct DeviceFit {
  scenario::DeviceProfile profile;
  double host_us_per_request = 0;  // of the machine that measured, not of the device
};

// Needs 30 points: pure reads, pure writes and mixed ones among them.
// The write buffer is given: it shows in who waits, hardly in throughput.
Result<DeviceFit> fit_device(const std::vector<MeasuredPoint>& points,
                             std::int64_t write_buffer_bytes = 0);

// Which points are kept from the fit: the mixed ones are shuffled by a generator seeded with `seed`
// and dealt to `parts` hands; these are hand `part`'s. Every mixed point is in exactly one.
std::vector<bool> held_out(const std::vector<MeasuredPoint>& points, std::uint64_t seed,
                           std::uint64_t parts, std::uint64_t part);

// |emulated / measured - 1| of a point's throughput, from the formula or from the DeviceModel
// driven in virtual time with as many requests in flight as the measurement had.
double formula_error(const DeviceFit& fit, const MeasuredPoint& point);
double model_error(const DeviceFit& fit, const MeasuredPoint& point);

// So many in flight fill a device.
inline constexpr double kFullInFlight = 64;
// |load - 1| of a point at which the device did no more, with the fitted capacities and the mixing
// loss alone (model/device_capacities.h): what the daemon's device load is good to.
double load_error(const DeviceFit& fit, const MeasuredPoint& point);

struct ErrorSummary {
  std::size_t points = 0;
  double median = 0;
  double p90 = 0;
  double max = 0;
};
ErrorSummary summarise(std::vector<double> errors);

}  // namespace rocktune::bench
