#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "sim/calibrate/device.h"
#include "tests/support/catch.h"
#include "tests/unit/model/device_plant.h"
#include "tests/unit/sim/recording.h"

namespace rocktune::sim {
namespace {

using test::DevicePlant;

// A device that serves one request after the other: a read takes `read` seconds and a second for
// each of so many bytes, and the same for writes. Requests wait as at a queue (M/M/1), up to 50.
struct SerialDevice {
  DirectionCapacity read{48e6, 1200}, write{24e6, 1000};
  DevicePlant clock;

  Features reading(double reads, double read_bytes, double writes, double write_bytes) {
    const double wanted = capacity_share(read, reads * read_bytes, reads) +
                          capacity_share(write, writes * write_bytes, writes);
    const double done = std::min(1.0, 1 / wanted);
    const double busy = std::min(wanted, 1.0);
    const double longer = std::min(50.0, busy < 1 ? 1 / (1 - busy) : 50);
    Features f = clock.reading(0, reads * done, read_bytes);
    f.device_write_iops = writes * done;
    f.device_write_bytes_per_second = writes * done * write_bytes;
    f.device_read_await_ms = longer * capacity_share(read, read_bytes, 1) * 1e3;
    f.device_write_await_ms = longer * capacity_share(write, write_bytes, 1) * 1e3;
    f.device_queue = longer - 1;
    f.device_busy_ratio = busy;
    return f;
  }
};

TEST_CASE("a device that was full is known by what kept it busy") {
  SerialDevice device;
  DeviceCalibration calibration;
  for (int i = 0; i < 400; ++i) {
    // Reads of 4 KiB that rise beyond what the device does; every third second a compaction.
    const bool compacts = i % 6 < 2;
    calibration.update(
        device.reading(50 + 4 * (i % 350), compacts ? 16384 : 4096, 5, compacts ? 1 << 20 : 16384));
  }
  const auto found = calibration.capacities();
  REQUIRE(found);
  CHECK(found->read->iops == Approx(1200).epsilon(0.1));
  CHECK(found->read->bytes_per_second == Approx(48e6).epsilon(0.25));
  CHECK(found->write->bytes_per_second == Approx(24e6).epsilon(0.25));
  CHECK(found->read_await_seconds);
}

TEST_CASE("a device that nobody filled tells no capacity") {
  SerialDevice device;
  DeviceCalibration calibration;
  CHECK_FALSE(calibration.capacities());
  for (int i = 0; i < 400; ++i) calibration.update(device.reading(50 + i, 4096, 5, 16384));
  CHECK_FALSE(calibration.capacities());
}

TEST_CASE("a device that works on many requests at once does what it was seen to do at most") {
  DevicePlant plant;  // 100,000 reads a second, 0.1 ms each: ten at once
  DeviceCalibration calibration;
  for (int i = 0; i < 400; ++i) {
    Features f = plant.reads(i % 40 < 20 ? 1 : 60);
    f.device_busy_ratio = 1;  // something was always in flight
    calibration.update(f);
  }
  const auto found = calibration.capacities();
  REQUIRE(found);
  CHECK(found->read->iops == Approx(100'000).epsilon(0.1));
  // Never written to: as the other direction.
  CHECK(*found->write == *found->read);
}

TEST_CASE("whatever the counters say, a capacity is finite and above 0") {
  std::mt19937 random(7);
  const double infinity = std::numeric_limits<double>::infinity();
  const double odd[] = {0, -1, 1e-300, 1e300, infinity, std::nan("")};
  for (int round = 0; round < 200; ++round) {
    SerialDevice device;
    DeviceCalibration calibration;
    for (int i = 0; i < 100; ++i) {
      Features f = device.reading(50 + 40 * (i % 50), 4096, 5, 65536);
      for (Value* value : {&f.device_read_iops, &f.device_write_bytes_per_second,
                           &f.device_busy_ratio, &f.device_read_await_ms}) {
        if (random() % 20 == 0) *value = odd[random() % 6];
        if (random() % 50 == 0) value->reset();
      }
      calibration.update(f);
    }
    const auto found = calibration.capacities();
    if (!found) continue;
    for (const auto& one : {found->read, found->write}) {
      REQUIRE(one);
      CHECK(std::isfinite(one->bytes_per_second));
      CHECK(one->bytes_per_second > 0);
      CHECK(std::isfinite(one->iops));
      CHECK(one->iops > 0);
    }
  }
}

}  // namespace
}  // namespace rocktune::sim
