// When the databases on one device write evenly for the reads of one of them, and until when.
#include "policy/device_smoothing.h"

#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

struct Beside {
  Beside() {
    reader.demand.background = 1e6;
    writer.demand.background = 20e6;
    reader.demand.reads_are_far = false;
    reader.demand.reads_wait_seconds = 2;
  }
  std::optional<double> run(double seconds) {
    std::optional<double> from;
    for (int i = 0; i < static_cast<int>(2 * seconds); ++i) {
      now += at_seconds(0.5);
      from = smoothing.update(now, {reader, writer}, divided);
    }
    return from;
  }
  // Reads are far from their SLO beside the same work for as long as it takes; and wait again.
  double far_seconds() {
    reader.demand.reads_are_far = true;
    reader.demand.reads_wait_seconds = 0;
    double seconds = 0;
    while (run(0.5) && seconds < 1000) seconds += 0.5;
    reader.demand.reads_are_far = false;
    reader.demand.reads_wait_seconds = 2;
    return seconds;
  }

  DeviceMember reader, writer;
  DeviceSmoothing smoothing;
  bool divided = false;
  Nanoseconds now = at_seconds(1000);
};

}  // namespace

TEST_CASE("device smoothing: reads that wait for what others write ask for evenness",
          "[sharing][smoothing]") {
  Beside device;
  CHECK(device.run(0.5) == 0.2 * 21e6);
  // The same as long as somebody still waits, now and then.
  device.writer.demand.background = 14e6;
  for (int i = 0; i < 10; ++i) {
    device.reader.demand.reads_wait_seconds = 0;
    CHECK(device.run(290) == 0.2 * 21e6);
    device.reader.demand.reads_wait_seconds = 0.5;
    CHECK(device.run(0.5) == 0.2 * 21e6);
  }
}

TEST_CASE("device smoothing: not without reason", "[sharing][smoothing]") {
  Beside device;
  SECTION("reads have waited for a moment") {
    device.reader.demand.reads_wait_seconds = 1.5;
  }
  SECTION("it is their own database that writes most") {
    device.reader.demand.background = 21e6;
  }
  SECTION("others write next to nothing") {
    device.reader.demand.background = 0;
    device.writer.demand.background = 1e6;
  }
  SECTION("nobody knows what others write") {
    device.writer.demand.background.reset();
  }
  SECTION("the device is divided") {
    device.divided = true;
  }
  CHECK_FALSE(device.run(60));
}

TEST_CASE("device smoothing: goes on where the device is divided meanwhile",
          "[sharing][smoothing]") {
  Beside device;
  REQUIRE(device.run(0.5));
  device.divided = true;
  CHECK(device.run(60));
}

TEST_CASE("device smoothing: ends when reads are far from their SLO beside the same work",
          "[sharing][smoothing]") {
  Beside device;
  REQUIRE(device.run(0.5));
  CHECK(device.far_seconds() == Approx(30).margin(1));
  SECTION("where they wait again soon, later the next time") {
    REQUIRE(device.run(0.5));
    CHECK(device.far_seconds() == Approx(60).margin(1));
  }
  SECTION("...and sooner again where that took long") {
    REQUIRE(device.run(0.5));
    device.far_seconds();
    device.reader.demand.reads_wait_seconds = 0;
    CHECK_FALSE(device.run(1000));
    device.reader.demand.reads_wait_seconds = 2;
    REQUIRE(device.run(0.5));
    CHECK(device.far_seconds() == Approx(30).margin(1));
  }
}

TEST_CASE("device smoothing: work that comes and goes is judged by its mean",
          "[sharing][smoothing]") {
  Beside device;
  REQUIRE(device.run(0.5));
  device.reader.demand.reads_are_far = true;
  device.reader.demand.reads_wait_seconds = 0;
  double seconds = 0;
  while (device.run(5) && seconds < 200) {
    seconds += 5;
    device.writer.demand.background = device.writer.demand.background == 20e6 ? 5e6 : 20e6;
  }
  CHECK(seconds <= 60);
}

TEST_CASE("device smoothing: fast reads beside less work say nothing, and five minutes of it do",
          "[sharing][smoothing]") {
  Beside device;
  REQUIRE(device.run(0.5));
  device.writer.demand.background = 5e6;
  device.reader.demand.reads_are_far = true;
  device.reader.demand.reads_wait_seconds = 0;
  CHECK(device.run(290));
  CHECK_FALSE(device.run(15));
}

TEST_CASE("device smoothing: the more there are, the less is left to each",
          "[sharing][smoothing]") {
  Beside device;
  DeviceSmoothing smoothing;
  DeviceMember idle;
  idle.demand.background = 0;
  const auto from =
      smoothing.update(at_seconds(1), {device.reader, device.writer, idle, idle}, false);
  CHECK(from == 0.1 * 21e6);
}
