// Plain reads and writes on the emulated device, without a database: what source 004 measured with
// fio. Threads issue one request after another, each a read with a given probability.
#pragma once

#include <atomic>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/device/profile.h"
#include "model/result.h"

namespace rocktune::bench::experiment {

struct DeviceMix {
  DeviceProfile profile;  // as used: scaled
  std::int64_t request_bytes = 4096;
  double read_share = 1;
  std::int64_t threads = 1;
  double seconds = 1;
  std::uint64_t seed = 1;
};

// A document like that of `rocktune-bench run` ("total", "partial", "label", "device"), with
// operations `read` and `write`. `directory` must exist; the device's files are removed at the end.
Result<nlohmann::json> run_device_mix(const DeviceMix& mix, const std::string& directory,
                                      const std::atomic<bool>& stop);

}  // namespace rocktune::bench::experiment
