#include "model/heads/forecaster.h"

#include <cmath>

#include "model/heads/evidence.h"
#include "tests/support/catch.h"

namespace rocktune {
namespace {

// An event of 5 s every 100 s; demand tells of it 25 s before. Physics says nothing: 10%.
struct Plant {
  Forecaster forecaster{LearntIndicator()};
  Episodes episodes;
  Nanoseconds now{0};
  int second = 0;

  void step() {
    now += std::chrono::milliseconds(500);
    second = static_cast<int>(seconds_between(Nanoseconds(0), now)) % 100;
    const bool event = second >= 90 && second < 95;
    episodes.update(now, true, event);
    Forecaster::Moment moment;
    moment.physical.fill(log_odds(0.1));
    moment.inputs.set(HeadInput::kDemand, second >= 65 && second < 95 ? 1.0 : 0.0);
    moment.values[0] = event ? 2.0 : 0.0;
    forecaster.update(now, &moment, episodes);
  }
  void run(int seconds) {
    for (int i = 0; i < 2 * seconds; ++i) step();
  }
  void run_to(int wanted) {
    do step();
    while (second != wanted);
  }
  double probability(double horizon) const { return probability_of(*forecaster.log_odds(horizon)); }
};

TEST_CASE("it begins with physics and learns what tells of the event", "[heads]") {
  Plant plant;
  plant.run(70);
  CHECK(plant.probability(30) == Approx(0.1).margin(0.1));
  CHECK_FALSE(plant.forecaster.calibrated());
  plant.run(4000);
  plant.run_to(75);
  CHECK(plant.probability(30) > 0.8);
  CHECK(plant.forecaster.contributions(30)[static_cast<std::size_t>(HeadInput::kDemand)] > 1);
  plant.run_to(30);
  CHECK(plant.probability(30) < 0.2);
  CHECK(plant.probability(60) > plant.probability(10));
  CHECK(plant.forecaster.calibrated());
  CHECK(plant.forecaster.learnt().onsets >= 40);
}

TEST_CASE("a horizon between two heads lies between them", "[heads]") {
  Plant plant;
  plant.run(3000);
  plant.run_to(20);
  const double low = std::min(plant.probability(30), plant.probability(60));
  const double high = std::max(plant.probability(30), plant.probability(60));
  CHECK(plant.probability(42) > low);
  CHECK(plant.probability(42) < high);
  CHECK(plant.probability(5) == plant.probability(10));
  CHECK(plant.probability(300) == plant.probability(60));
}

TEST_CASE("the values foreseen contain what comes", "[heads]") {
  Plant plant;
  plant.run(6000);
  plant.run_to(75);
  const auto before = plant.forecaster.value(0, 30);
  REQUIRE(before);
  CHECK(before->at(1) > 1.2);  // 2 comes
  plant.run_to(20);
  const auto quiet = plant.forecaster.value(0, 30);
  CHECK(quiet->at(0) < 0.5);
  CHECK(quiet->at(0) >= 0);  // the largest from now on is no less than now
  CHECK(quiet->at(0) <= quiet->at(1));
  CHECK_FALSE(plant.forecaster.value(1, 30));
}

TEST_CASE("what it learnt is the prior of another one", "[heads]") {
  Plant taught;
  taught.run(4000);
  Plant fresh;
  fresh.forecaster.load(taught.forecaster.learnt());
  fresh.run_to(75);
  CHECK(fresh.probability(30) > 0.7);
  CHECK(fresh.forecaster.learnt().onsets >= 40);
  LearntIndicator broken = taught.forecaster.learnt();
  broken.events[1].weights[0] = std::nanf("");
  fresh.forecaster.load(broken);
  CHECK(fresh.forecaster.learnt() == LearntIndicator());
}

TEST_CASE("a gap or a clock that steps back teaches nothing and forgets nothing", "[heads]") {
  Plant plant;
  plant.run(4000);
  const LearntIndicator before = plant.forecaster.learnt();
  for (int i = 0; i < 20; ++i) {
    plant.now += std::chrono::hours(1);
    plant.step();
    plant.now -= std::chrono::hours(2);
    plant.step();
  }
  CHECK(plant.forecaster.learnt().events == before.events);
  plant.forecaster.update(plant.now, nullptr, plant.episodes);
  CHECK_FALSE(plant.forecaster.log_odds(30));
}

TEST_CASE("after a drift it is not trusted for a while", "[heads]") {
  Plant plant;
  plant.run(4000);
  REQUIRE(plant.forecaster.calibrated());
  // Demand comes and goes as before, the event does not.
  for (int i = 0; i < 2 * 1500; ++i) {
    plant.now += std::chrono::milliseconds(500);
    const int second = static_cast<int>(seconds_between(Nanoseconds(0), plant.now)) % 100;
    plant.episodes.update(plant.now, true, false);
    Forecaster::Moment moment;
    moment.physical.fill(log_odds(0.9));
    moment.inputs.set(HeadInput::kDemand, second >= 20 && second < 95 ? 1.0 : 0.0);
    plant.forecaster.update(plant.now, &moment, plant.episodes);
    if (!plant.forecaster.calibrated()) return;
  }
  FAIL("no drift was seen");
}

TEST_CASE("the evidence adds up to the log odds", "[heads]") {
  HeadVector contributions{};
  contributions[static_cast<std::size_t>(HeadInput::kPhysical30)] = 0.5F;
  contributions[static_cast<std::size_t>(HeadInput::kReadUse)] = 1.0F;
  contributions[static_cast<std::size_t>(HeadInput::kReadSlope15)] = 0.75F;
  contributions[static_cast<std::size_t>(HeadInput::kIoPressure)] = -0.25F;
  Features features;
  features.io_pressure_ratio = 0.4;
  const std::vector<Driver> drivers =
      weigh({{"read_p99_us", 4000, 5000}, {"l0_files", 3, 20}}, contributions, log_odds(0.6),
            {features, HeadInputs(), Episodes(), std::nullopt});
  REQUIRE(drivers.size() == 4);
  CHECK(drivers[0] == Driver{"read_p99_us", 4000, 5000, 1.75});
  CHECK(drivers[1].feature == "forecast");
  CHECK(drivers[1].value == Approx(0.6));
  CHECK(*drivers[1].weight == Approx(log_odds(0.6) + 0.5));
  CHECK(drivers[2] == Driver{"io_pressure_ratio", 0.4, std::nullopt, -0.25});
  CHECK_FALSE(drivers[3].weight);
}

TEST_CASE("what speaks for the event the most is among the evidence", "[heads]") {
  HeadVector contributions{};
  for (const HeadInput input : {HeadInput::kReadUse, HeadInput::kWriteUse, HeadInput::kL0Use,
                                HeadInput::kPendingUse, HeadInput::kDeviceQueue}) {
    contributions.at(static_cast<std::size_t>(input)) = -2;
  }
  contributions.at(static_cast<std::size_t>(HeadInput::kBacklogPhysical)) = 1.5F;
  Features features;
  features.read_p99_us = features.write_p99_us = features.l0_files = features.pending_bytes =
      features.device_queue = 1;
  HeadInputs inputs;
  inputs.set(HeadInput::kBacklogPhysical, log_odds(0.9));
  const std::vector<Driver> drivers =
      weigh({}, contributions, log_odds(0.05), {features, inputs, Episodes(), std::nullopt});
  REQUIRE(drivers.size() == kMostDrivers);
  CHECK(drivers.back().feature == "compaction_backlog");
  CHECK(drivers.back().value == Approx(0.9));
  CHECK(drivers.back().weight == 1.5);
}

TEST_CASE("without anything learnt the evidence is as physics sees it", "[heads]") {
  const std::vector<Driver> drivers = weigh({{"a", 1, 2}, {"b", 1, 3}}, HeadVector{}, 1,
                                            {Features(), HeadInputs(), Episodes(), std::nullopt});
  CHECK(drivers == std::vector<Driver>{{"a", 1, 2}, {"b", 1, 3}});
}

}  // namespace
}  // namespace rocktune
