// What a block device can do at most, and how much of that a load takes: one formula for the
// daemon's device load, for `rocktune probe-device` and for the bench's emulated device. Pure.
//
// A request takes bytes/bandwidth seconds and a fixed time, however long it is, of a device that
// works on many at once. u, the share of one direction, is what its requests take per second;
// reads and writes together take u_r + u_w + eta * u_r * u_w, where eta is what mixing them loses
// (0.1 to 1.9 on the drives whose fio points are public; below 0 where reads and writes have limits
// of their own, as on some virtual disks: -1 is no loss at all).
#pragma once

#include <algorithm>
#include <optional>

namespace rocktune {

inline constexpr double kRatedRequestBytes = 4096;  // what IOPS are stated for
// Where it was not measured: of the order of the drives named above.
inline constexpr double kUsualMixingLoss = 0.6;

// One direction, while the other one rests.
struct DirectionCapacity {
  double bytes_per_second = 0;  // of requests so long that their number does not count; above 0
  double iops = 0;              // of 4 KiB each, their transfer included; above 0
  bool operator==(const DirectionCapacity&) const = default;
};

// As probed; absent is not known, and to be learnt.
struct DeviceCapacities {
  std::optional<DirectionCapacity> read, write;
  std::optional<double> mixing_loss;         // eta
  std::optional<double> read_await_seconds;  // of one 4 KiB read on the idle device
  bool operator==(const DeviceCapacities&) const = default;
};

// The fixed time of a request; 0 where the bandwidth alone explains the IOPS.
inline double seconds_per_request(const DirectionCapacity& capacity) {
  return std::max(0.0, 1 / capacity.iops - kRatedRequestBytes / capacity.bytes_per_second);
}

// u: the share of the direction that this many bytes and requests a second take.
inline double capacity_share(const DirectionCapacity& capacity, double bytes_per_second,
                             double requests_per_second) {
  return bytes_per_second / capacity.bytes_per_second +
         requests_per_second * seconds_per_request(capacity);
}

inline constexpr double kLeastMixingLoss = -1, kMostMixingLoss = 100;

// 1: the device does no more.
inline double mixed_load(double read_share, double write_share, double mixing_loss) {
  const double mixed = read_share + write_share + mixing_loss * read_share * write_share;
  return std::max({read_share, write_share, mixed});  // beyond 1 the last term could outgrow them
}

}  // namespace rocktune
