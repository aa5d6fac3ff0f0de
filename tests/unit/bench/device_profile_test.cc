#include "bench/device/profile.h"
#include "tests/support/catch.h"

using rocktune::bench::load_device_profile;
using rocktune::bench::parse_device_profile;

TEST_CASE("the device of source 000", "[bench][device]") {
  const auto profile = load_device_profile("nvme-p41");
  REQUIRE(profile);
  CHECK(profile->read_bytes_per_second == 7.0e9);
  CHECK(profile->write_bytes_per_second == 6.5e9);
  CHECK(profile->mixing_loss == Approx(7.1));
  const auto scaled = profile->scaled(16);
  CHECK(scaled.write_bytes_per_second == Approx(6.5e9 / 16));
  CHECK(scaled.read_iops == Approx(1.4e6 / 16));
  CHECK(scaled.read_latency_us == profile->read_latency_us);
  CHECK(scaled.mixing_loss == profile->mixing_loss);
}

TEST_CASE("a device without its capacities is refused", "[bench][device]") {
  const auto profile =
      parse_device_profile("name: x\nread_iops: fast\nread_latency_us: -1\n", "d.yaml");
  REQUIRE_FALSE(profile);
  const std::string& message = profile.error().message;
  CHECK(message.find("write_bytes_per_second: is required") != std::string::npos);
  CHECK(message.find("d.yaml:2:12: read_iops: 'fast' is not a number") != std::string::npos);
  CHECK(message.find("d.yaml:3:18: read_latency_us: -1 is out of range") != std::string::npos);
}
