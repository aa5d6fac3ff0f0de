#include "scenario/simulate/host_laws.h"

#include <numeric>

#include "scenario/scenario.h"
#include "tests/support/catch.h"

namespace rocktune::scenario {
namespace {

double asked(const sim::DemandSeries& demand, double sim::Arrivals::* rate) {
  double sum = 0;
  for (std::size_t i = 0; i < demand.arrivals.size(); ++i) {
    sum += demand.arrivals[i].*rate * demand.seconds[i];
  }
  return sum;
}

TEST_CASE("a workload asks for what its phases say") {
  const auto scenario = load_scenario("write-burst", false);
  REQUIRE(scenario);
  const sim::DemandSeries demand = demand_of(scenario->databases[0].workload);
  CHECK(std::accumulate(demand.seconds.begin(), demand.seconds.end(), 0.0) == Approx(40));
  CHECK(asked(demand, &sim::Arrivals::reads_per_second) ==
        Approx(24 * 2105 * 0.95 + 16 * 11000 * 0.3077));
  CHECK(asked(demand, &sim::Arrivals::writes_per_second) ==
        Approx(24 * 2105 * 0.05 + 16 * 11000 * 0.6923));
  CHECK(demand.arrivals[0].threads == 16);
  CHECK(demand.arrivals[0].catches_up);
  CHECK_FALSE(demand.arrivals[0].closed);
}

TEST_CASE("a phase without a rate is a closed loop of its mix") {
  const auto scenario = load_scenario("mild-pressure", false);
  REQUIRE(scenario);
  const sim::Arrivals burst = demand_of(scenario->databases[0].workload).arrivals.back();
  CHECK(burst.closed);
  CHECK(burst.reads_per_second == Approx(burst.writes_per_second));
  CHECK(burst.threads == 8);
}

TEST_CASE("inserts are appended, updates are not") {
  const auto scenario = load_scenario("diurnal", false);
  REQUIRE(scenario);
  const sim::DemandSeries demand = demand_of(scenario->databases[0].workload);
  CHECK(demand.arrivals.front().appended == 0);
  CHECK(demand.arrivals[60].appended == 1);  // the bulk load
  CHECK(demand.arrivals.back().appended == 0);
}

TEST_CASE("a ramp is followed") {
  const auto scenario = load_scenario("diurnal", false);
  REQUIRE(scenario);
  const sim::DemandSeries demand = demand_of(scenario->databases[0].workload);
  CHECK(demand.arrivals[27].per_second() > 4 * demand.arrivals[0].per_second());
}

TEST_CASE("a device that changes with time does so in the simulator") {
  DeviceProfile profile;
  profile.degradation = {{15, 0.5}};
  const auto changes = device_changes(profile);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].after_seconds == 15);
  CHECK(changes[0].rates == 0.5);
}

}  // namespace
}  // namespace rocktune::scenario
