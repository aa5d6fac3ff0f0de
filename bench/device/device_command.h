// `rocktune-bench device`: fits a profile to measured points, measures what the emulated device
// costs, and removes what a killed run left of a loop device.
#pragma once

#include <cstdint>
#include <string>

namespace rocktune::bench {

struct DeviceFitSettings {
  std::string points;           // a CSV file (points.h)
  std::string name = "fitted";  // the profile's
  std::string description;
  std::string write_buffer = "0";  // bytes, or 32MiB: the profile's, not fitted
  std::uint64_t seed = 1;          // of the draw of the points that are held out
  std::uint64_t parts = 3;         // one part of so many is held out
  bool json = false;
};

struct DeviceCostSettings {
  std::string profile = "nvme-p41";
  std::int64_t requests = 200'000;  // of each thread
  bool json = false;
};

// Each returns the process's exit code: 0 done, 1 failed, 2 usage.
int device_fit_command(const DeviceFitSettings& settings);
int device_cost_command(const DeviceCostSettings& settings);
int device_clean_command();

}  // namespace rocktune::bench
