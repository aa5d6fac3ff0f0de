// What the emulated device itself costs for each I/O: the way through EmulatedDevice with the
// waiting left out, from several threads at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/result.h"
#include "scenario/device/profile.h"

namespace rocktune::bench {

// An emulated NVMe should cost less than this, or it is no longer the device that is measured.
constexpr double kDeviceCostTargetNs = 2000;

struct DeviceCost {
  std::int64_t threads = 0;
  std::int64_t requests = 0;  // of all threads
  double cpu_ns = 0;          // CPU time of the process for each request
  double wall_ns = 0;         // time for each request, all threads together
};

// Each thread makes `requests` requests, 4 KiB reads and 64 KiB writes in turn. `directory` must
// exist and is used for the device's files.
Result<DeviceCost> measure_device_cost(const scenario::DeviceProfile& profile,
                                       const std::string& directory, std::int64_t threads,
                                       std::int64_t requests);

}  // namespace rocktune::bench
