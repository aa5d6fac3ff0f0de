#include "files/device_profile.h"

#include "daemon/config/finalize.h"
#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"

using namespace rocktune;
using namespace rocktune::daemon;
using rocktune::tests::TempDirectory;

namespace {

constexpr const char* kProfile =
    "read_bytes_per_second: 3512000000\n"
    "write_bytes_per_second: 2.9e9\n"
    "read_iops: 512000\n"
    "write_iops: 401000\n"
    "mixing_loss: 0.62\n"
    "read_latency_us: 78.5\n"
    "measured: {device: nvme0n1, fio: fio-3.33, mixed: [{read: 1, write: 2}]}\n";

ConfigResult config_of(const std::string& text) {
  const Result<RawConfig> raw = parse_yaml(text, "r.yaml");
  REQUIRE(raw.has_value());
  return finalize(*raw);
}

}  // namespace

TEST_CASE("a device profile is read for what the device can do", "[daemon][config]") {
  const auto read = parse_device_profile(kProfile, "d.yaml");
  REQUIRE(read.has_value());
  CHECK(*read == DeviceCapacities{DirectionCapacity{3.512e9, 512'000},
                                  DirectionCapacity{2.9e9, 401'000}, 0.62, 78.5 / 1e6});
}

TEST_CASE("what is wrong in a device profile is said with its place", "[daemon][config]") {
  const auto read = parse_device_profile(
      "read_bytes_per_second: 0\nwrite_bytes_per_second: fast\nread_iops: 1000\nwrite_iop: 3\n",
      "d.yaml");
  REQUIRE_FALSE(read.has_value());
  for (const char* part :
       {"d.yaml:1:24: read_bytes_per_second: '0' is out of range", "d.yaml:2:25: write_bytes_per",
        "d.yaml:4:1: write_iop: unknown key; did you mean 'write_iops'?",
        "write_iops: is missing: probe the device anew", "mixing_loss: is missing"}) {
    CAPTURE(part, read.error().message);
    CHECK(read.error().message.find(part) != std::string::npos);
  }
  CHECK_FALSE(parse_device_profile("", "d.yaml"));
  CHECK_FALSE(parse_device_profile("- 1\n", "d.yaml"));
  CHECK_FALSE(parse_device_profile("a: [", "d.yaml"));
  CHECK_FALSE(load_device_profile("/nowhere/device.yaml"));
}

TEST_CASE("the device profile of the defaults holds for targets without one of their own",
          "[daemon][config]") {
  TempDirectory directory;
  const std::string path = directory.write("device.yaml", kProfile);
  const auto config = config_of("defaults: {device_profile: " + path +
                                "}\n"
                                "targets:\n"
                                "  - {path: /a}\n"
                                "  - {path: /b, device_profile: unset}\n");
  REQUIRE(config.has_value());
  const DeviceCapacities expected = *parse_device_profile(kProfile, "d.yaml");
  CHECK(config->engine.objective.device_capacities == expected);
  CHECK(config->rule_for("/a").engine.objective.device_capacities == expected);
  CHECK(config->rule_for("/b").engine.objective.device_capacities == DeviceCapacities{});
  CHECK(config->rule_for("/c").engine.objective.device_capacities == expected);
}

TEST_CASE("a target's own device profile, and one that is broken", "[daemon][config]") {
  TempDirectory directory;
  const std::string path = directory.write("device.yaml", kProfile);
  const auto own = config_of("targets: [{path: /b, device_profile: " + path + "}]\n");
  REQUIRE(own.has_value());
  CHECK(own->engine.objective.device_capacities == DeviceCapacities{});
  CHECK(own->rule_for("/b").engine.objective.device_capacities.mixing_loss == 0.62);
  const std::string bad = directory.write("bad.yaml", "read_iops: 1\n");
  for (const std::string& file : {bad, directory.file("none.yaml"), std::string("relative.yaml")}) {
    const auto broken = config_of("defaults:\n  device_profile: " + file + "\n");
    REQUIRE_FALSE(broken.has_value());
    REQUIRE(broken.error().size() == 1);
    CAPTURE(broken.error()[0]);
    CHECK(broken.error()[0].find("r.yaml:2:") == 0);
    CHECK(broken.error()[0].find(file) != std::string::npos);
  }
}
