#include "model/device_load.h"

#include <cmath>
#include <limits>
#include <random>
#include <type_traits>

#include "tests/support/catch.h"
#include "tests/unit/model/device_plant.h"

using namespace rocktune;
using rocktune::test::DevicePlant;
using rocktune::test::probed_capacities;

// Nothing in it can allocate.
static_assert(std::is_trivially_copyable_v<DeviceLoad>);

namespace {

void feed_reads(DeviceLoad& load, DevicePlant& plant, double queue, int readings) {
  for (int i = 0; i < readings; ++i) load.update(plant.reads(queue));
}

}  // namespace

TEST_CASE("a probed device's load is exact at what was probed", "[device_load]") {
  DeviceLoad load(probed_capacities());
  DevicePlant plant;
  CHECK_FALSE(load.rho());
  load.update(plant.reading(10, 100'000, 4096));
  CHECK(*load.rho() == Approx(1));
  CHECK(load.origin() == DeviceLoad::Origin::kProbed);
  CHECK(load.why_absent() == nullptr);
  load.update(plant.reading(1, 25'000, 4096));
  CHECK(*load.rho() == Approx(0.25));
  // Bytes and requests both count: 0.5 GB/s in requests of 64 KiB, at 5.904 us for each of them.
  load.update(plant.reading(1, 5e8 / 65536, 65536));
  CHECK(*load.rho() == Approx(0.5 + 5e8 / 65536 * (1e-5 - 4096 / 1e9)));
  // Half of each direction, and what mixing loses.
  Features mixed = plant.reading(8, 50'000, 4096);
  mixed.device_write_iops = 25'000;
  mixed.device_write_bytes_per_second = 25'000.0 * 4096;
  load.update(mixed);
  CHECK(*load.rho() == Approx(0.5 + 0.5 + 0.5 * 0.25));
  load.update(plant.reading(0, 0, 4096));
  CHECK(*load.rho() == 0);
}

TEST_CASE("what a device can do is learnt where it does no more, not where nobody asks for more",
          "[device_load]") {
  DeviceLoad load;
  DevicePlant plant;
  feed_reads(load, plant, 1, 40);
  // 80% of what it can do, without waiting: the most that was seen, but no limit.
  feed_reads(load, plant, 8, 100);
  CHECK_FALSE(load.rho());
  CHECK(std::string(load.why_absent()) == "the device was not probed, nor seen at its limit yet");
  CHECK(*load.read_await_ratio() == Approx(1).margin(0.1));
  feed_reads(load, plant, 40, 9);
  CHECK_FALSE(load.rho());  // not for 5 s yet
  feed_reads(load, plant, 40, 5);
  CHECK(*load.read_await_ratio() == Approx(4).margin(0.2));
  CHECK(load.queue_is_useless());
  CHECK(*load.rho() == Approx(1));
  CHECK(load.origin() == DeviceLoad::Origin::kLearnt);
  feed_reads(load, plant, 5, 1);
  CHECK(*load.rho() == Approx(0.5).margin(0.01));
  CHECK(load.correction() == 1);
}

TEST_CASE("each direction is learnt for itself, and what is known stays", "[device_load]") {
  DeviceLoad load;
  DevicePlant plant;
  feed_reads(load, plant, 1, 40);
  feed_reads(load, plant, 40, 20);
  const auto mixed = [&](double reads, double writes, double queue, double await_ms) {
    Features f = plant.reading(queue, reads, 4096);
    f.device_read_await_ms = await_ms;
    f.device_write_iops = writes;
    f.device_write_bytes_per_second = writes * 4096;
    load.update(f);
  };
  mixed(25'000, 25'000, 4, 0.12);
  CHECK_FALSE(load.rho());
  CHECK(std::string(load.why_absent()).find("write") != std::string::npos);
  for (int i = 0; i < 40; ++i) mixed(25'000, 25'000, 40, 0.8);
  CHECK(*load.rho() == Approx(1).margin(0.02));
  feed_reads(load, plant, 5, 1);
  CHECK(*load.rho() == Approx(0.5).margin(0.15));  // reads alone cost what they did, about
  load.clear();
  feed_reads(load, plant, 5, 1);
  CHECK_FALSE(load.rho());
}

TEST_CASE("a learnt limit follows a device that slows down", "[device_load]") {
  DeviceLoad load;
  DevicePlant plant;
  feed_reads(load, plant, 1, 40);
  feed_reads(load, plant, 40, 20);
  plant.read_iops = 50'000;
  feed_reads(load, plant, 40, 60);
  CHECK(*load.rho() == Approx(1).margin(0.02));
  plant.read_iops = 100'000;
  feed_reads(load, plant, 40, 60);
  CHECK(*load.rho() == Approx(1).margin(0.02));
}

TEST_CASE("long requests are no waiting ones", "[device_load]") {
  DeviceLoad load;
  DevicePlant plant;
  feed_reads(load, plant, 1, 40);
  // 1 MiB each, 8 in flight, 20 times the await of 4 KiB: their own light load is not known.
  for (int i = 0; i < 40; ++i) load.update(plant.reading(8, 4000, 1 << 20));
  CHECK_FALSE(load.read_await_ratio());
  CHECK_FALSE(load.rho());
  for (int i = 0; i < 40; ++i) load.update(plant.reading(2, 1000, 1 << 20));
  for (int i = 0; i < 40; ++i) load.update(plant.reading(8, 4000, 1 << 20));
  CHECK(*load.read_await_ratio() == Approx(1).margin(0.1));
  CHECK_FALSE(load.rho());
}

TEST_CASE("a queue that brings more throughput is not useless", "[device_load]") {
  DeviceLoad load;
  DevicePlant plant;
  feed_reads(load, plant, 1, 40);
  double queue = 2.1;
  for (int i = 0; i < 60; ++i) {
    queue *= 1.05;
    Features f = plant.reading(queue, queue * 1000, 4096);  // ten times the await, but rising
    load.update(f);
    CHECK_FALSE(load.queue_is_useless());
  }
  CHECK_FALSE(load.rho());
}

TEST_CASE("a probed device that does less is corrected, and back", "[device_load]") {
  DeviceLoad load(probed_capacities());
  DevicePlant plant;
  feed_reads(load, plant, 1, 40);
  plant.read_iops = 40'000;
  feed_reads(load, plant, 40, 12);
  CHECK(load.correction() == Approx(1).margin(0.1));
  CHECK(*load.rho() < 0.5);
  feed_reads(load, plant, 40, 600);
  CHECK(load.correction() == Approx(2.5).margin(0.1));
  CHECK(*load.rho() == Approx(1).margin(0.05));
  // It recovers: at 40,000 a second reads wait for nothing, so it cannot be full.
  plant.read_iops = 100'000;
  feed_reads(load, plant, 4, 600);
  CHECK(*load.rho() <= 0.86);
  plant.read_iops = 1000;  // and dies, nearly
  feed_reads(load, plant, 400, 2000);
  CHECK(load.correction() <= DeviceLoad::kMostCorrection);
  load.clear();
  CHECK(load.correction() == 1);
}

TEST_CASE("a gap or a clock that steps back keeps what was learnt and begins its windows anew",
          "[device_load]") {
  DeviceLoad load;
  DevicePlant plant;
  feed_reads(load, plant, 1, 40);
  feed_reads(load, plant, 40, 8);
  plant.sequence += 7200;  // an hour
  feed_reads(load, plant, 40, 8);
  CHECK_FALSE(load.rho());  // 5 s at the limit were not seen in one piece
  feed_reads(load, plant, 40, 5);
  CHECK(*load.rho() == Approx(1));
  plant.sequence -= 7000;
  feed_reads(load, plant, 5, 1);
  CHECK(*load.rho() == Approx(0.5).margin(0.01));
  Features nothing;
  nothing.at.tick = test::at_seconds(1e6);
  load.update(nothing);
  CHECK_FALSE(load.rho());
  CHECK(load.why_absent() != nullptr);
}

TEST_CASE("whatever comes in, what comes out is finite and bounded", "[device_load][property]") {
  std::mt19937_64 random(7);
  const auto pick = [&](double mean) -> Value {
    switch (random() % 12) {
      case 0:
        return std::nullopt;
      case 1:
        return std::numeric_limits<double>::quiet_NaN();
      case 2:
        return std::numeric_limits<double>::infinity();
      case 3:
        return -mean;
      case 4:
        return 0;
      case 5:
        return 1e300;
      case 6:
        return 1e-300;
      default:
        return mean * std::exp(static_cast<double>(random() % 1000) / 200 - 2.5);
    }
  };
  const DeviceCapacities absurd{DirectionCapacity{1e-300, 1e300}, DirectionCapacity{1e300, 1e-300},
                                1e300, std::numeric_limits<double>::quiet_NaN()};
  for (int run = 0; run < 60; ++run) {
    DeviceLoad load(run % 3 == 0   ? DeviceCapacities{}
                    : run % 3 == 1 ? probed_capacities()
                                   : absurd);
    double time = 0;
    for (int i = 0; i < 500; ++i) {
      Features f;
      time += random() % 50 == 0 ? -100 : random() % 30 == 0 ? 3600 : 0.5;
      f.at.tick = test::at_seconds(time);
      f.device_queue = pick(16);
      f.device_read_iops = pick(50'000);
      f.device_read_bytes_per_second = pick(2e8);
      f.device_read_await_ms = pick(0.3);
      f.device_write_iops = pick(10'000);
      f.device_write_bytes_per_second = pick(2e8);
      f.device_write_await_ms = pick(0.3);
      if (random() % 100 == 0) load.clear();
      load.update(f);
      REQUIRE((!load.rho() || (*load.rho() >= 0 && *load.rho() <= 10)));
      REQUIRE((load.rho().has_value() == (load.why_absent() == nullptr)));
      REQUIRE((!load.read_await_ratio() ||
               (*load.read_await_ratio() >= 0 && *load.read_await_ratio() <= 1e6)));
      REQUIRE(load.correction() >= DeviceLoad::kLeastCorrection);
      REQUIRE(load.correction() <= DeviceLoad::kMostCorrection);
    }
    // What came before does no harm.
    DevicePlant plant;
    plant.sequence = 20'000'000;
    feed_reads(load, plant, 1, 4000);
    feed_reads(load, plant, 40, 200);
    if (run % 3 != 2) CHECK(*load.rho() == Approx(1).margin(0.1));
  }
}
