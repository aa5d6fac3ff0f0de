#include "sim/together.h"

#include "tests/support/catch.h"

namespace rocktune::sim {
namespace {

SimulationInput on_device(const std::string& device, double begin_seconds) {
  SimulationInput input;
  input.device_name = device;
  input.begin = Nanoseconds(static_cast<std::int64_t>(begin_seconds * 1e9));
  input.demand.seconds = {1, 1};
  input.demand.arrivals = {{100, 10}, {200, 20}};
  return input;
}

TEST_CASE("databases are together by the name of their device, where it is known") {
  const std::vector<SimulationInput> inputs = {on_device("nvme0n1", 0), on_device("", 0),
                                               on_device("nvme1n1", 0), on_device("nvme0n1", 0),
                                               on_device("", 0)};
  CHECK(on_one_device(inputs) == std::vector<std::vector<std::size_t>>{{0, 3}, {1}, {2}, {4}});
}

TEST_CASE("who came later is asked for nothing until then") {
  const std::vector<SimulationInput> inputs = {on_device("a", 12), on_device("a", 10)};
  const std::vector<std::size_t> both = {0, 1};
  const auto group = begun_together(inputs, both);
  REQUIRE(group.size() == 2);
  CHECK(group[0].begin == group[1].begin);
  REQUIRE(group[0].demand.seconds.size() == 3);
  CHECK(group[0].demand.seconds[0] == Approx(2));
  CHECK(group[0].demand.arrivals[0].per_second() == 0);
  CHECK(group[0].demand.arrivals[1].reads_per_second == 100);
  CHECK(group[1].demand.seconds.size() == 2);
}

}  // namespace
}  // namespace rocktune::sim
