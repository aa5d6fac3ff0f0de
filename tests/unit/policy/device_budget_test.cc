// When the writing of several databases on one device is divided, how far it falls, when it is free
// again.
#include "policy/device_budget.h"

#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

DeviceMember on_device(double background, double need) {
  DeviceMember out;
  out.demand.background = background;
  out.demand.need = need;
  out.least = 10e6;
  return out;
}

class Budgeted {
 public:
  DeviceMember reader = on_device(1e6, 1e6), writer = on_device(90e6, 30e6);

  std::optional<double> run(double seconds) {
    std::optional<double> budget;
    for (int i = 0; i < static_cast<int>(2 * seconds); ++i) {
      now_ += at_seconds(0.5);
      budget = budget_.update(now_, {reader, writer});
    }
    return budget;
  }
  void hurt(bool yes) {
    reader.demand.reads_hurt = yes;
    reader.demand.device_busy = yes;
  }

 private:
  DeviceBudget budget_;
  Nanoseconds now_ = at_seconds(1000);
};

}  // namespace

TEST_CASE("nobody suffers: nothing is divided, whatever is written", "[sharing][device]") {
  Budgeted device;
  device.reader.demand.device_busy = true;
  CHECK_FALSE(device.run(600));
}

TEST_CASE("slow reads on a device that is not busy are not others' fault", "[sharing][device]") {
  Budgeted device;
  device.reader.demand.reads_hurt = true;
  CHECK_FALSE(device.run(600));
}

TEST_CASE("slow reads while only their own database writes are not others' fault",
          "[sharing][device]") {
  Budgeted device;
  device.writer.demand.background = 0.5e6;
  device.reader.demand.background = 90e6;
  device.hurt(true);
  CHECK_FALSE(device.run(600));
}

TEST_CASE("reads suffer: from what is written now, in steps, down to what all need",
          "[sharing][device]") {
  Budgeted device;
  device.hurt(true);
  CHECK_FALSE(device.run(4.5));
  CHECK(device.run(1).value_or(0) == Approx(91e6));
  CHECK(device.run(16).value_or(0) == Approx(0.85 * 91e6));
  CHECK(device.run(600).value_or(0) == Approx(10e6 + 1.3 * 30e6));
}

TEST_CASE("a profile's share is the most to begin with", "[sharing][device]") {
  Budgeted device;
  device.hurt(true);
  device.writer.at_most = 60e6;
  CHECK(device.run(6).value_or(0) == Approx(60e6));
}

TEST_CASE("a backlog that its slice holds up wins, though reads suffer", "[sharing][device]") {
  Budgeted device;
  device.hurt(true);
  const double before = device.run(200).value_or(0);
  device.writer.demand.trouble = true;
  device.writer.held_up = true;
  CHECK(device.run(3).value_or(0) >= 2 * before);
  // Not what is wanting is a limit: then it does not help to raise one.
  Budgeted other;
  other.hurt(true);
  const double there = other.run(200).value_or(0);
  other.writer.demand.trouble = true;
  CHECK(other.run(3).value_or(0) <= there);
}

TEST_CASE("a budget far above all that is written is none", "[sharing][device]") {
  Budgeted device;
  device.hurt(true);
  REQUIRE(device.run(200));
  device.hurt(GENERATE(false, true));
  device.writer.demand.trouble = true;
  device.writer.held_up = true;
  const auto rising = device.run(2);
  REQUIRE(rising);
  CHECK(*rising <= 4.5 * 90e6);
  // Nor is it one again at once, whoever suffers.
  device.run(10);
  for (int i = 0; i < 50; ++i) CHECK_FALSE(device.run(1));
}

TEST_CASE("quiet for a minute it rises, and opens; trouble that comes back doubles the minute",
          "[sharing][device]") {
  Budgeted device;
  device.hurt(true);
  REQUIRE(device.run(100));
  device.hurt(false);
  device.writer.demand.background = 40e6;
  REQUIRE(device.run(59));
  CHECK_FALSE(device.run(300));
  device.hurt(true);
  device.writer.demand.background = 90e6;
  const double again = device.run(60).value_or(0);
  REQUIRE(again > 0);
  device.hurt(false);
  CHECK(device.run(115).value_or(0) == Approx(again));  // two minutes now
  CHECK(device.run(20).value_or(0) > again);
}

TEST_CASE("a backlog suffers from those who have none", "[sharing][device]") {
  Budgeted device;
  device.reader.demand.trouble = true;
  device.reader.demand.device_busy = true;
  const auto budget = device.run(10);
  REQUIRE(budget);
  CHECK(*budget >= 91e6);  // not lowered: that would help nobody
  CHECK(device.run(300) == budget);
}
