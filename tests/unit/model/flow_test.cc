// What FamilyFlow learns of flows whose rates are known.
#include "model/flow.h"

#include "tests/support/catch.h"
#include "tests/unit/model/flow_plant.h"

using namespace rocktune;
using rocktune::test::at_seconds;
using rocktune::test::FlowPlant;

namespace {

void follow(FamilyFlow& flow, FlowPlant& plant, double from, double to, double step) {
  for (double time = from; time < to; time += step) {
    const Features features = plant.read(time);
    flow.update(features.column_families.at(0), features.read_at);
  }
}

}  // namespace

TEST_CASE("Intervals and rates are learnt exactly, however the polls fall", "[flow]") {
  const double step = GENERATE(0.5, 1.0, 3.7);
  FlowPlant plant(2.3, 300e6);
  FamilyFlow flow;
  follow(flow, plant, 100, 160, step);
  REQUIRE(flow.why_not_ready() == nullptr);
  const FlowState state = flow.state(1, flow.l0_rates().values[0]);
  CHECK(state.flush_interval_seconds == Approx(2.3).epsilon(0.001));
  CHECK(state.l0_bytes_per_second == Approx(300e6).epsilon(0.001));
  CHECK(state.flush_bytes == Approx(FlowPlant::kFile));
  CHECK(state.base_level == 1);
}

TEST_CASE("The end of a running job is known", "[flow]") {
  FlowPlant plant(2.3, 300e6);
  FamilyFlow flow;
  double time = 100;
  for (; time < 200 || !plant.job_ends() || *plant.job_ends() < time + 1; time += 0.5) {
    const Features features = plant.read(time);
    flow.update(features.column_families.at(0), features.read_at);
    if (time > 190 && plant.job_ends() && *plant.job_ends() > time + 0.5) break;
  }
  const FlowState state = flow.state(1, flow.l0_rates().values[0]);
  REQUIRE(state.l0_job);
  CHECK(state.l0_job->seconds_left == Approx(*plant.job_ends() - time).margin(0.05));
}

TEST_CASE("What is not known is said", "[flow]") {
  FlowPlant plant(2, 300e6);
  Features features = plant.read(100);
  ColumnFamilyReading reading = features.column_families.at(0);
  FamilyFlow flow;
  SECTION("another compaction style") {
    reading.leveled_compaction = 0;
  }
  SECTION("an unknown one") {
    reading.leveled_compaction.reset();
  }
  SECTION("no limit") {
    reading.level0_slowdown_trigger = 0;
  }
  const char* begins = "it";
  SECTION("no listener") {
    reading.flushes.reset();
    begins = "nothing";
  }
  SECTION("no levels") {
    reading.levels.clear();
  }
  SECTION("just begun") {}
  flow.update(reading, features.read_at);
  REQUIRE(flow.why_not_ready() != nullptr);
  CHECK(std::string(flow.why_not_ready()).starts_with(begins));
}

TEST_CASE("A counter that runs backwards begins anew", "[flow]") {
  FlowPlant plant(2, 300e6);
  FamilyFlow flow;
  follow(flow, plant, 100, 150, 1);
  REQUIRE(flow.why_not_ready() == nullptr);
  FlowPlant another(2, 300e6);
  const Features features = another.read(3);
  flow.update(features.column_families.at(0), at_seconds(151));
  CHECK(flow.why_not_ready() != nullptr);
}

TEST_CASE("Flushes that stay away stretch the interval", "[flow]") {
  FlowPlant plant(2, 300e6);
  FamilyFlow flow;
  follow(flow, plant, 100, 150, 1);
  const Features last = plant.read(150);
  for (int second = 0; second <= 100; ++second) {
    ColumnFamilyReading reading = last.column_families.at(0);
    *reading.last_flush_age_ms += static_cast<std::uint64_t>(second) * 1000;
    flow.update(reading, last.read_at + at_seconds(second));
  }
  CHECK(flow.state(1, 300e6).flush_interval_seconds > 90);
}
