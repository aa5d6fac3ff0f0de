// What comes of growth that was foreseen, and what that does to the next forecasts.
#include "model/foreseen_growth.h"

#include "model/stall_forecast.h"
#include "tests/support/catch.h"
#include "tests/unit/model/flow_plant.h"

using namespace rocktune;
using rocktune::test::at_seconds;
using rocktune::test::FlowPlant;

namespace {

constexpr double kSlowdown = 20;

// L0 stays at 5 files while 15 are foreseen, for so long from the first forecast on.
void stand_still(ForeseenGrowth& growth, double seconds) {
  growth.foresee(5, 15);
  for (double passed = 0; passed < seconds; passed += 0.5) {
    growth.see(0.5, 5, kSlowdown);
    growth.foresee(5, 15);
  }
}

// Compactions out of L0 are fast enough, but seem to be twelve times as slow.
Features misread(FlowPlant& plant, double time) {
  Features features = plant.read(time);
  *features.column_families.at(0).l0_compactions_ms *= 12;
  return features;
}

}  // namespace

TEST_CASE("Growth that does not come is believed less and less, but once is chance", "[forecast]") {
  ForeseenGrowth growth;
  stand_still(growth, 10);
  CHECK(growth.share() == 1);
  stand_still(growth, 9);
  CHECK(growth.share() == 1);  // it may still come
  stand_still(growth, 1);
  CHECK(growth.share() < 0.8);
  stand_still(growth, 60);
  CHECK(growth.share() < 0.3);
  for (int i = 0; i < 900; ++i) growth.see(1, 5, kSlowdown);
  CHECK(growth.share() == 1);  // that was long ago
}

TEST_CASE("Growth that comes is believed at once", "[forecast]") {
  ForeseenGrowth growth;
  stand_still(growth, 60);
  REQUIRE(growth.share() < 0.5);
  double files = 15;
  SECTION("as foreseen") {}
  SECTION("up to the limit, where writers are slowed down") {
    growth = ForeseenGrowth();
    stand_still(growth, 59.5);
    growth.foresee(5, 24);
    files = kSlowdown;
  }
  growth.see(3, files, kSlowdown);
  CHECK(growth.share() > 0.9);
}

TEST_CASE("A saw-tooth teaches nothing", "[forecast]") {
  ForeseenGrowth growth;
  growth.foresee(5, 7.5);
  growth.see(20, 5, kSlowdown);
  CHECK(growth.share() == 1);
}

TEST_CASE("A flood that is foreseen again and again and never comes is no warning", "[forecast]") {
  FlowPlant plant(1, 300e6);
  StallForecast forecast;
  double first = 0, later = 0;
  for (double time = 100; time < 300; time += 0.5) {
    forecast.update(misread(plant, time), false, 30);
    if (!forecast.worst()) continue;
    double& highest = time < 125 ? first : later;
    if (time < 125 || time >= 200) highest = std::max(highest, forecast.worst()->probability);
  }
  CHECK(first > 0.9);
  CHECK(later < 0.5);  // warns of nothing

  // ... and one that comes is.
  plant.set_rate(14e6);
  std::optional<double> warned;
  double time = 300;
  for (; plant.files < kSlowdown; time += 0.5) {
    REQUIRE(time < 400);
    forecast.update(misread(plant, time), false, 30);
    const bool warns = forecast.worst() && forecast.worst()->probability > 0.6;
    if (warns && !warned) warned = time;
  }
  REQUIRE(warned);
  CHECK(time - *warned >= 2);
}

TEST_CASE("Before the first compaction out of L0 has ended, no rate is taken for known",
          "[forecast]") {
  FlowPlant plant(1, 450e6);  // would be too slow with 100 MB/s, which a slow disk has
  StallForecast forecast;
  double time = 1;
  for (; plant.files < 4; time += 0.5) {
    forecast.update(plant.read(time), false, 30);
    if (!forecast.worst()) continue;
    CHECK(forecast.worst()->probability > 0.2);
    CHECK(forecast.worst()->probability < 0.6);
  }
  SECTION("one that lasts too long says that it is slow") {
    Features features = plant.read(time);
    ColumnFamilyReading& family = features.column_families.at(0);
    REQUIRE(family.l0_compaction_input_bytes);
    *family.l0_compaction_age_ms += 4000;
    forecast.update(features, false, 30);
    REQUIRE(forecast.worst());
    CHECK(forecast.worst()->probability > 0.9);
  }
  SECTION("once it has ended it is known") {
    for (; time < 20; time += 0.5) forecast.update(plant.read(time), false, 30);
    REQUIRE(forecast.worst());
    CHECK(forecast.worst()->probability < 0.1);
  }
}
