#include "sim/together.h"

#include "tests/support/catch.h"

namespace rocktune::sim {
namespace {

using Groups = std::vector<std::vector<std::size_t>>;

SimulationInput on_device(const std::string& device, double begin_seconds, double seconds = 100) {
  SimulationInput input;
  input.device_name = device;
  input.begin = Nanoseconds(static_cast<std::int64_t>(begin_seconds * 1e9));
  input.demand.seconds = {seconds / 2, seconds / 2};
  input.demand.arrivals = {{100, 10}, {200, 20}};
  return input;
}

TEST_CASE("databases are together by the name of their device, where it is known") {
  const std::vector<SimulationInput> inputs = {on_device("nvme0n1", 0), on_device("", 0),
                                               on_device("nvme1n1", 0), on_device("nvme0n1", 0),
                                               on_device("", 0)};
  CHECK(on_one_device(inputs) == Groups{{0, 3}, {1}, {2}, {4}});
}

TEST_CASE("databases of other times share nothing, those between join them") {
  CHECK(on_one_device(std::vector{on_device("a", 100), on_device("a", 0)}) == Groups{{0}, {1}});
  CHECK(on_one_device(std::vector{on_device("a", 90), on_device("a", 0)}) == Groups{{0, 1}});
  const auto joined = {on_device("a", 150), on_device("a", 0), on_device("a", 80)};
  CHECK(on_one_device(std::vector(joined)) == Groups{{0, 1, 2}});
  const auto apart = {on_device("a", 150), on_device("a", 0), on_device("b", 80)};
  CHECK(on_one_device(std::vector(apart)) == Groups{{0}, {1}, {2}});
  SimulationInput reopened = on_device("a", 0);
  reopened.demand.absences.push_back({1, 100});
  CHECK(on_one_device(std::vector{reopened, on_device("a", 150)}) == Groups{{0, 1}});
}

}  // namespace
}  // namespace rocktune::sim
