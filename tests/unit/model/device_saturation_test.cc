// DeviceAssessor: the load and the waiting reads beside the operator's limits.
#include <algorithm>
#include <string>

#include "model/assessment.h"
#include "tests/support/catch.h"
#include "tests/unit/model/device_plant.h"

using namespace rocktune;
using rocktune::test::DevicePlant;
using rocktune::test::probed_capacities;

namespace {

// No limit of the operator's is in reach: what remains is the model's.
Objective without_limits() {
  Objective objective;
  objective.device_queue_limit = 1e6;
  objective.device_await_limit_seconds = 3600;
  return objective;
}

Assessment assess_reads(DeviceAssessor& device, DevicePlant& plant, double queue, int readings,
                        const Objective& objective = without_limits()) {
  Assessment last;
  for (int i = 0; i < readings; ++i) last = device.assess(plant.reads(queue), objective);
  return last;
}

std::optional<Candidate> candidate(const DeviceAssessor& device, std::string_view feature) {
  const auto candidates = device.candidates(Features{}, without_limits());
  const auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [&](const Candidate& d) { return d.feature == feature; });
  return found == candidates.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

TEST_CASE("a probed device above 85% of its load for three seconds is saturated", "[device_load]") {
  DeviceAssessor device(probed_capacities());
  DevicePlant plant;
  Assessment quiet = assess_reads(device, plant, 5, 60);
  CHECK_FALSE(quiet.indicator.event);
  CHECK(quiet.physical[1] < 0.1);
  REQUIRE(candidate(device, "device_load"));
  CHECK(candidate(device, "device_load")->value == Approx(0.5));
  CHECK(candidate(device, "device_load")->limit == 0.85);
  CHECK_FALSE(assess_reads(device, plant, 9.5, 4).indicator.event);
  Assessment full = assess_reads(device, plant, 9.5, 4);
  CHECK(full.indicator.event);
  CHECK(full.indicator.cause == "load");
  CHECK(full.sentence().find("% loaded (limit 85%)") != std::string::npos);
  CHECK(*device.load().rho() == Approx(0.95).margin(0.01));
  CHECK_FALSE(assess_reads(device, plant, 5, 20).indicator.event);
}

TEST_CASE("a load that grows towards the limit is foreseen", "[device_load]") {
  DeviceAssessor device(probed_capacities());
  DevicePlant plant;
  Assessment last;
  for (double queue = 2; queue < 7; queue += 0.1) last = assess_reads(device, plant, queue, 1);
  CHECK_FALSE(last.indicator.event);
  CHECK(last.indicator.cause == "load");
  CHECK(last.physical[1] > 0.5);
  CHECK(*last.indicator.eta_seconds == Approx(10).margin(3));  // 0.2 of the queue a second
}

TEST_CASE("a steady load at the most that was ever seen is no saturation", "[device_load]") {
  // The device's limit was learnt in a short overload; from then on the load sits right at it, and
  // nothing waits.
  DeviceAssessor device;
  DevicePlant plant;
  assess_reads(device, plant, 1, 40);
  assess_reads(device, plant, 40, 16);
  REQUIRE(device.load().origin() == DeviceLoad::Origin::kLearnt);
  assess_reads(device, plant, 1, 20);
  for (int i = 0; i < 1200; ++i) {
    const Assessment now = assess_reads(device, plant, 10, 1);
    REQUIRE(*device.load().rho() == Approx(1).margin(0.05));
    REQUIRE_FALSE(now.indicator.event);
    REQUIRE(now.physical[1] < 0.3);
  }
  // Where they do wait, it is.
  const Assessment waiting = assess_reads(device, plant, 25, 10);
  CHECK(waiting.indicator.event);
  CHECK(waiting.indicator.cause == "load");
  CHECK(waiting.sentence().find("against what it was seen to do") != std::string::npos);
}

TEST_CASE("a steady load on a device that nobody probed is never saturated by itself",
          "[device_load]") {
  for (const double queue : {0.5, 3.0, 9.0, 40.0}) {
    DeviceAssessor device;
    DevicePlant plant;
    for (int i = 0; i < 600; ++i) {
      REQUIRE_FALSE(assess_reads(device, plant, queue, 1).indicator.event);
    }
  }
}

TEST_CASE("reads that wait in a queue that brings nothing are saturation", "[device_load]") {
  DeviceAssessor device;
  DevicePlant plant;
  assess_reads(device, plant, 1, 40);
  const Assessment waiting = assess_reads(device, plant, 40, 6);
  CHECK(waiting.indicator.event);
  CHECK(waiting.indicator.cause == "await");
  CHECK(waiting.sentence() ==
        "reads take 4 times as long as under light load, and a longer queue brings no more "
        "throughput (limit 3 times)");
  REQUIRE(candidate(device, "device_read_await_ratio"));
  CHECK(candidate(device, "device_read_await_ratio")->limit == 3.0);
  CHECK_FALSE(assess_reads(device, plant, 20, 20).indicator.event);  // twice as long
}

TEST_CASE("a gap keeps what was learnt, another database does not", "[device_load]") {
  DeviceAssessor device;
  DevicePlant plant;
  assess_reads(device, plant, 1, 40);
  assess_reads(device, plant, 40, 16);
  Features after = plant.reads(5);
  after.missed_polls = 100;
  device.assess(after, without_limits());
  CHECK(device.load().rho());
  device.clear();
  assess_reads(device, plant, 5, 1);
  CHECK_FALSE(device.load().rho());
}

TEST_CASE("few requests that are in flight all the time make no idle device", "[device_load]") {
  Objective objective;
  objective.device_queue_limit = 1e6;
  objective.device_await_limit_seconds = 0.1;
  const double queue = GENERATE(9.0, 0.1);
  DeviceAssessor device{DeviceCapacities()};
  DevicePlant plant;
  Assessment last;
  for (int i = 0; i < 10; ++i) {
    Features f = plant.reading(queue, 0, 4096);
    f.device_write_iops = 9;  // of 1 MiB each, one second long
    f.device_write_bytes_per_second = 9 << 20;
    f.device_write_await_ms = queue / 9 * 1e3;
    last = device.assess(f, objective);
  }
  CHECK(last.indicator.event == (queue > 1));
  if (queue > 1) CHECK(last.indicator.cause == "await");
}
