// What an emulated NVMe can do. Profiles are YAML files (scenario/devices/), given at the real
// device's rating; scaled() makes a slower device of the same shape for a smaller machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/result.h"

namespace rocktune::scenario {

// The latency of a request of this size on an idle device.
struct SizedLatency {
  std::int64_t bytes = 0;
  double latency_us = 0;
  bool operator==(const SizedLatency&) const = default;
};

// A read's latency grows before the device is full, above all with writes on the flash dies:
//   latency * (1 + load * rho / (1 - rho / 1.05) + writes * u_w / (u_w + writes_half)),
// rho = u_w + read_weight * u_r, with u the share of the pure capacity in use. All 0: it does not.
struct ReadLatencyGrowth {
  double load = 0;
  double read_weight = 0;
  double writes = 0;       // what the first few writes cost at once
  double writes_half = 0;  // the u_w at which half of that is reached
  bool operator==(const ReadLatencyGrowth&) const = default;
};

// Writes go into a fast cache that empties into the flash behind it. Once full, writes run at the
// rate behind it until it has drained.
struct WriteCacheProfile {
  std::int64_t bytes = 0;  // 0: no such cache
  double behind_bytes_per_second = 0;
  double drain_bytes_per_second = 0;
  bool operator==(const WriteCacheProfile&) const = default;
};

// From this second on, counted from when charging begins, every rate is multiplied by `rates`
// (which replaces the factor before it).
struct Degradation {
  double after_seconds = 0;
  double rates = 1;
  bool operator==(const Degradation&) const = default;
};

struct DeviceProfile {
  std::string name;
  std::string description;
  double read_bytes_per_second = 0;  // pure reads, deep queue
  double write_bytes_per_second = 0;
  double read_iops = 0;  // pure 4 KiB random reads, deep queue
  double write_iops = 0;
  // How much mixing costs: the device is full when u_r + u_w + mixing_loss * u_r * u_w = 1, with
  // u the share of the pure capacity that each direction gets.
  double mixing_loss = 0;
  double read_latency_us = 0;  // of one 4 KiB request on an idle device
  double write_latency_us = 0;
  std::vector<SizedLatency> larger_read_latency_us;  // by rising size; interpolated in between
  std::vector<SizedLatency> larger_write_latency_us;
  std::int64_t sync_latency_us = 0;
  ReadLatencyGrowth read_latency_growth;
  // Writes that the device acknowledges before they are done, so that reads wait for them rather
  // than who wrote. 0: a write waits until it is done.
  std::int64_t write_buffer_bytes = 0;
  WriteCacheProfile write_cache;
  std::vector<Degradation> degradation;        // by rising time
  std::int64_t max_request_bytes = 128 << 10;  // longer transfers are split, as the kernel does
  std::int64_t write_gather_bytes = 64 << 10;  // small appends to a file gather up to this

  // Rates, the write buffer and the write cache divided by `factor`; latencies, request sizes, the
  // mixing loss and times stay.
  [[nodiscard]] DeviceProfile scaled(double factor) const;
  // The degradation's times multiplied, as those of a workload that is stretched are.
  void stretch(double factor);
};

// `file` only names the text in messages.
Result<DeviceProfile> parse_device_profile(const std::string& text, const std::string& file);

// A built-in profile's name ("nvme-p41") or the path of a YAML file.
Result<DeviceProfile> load_device_profile(const std::string& name_or_path);

// "60:0.5": half of every rate from second 60 on.
Result<Degradation> parse_degradation(const std::string& text);

// As a file that parse_device_profile() reads, rounded to what such figures are good for.
std::string format_device_profile(const DeviceProfile& profile);

}  // namespace rocktune::scenario
