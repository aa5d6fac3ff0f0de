// Plain reads and writes on the emulated device, without a database: what source 004 measured with
// fio. The device's model is driven in virtual time (bench/device/closed_loop.h): no thread, no
// sleep, and nothing that the machine's speed could change.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "bench/device/closed_loop.h"
#include "scenario/device/profile.h"

namespace rocktune::bench::experiment {

struct DeviceMix {
  scenario::DeviceProfile profile;  // as used: scaled
  ClosedLoad load;
  double seconds = 1;  // of device time
  std::uint64_t seed = 1;
};

// A document like that of `rocktune-bench run` ("device", "partial", "total"), with the
// operations `read` and `write`; a direction that was not asked for is not there.
nlohmann::json run_device_mix(const DeviceMix& mix);

}  // namespace rocktune::bench::experiment
