// What an emulated NVMe can do. Profiles are YAML files (bench/devices/), given at the real
// device's rating; scaled() makes a slower device of the same shape for a smaller machine.
#pragma once

#include <cstdint>
#include <string>

#include "model/result.h"

namespace rocktune::bench {

struct DeviceProfile {
  std::string name;
  std::string description;
  double read_bytes_per_second = 0;  // pure reads, deep queue
  double write_bytes_per_second = 0;
  double read_iops = 0;  // pure small random reads, deep queue
  double write_iops = 0;
  // How much mixing costs: the device is full when u_r + u_w + mixing_loss * u_r * u_w = 1, with
  // u the share of the pure capacity that each direction gets.
  double mixing_loss = 0;
  std::int64_t read_latency_us = 0;  // of one request on an idle device, besides its transfer
  std::int64_t write_latency_us = 0;
  std::int64_t sync_latency_us = 0;
  std::int64_t max_request_bytes = 128 << 10;  // longer transfers are split, as the kernel does
  std::int64_t write_gather_bytes = 64 << 10;  // small appends to a file gather up to this

  // Bandwidth and IOPS divided by `factor`; latencies, request sizes and the mixing loss stay.
  [[nodiscard]] DeviceProfile scaled(double factor) const;
};

// `file` only names the text in messages.
Result<DeviceProfile> parse_device_profile(const std::string& text, const std::string& file);

// A built-in profile's name ("nvme-p41") or the path of a YAML file.
Result<DeviceProfile> load_device_profile(const std::string& name_or_path);

}  // namespace rocktune::bench
