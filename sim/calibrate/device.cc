#include "sim/calibrate/device.h"

#include <algorithm>
#include <cmath>

#include "sim/calibrate/least_squares.h"
#include "sim/median.h"

namespace rocktune::sim {
namespace {

// Fewer readings with traffic than this tell nothing.
constexpr std::size_t kFewestReadings = 20;
// Draws what always came together to equal parts.
constexpr double kRidge = 1e-4;
// The most that the device was seen to do, but for accidents.
constexpr double kMost = 0.99;
// Near the most: there the device is at its limit where requests take so much longer
// (DeviceLoad::kAwaitRatioLimit) in the middle of so many readings.
constexpr double kNearlyMost = 0.8;
constexpr std::size_t kFewestAtLimit = 3;
// A device that was busy for less than this even when it did most was not at its limit.
constexpr double kLeastLoad = 0.5;
// A direction that took less of the device's time than this is hardly known.
constexpr double kUsedDirection = 0.1;
// Of a direction's time, what its bytes take at least to be told.
constexpr double kLeastPart = 0.1;

struct DirectionCosts {
  double byte_seconds = 0, request_seconds = 0;
};

// Where bytes explain hardly anything, as where all requests are short, both are taken to cost
// alike at the size that requests had.
DirectionCapacity capacity_of(DirectionCosts costs, double bytes, double requests) {
  const double of_bytes = costs.byte_seconds * bytes;
  const double both = of_bytes + costs.request_seconds * requests;
  if (!(of_bytes > kLeastPart * both)) costs = {both / 2 / bytes, both / 2 / requests};
  return {1 / costs.byte_seconds,
          1 / (costs.request_seconds + kRatedRequestBytes * costs.byte_seconds)};
}

}  // namespace

void DeviceCalibration::update(const Features& f) {
  load_.update(f);
  if (!f.device_read_bytes_per_second || !f.device_read_iops || !f.device_write_bytes_per_second ||
      !f.device_write_iops || !f.device_busy_ratio) {
    return;
  }
  const Traffic traffic{*f.device_read_bytes_per_second, *f.device_read_iops,
                        *f.device_write_bytes_per_second, *f.device_write_iops};
  if (!std::isfinite(*f.device_busy_ratio) || !traffic.allFinite() || !(traffic.maxCoeff() > 0))
    return;
  const double busy = std::clamp(*f.device_busy_ratio, 0.0, 1.0);
  squares_ += traffic * traffic.transpose();
  busy_ += traffic * busy;
  sum_ += traffic;
  readings_.push_back({traffic.cast<float>(), static_cast<float>(load_.await_ratio().value_or(0))});
}

std::optional<DeviceCapacities> DeviceCalibration::capacities() const {
  if (readings_.size() < kFewestReadings) return std::nullopt;
  const Traffic costs = nonnegative_fit<4>(squares_, busy_, kRidge);
  std::vector<double> loads;
  loads.reserve(readings_.size());
  for (const Reading& reading : readings_) {
    loads.push_back(costs.dot(reading.traffic.cast<double>()));
  }
  const double most = nearest_rank(loads, kMost);
  std::vector<double> awaits;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const bool near = loads[i] >= kNearlyMost * most && readings_[i].await_ratio > 0;
    if (near) awaits.push_back(readings_[i].await_ratio);
  }
  const bool at_limit =
      awaits.size() >= kFewestAtLimit && median(awaits) >= DeviceLoad::kAwaitRatioLimit;
  if (!at_limit || !(most >= kLeastLoad)) return std::nullopt;
  const Traffic alone = costs / std::max(most, 1.0);
  const Traffic busy = alone.cwiseProduct(sum_);
  const auto direction = [&](int first) -> std::optional<DirectionCapacity> {
    if (!(busy(first) + busy(first + 1) > kUsedDirection * busy.sum())) return std::nullopt;
    return capacity_of({alone(first), alone(first + 1)}, sum_(first), sum_(first + 1));
  };
  DeviceCapacities out;
  out.read = direction(0);
  out.write = direction(2);
  if (!out.read) out.read = out.write;
  if (!out.write) out.write = out.read;
  if (const auto ms = load_.light_read_ms(kRatedRequestBytes)) out.read_await_seconds = *ms / 1e3;
  out.mixing_loss = 0;  // what it is, is in the costs
  return out.read ? std::optional(out) : std::nullopt;
}

}  // namespace rocktune::sim
