#include "bench/device/model.h"
#include "scenario/simulate/host_laws.h"
#include "tests/support/catch.h"

namespace rocktune::bench {
namespace {

TEST_CASE("a request takes of the simulated device what it takes of the emulated one") {
  scenario::DeviceProfile profile;
  profile.read_bytes_per_second = 100e6;
  profile.read_iops = 20e3;
  profile.write_bytes_per_second = 90e6;
  profile.write_iops = 10e3;
  const sim::DeviceLaws laws = scenario::device_laws(profile);
  for (const std::int64_t bytes : {4096, 65536, 131072}) {
    CHECK(capacity_share(laws.read, static_cast<double>(bytes), 1) ==
          Approx(pure_service_seconds(profile, IoKind::kRead, bytes)));
    CHECK(capacity_share(laws.write, static_cast<double>(bytes), 1) ==
          Approx(pure_service_seconds(profile, IoKind::kWrite, bytes)));
  }
}

}  // namespace
}  // namespace rocktune::bench
