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

TEST_CASE("Growth that does not come is believed less and less", "[forecast]") {
  ForeseenGrowth growth;
  CHECK(growth.share() == 1);
  stand_still(growth, 9.5);
  CHECK(growth.share() == 1);  // it may still come
  stand_still(growth, 0.5);
  CHECK(growth.share() == Approx(0.6));
  stand_still(growth, 60);
  CHECK(growth.share() < 0.05);
}

TEST_CASE("Growth that comes is believed at once", "[forecast]") {
  ForeseenGrowth growth;
  stand_still(growth, 60);
  const double before = growth.share();
  growth.drop();
  growth.foresee(5, 15);
  growth.see(3, 15, kSlowdown);
  CHECK(growth.share() == Approx(before + 0.5 * (1 - before)));
  SECTION("up to the limit, where writers are slowed down") {
    growth.foresee(5, 24);
    growth.see(4, kSlowdown, kSlowdown);
    CHECK(growth.share() == Approx(before + 0.75 * (1 - before)));
  }
}

TEST_CASE("What other rates or a saw-tooth foresaw teaches nothing", "[forecast]") {
  ForeseenGrowth growth;
  SECTION("a few files") {
    growth.foresee(5, 7.5);
  }
  SECTION("dropped") {
    growth.foresee(5, 15);
    growth.drop();
  }
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
    if (time < 125 || time >= 150) highest = std::max(highest, forecast.worst()->probability);
    if (time >= 150) CHECK(forecast.worst()->peak_files < 15);
  }
  CHECK(first > 0.9);
  CHECK(later < 0.1);

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
