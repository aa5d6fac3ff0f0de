#include <filesystem>

#include "scenario/device/profile.h"
#include "scenario/device/spec.h"
#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"

using rocktune::scenario::Degradation;
using rocktune::scenario::DeviceProfile;
using rocktune::scenario::format_device_profile;
using rocktune::scenario::load_device_profile;
using rocktune::scenario::parse_degradation;
using rocktune::scenario::parse_device_profile;
using rocktune::scenario::profile_named;
using rocktune::scenario::ReadLatencyGrowth;
using rocktune::scenario::SizedLatency;
using rocktune::scenario::stretched_device;
using rocktune::scenario::WriteCacheProfile;

TEST_CASE("the device of source 000", "[scenario][device]") {
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

TEST_CASE("a device without its capacities is refused", "[scenario][device]") {
  const auto profile =
      parse_device_profile("name: x\nread_iops: fast\nread_latency_us: -1\n", "d.yaml");
  REQUIRE_FALSE(profile);
  const std::string& message = profile.error().message;
  CHECK(message.find("write_bytes_per_second: is required") != std::string::npos);
  CHECK(message.find("d.yaml:2:12: read_iops: 'fast' is not a number") != std::string::npos);
  CHECK(message.find("d.yaml:3:18: read_latency_us: -1 is out of range") != std::string::npos);
}

namespace {

constexpr const char* kRates =
    "name: x\nread_bytes_per_second: 1GB\nwrite_bytes_per_second: 500MB\nread_iops: 100000\n"
    "write_iops: 50000\n";

}  // namespace

TEST_CASE("a profile with everything", "[scenario][device]") {
  const auto profile = parse_device_profile(
      std::string(kRates) +
          "read_latency_us: 80.5\nlarger_read_latency_us: {64KiB: 200, 1MiB: 250.5}\n"
          "read_latency_growth: {load: 3.7, read_weight: 0.3, writes: 0.25, writes_half: 0.01}\n"
          "write_buffer: 32MiB\nwrite_cache: {bytes: 8GiB, behind_bytes_per_second: 400MB}\n"
          "degradation:\n  - {after_seconds: 60, rates: 0.5}\n  - {after_seconds: 90, rates: 1}\n",
      "d.yaml");
  REQUIRE(profile);
  CHECK(profile->read_latency_us == 80.5);
  CHECK(profile->larger_read_latency_us ==
        std::vector<SizedLatency>{{65536, 200}, {1048576, 250.5}});
  CHECK(profile->read_latency_growth == ReadLatencyGrowth{3.7, 0.3, 0.25, 0.01});
  // It drains at the rate behind it unless told otherwise.
  CHECK(profile->write_cache == WriteCacheProfile{std::int64_t{8} << 30, 400e6, 400e6});
  CHECK(profile->degradation == std::vector<Degradation>{{60, 0.5}, {90, 1}});

  const DeviceProfile small = profile->scaled(16);
  CHECK(small.write_cache == WriteCacheProfile{std::int64_t{8} << 26, 25e6, 25e6});
  CHECK(small.write_buffer_bytes == 2 << 20);
  CHECK(small.degradation == profile->degradation);
  CHECK(small.larger_read_latency_us == profile->larger_read_latency_us);

  // What is written is what is read.
  const auto again = parse_device_profile(format_device_profile(*profile), "again");
  REQUIRE(again);
  CHECK(format_device_profile(*again) == format_device_profile(*profile));
  CHECK(again->write_cache == profile->write_cache);
  CHECK(again->write_buffer_bytes == profile->write_buffer_bytes);
  CHECK(again->degradation == profile->degradation);
  CHECK(again->read_latency_growth == profile->read_latency_growth);
}

TEST_CASE("every mistake in a profile's lists and maps is told at once", "[scenario][device]") {
  const auto profile =
      parse_device_profile(std::string(kRates) +
                               "larger_read_latency_us: {1MiB: 5, 64KiB: 4, x: 1}\n"
                               "write_cache: {behind_bytes_per_second: 0, colour: red}\n"
                               "degradation: [{after_seconds: 60}, {after_seconds: 60, rates: 0}]\n"
                               "read_latency_growth: 3\n",
                           "d.yaml");
  REQUIRE_FALSE(profile);
  const std::string& message = profile.error().message;
  INFO(message);
  for (const char* part :
       {"larger_read_latency_us.64KiB: is no request size above 1048576 bytes",
        "larger_read_latency_us.x: is no request size", "write_cache.bytes: is required",
        "write_cache.behind_bytes_per_second: 0 is out of range", "write_cache.colour:",
        "degradation.rates: is required", "degradation.rates: 0 is out of range",
        "degradation.after_seconds: is not later than the step before it",
        "read_latency_growth: must be a map"}) {
    CHECK(message.find(part) != std::string::npos);
  }
  const auto text = parse_device_profile(std::string(kRates) + "degradation: soon\n", "d.yaml");
  REQUIRE_FALSE(text);
  CHECK(text.error().message.find("d.yaml:6:14: degradation: is no list") != std::string::npos);
}

TEST_CASE("degradation from the command line", "[scenario][device]") {
  const auto half = parse_degradation("60:0.5");
  REQUIRE(half);
  CHECK(*half == Degradation{60, 0.5});
  for (const char* wrong : {"", "60", "60:", ":0.5", "60:0", "-1:0.5", "60:0.5x", "60:0.5:1"}) {
    INFO(wrong);
    const auto bad = parse_degradation(wrong);
    REQUIRE_FALSE(bad);
    CHECK(bad.error().message.find("is not SECONDS:FACTOR") != std::string::npos);
  }
}

TEST_CASE("degradation is stretched with the run", "[scenario][device]") {
  DeviceProfile profile;
  profile.degradation = {{10, 0.5}, {15, 1}};
  profile.stretch(0.2);
  REQUIRE(profile.degradation.size() == 2);
  CHECK(profile.degradation[0].after_seconds == Approx(2));
  CHECK(profile.degradation[0].rates == 0.5);
  CHECK(profile.degradation[1].after_seconds == Approx(3));
}

TEST_CASE("a device's text is stretched, with the steps of its profile", "[scenario][device]") {
  CHECK(*stretched_device("nvme-p41@10:0.5@15:1", 0.25) == "nvme-p41@2.5:0.5@3.75:1");
  CHECK(*stretched_device("loop:nvme-p41@60:0.5", 0.5) == "loop:nvme-p41@30:0.5");
  for (const char* same : {"none", "nvme-p41", "loop:nvme-p41"}) {
    CHECK(*stretched_device(same, 0.5) == same);
  }
  CHECK_FALSE(stretched_device("no-such", 0.5));
  const rocktune::tests::TempDirectory directory;
  std::filesystem::create_directory(directory.file("a@b"));
  const std::string file = directory.write(
      "a@b/d.yaml", std::string(kRates) + "degradation: [{after_seconds: 8, rates: 0.5}]\n");
  CHECK(*stretched_device(file, 0.5) == file + "@4:0.5");
  CHECK(profile_named("loop:" + file + "@4:0.5") == file);
}

TEST_CASE("every built-in device reads", "[scenario][device]") {
  for (const char* name : {"nvme-p41", "nvme-p41-small-cache", "nvme-pcie4-fio"}) {
    INFO(name);
    const auto profile = load_device_profile(name);
    REQUIRE(profile);
    CHECK(profile->name == name);
  }
}
