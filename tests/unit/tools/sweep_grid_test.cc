#include "tools/sweep_grid.h"

#include <sstream>

#include "support.h"

using namespace rocktune;
using namespace rocktune::tools;
using rocktune::tools::test::contains;

namespace {

Result<SweepGrid> parse_grid(const std::string& text) {
  return parse_sweep_grid(text, "grid.yaml");
}

std::vector<std::string> labels_of(const SweepGrid& grid) {
  std::vector<std::string> labels;
  for (const PolicyChoice& policy : grid.policies) labels.push_back(policy.label);
  return labels;
}

}  // namespace

TEST_CASE("a grid is every combination of the parameters", "[sweep]") {
  const auto grid = parse_grid(R"(
rung: closed_loop
policies:
  - name: headroom
    params:
      limiter_raise_factor: [1.25, 1.5]
      jobs_return_seconds: {from: 60, to: 120, steps: 3}
  - static
  - name: headroom
    params: {limiter_raise_factor: 2}
seeds: 3
calibrate_until: 120
)");
  if (!grid) FAIL(grid.error().message);
  CHECK(labels_of(*grid) ==
        std::vector<std::string>{"headroom:jobs_return_seconds=60:limiter_raise_factor=1.25",
                                 "headroom:jobs_return_seconds=90:limiter_raise_factor=1.25",
                                 "headroom:jobs_return_seconds=120:limiter_raise_factor=1.25",
                                 "headroom:jobs_return_seconds=60:limiter_raise_factor=1.5",
                                 "headroom:jobs_return_seconds=90:limiter_raise_factor=1.5",
                                 "headroom:jobs_return_seconds=120:limiter_raise_factor=1.5",
                                 "static", "headroom:limiter_raise_factor=2"});
  CHECK(grid->params == std::vector<std::string>{"jobs_return_seconds", "limiter_raise_factor"});
  CHECK(grid->rung == SweepRung::kClosedLoop);
  CHECK(grid->seeds == 3);
  CHECK(grid->source.calibrate_seconds == 120);
  CHECK_FALSE(grid->source.whole);
  CHECK(grid->device_file.empty());
  CHECK(parse_grid("rung: closed_loop\npolicies: [static]\n")->seeds == 20);
  CHECK(parse_grid("rung: open_loop\npolicies: [static]\n")->seeds == 1);
}

TEST_CASE("a grid has the run and the device that simulate has options for", "[sweep]") {
  const std::string head = "rung: closed_loop\npolicies: [static]\n";
  const auto grid = parse_sweep_grid(head + "whole: true\ndevice: nvme.yaml\n", "grids/grid.yaml");
  if (!grid) FAIL(grid.error().message);
  CHECK(grid->source.whole);
  CHECK(grid->device_file == "grids/nvme.yaml");
  CHECK(parse_grid(head + "device: nvme.yaml\n")->device_file == "nvme.yaml");
  CHECK(parse_grid(head + "device: /etc/nvme.yaml\n")->device_file == "/etc/nvme.yaml");
  CHECK_FALSE(parse_grid(head + "whole: false\n")->source.whole);
}

TEST_CASE("all that is wrong with a grid is said at once", "[sweep]") {
  const auto grid = parse_grid(R"(
rung: closed_lop
policies:
  - hedroom
  - name: headroom
    params: {limiter_raise_factor: [99, x], jobs_return_seconds: {from: 60, to: 70, steps: 0}}
  - static
  - static
seeds: 0
whole: yes
calibrate_until: never
speed: 9
)");
  REQUIRE_FALSE(grid);
  std::vector<std::string> places;
  std::istringstream lines(grid.error().message);
  for (std::string line; std::getline(lines, line);) {
    CHECK(contains(line, "docs/sweep.md"));
    places.push_back(line.substr(0, line.find(": ")));
  }
  INFO(grid.error().message);
  CHECK(places == std::vector<std::string>{"grid.yaml:2:7", "grid.yaml:4:5", "grid.yaml:6:37",
                                           "grid.yaml:6:41", "grid.yaml:6:92", "grid.yaml:8:5",
                                           "grid.yaml:9:8", "grid.yaml:10:8", "grid.yaml:11:18",
                                           "grid.yaml:12:1"});
}

TEST_CASE("what is wrong with a grid is said with its place and what to do", "[sweep]") {
  const std::string head = "rung: closed_loop\npolicies:\n";
  const std::string headroom = head + "  - name: headroom\n    params:\n      ";
  for (const auto& [text, said] : std::vector<std::pair<std::string, std::string>>{
           {"", "a map of key: value was expected"},
           {"rung: closed_loop\n", "grid.yaml:1:1: 'policies' is missing"},
           {"rung: real\npolicies: [static]\n", "grid.yaml:1:7: there is no rung 'real'"},
           {head + "  []\n", "there is no policy in it"},
           {head + "  static\n", "grid.yaml:3:3: a list was expected"},
           {head + "  - hedroom\n", "grid.yaml:3:5: unknown policy \"hedroom\""},
           {head + "  - static\n  - static\n", "grid.yaml:4:5: static is given twice"},
           {head + "  - name: static\n    what: 1\n", "grid.yaml:4:5: 'what' is not known here"},
           {headroom + "limiter: 2\n", "grid.yaml:5:16: policy headroom: unknown parameter"},
           {headroom + "limiter_raise_factor: 99\n", "grid.yaml:5:29: policy headroom"},
           {headroom + "limiter_raise_factor: [1.5, x]\n", "grid.yaml:5:35: 'x' is no finite"},
           {headroom + "limiter_raise_factor: []\n", "has no values"},
           {headroom + "limiter_raise_factor: [1.5, 1.5]\n", "=1.5 is given twice"},
           {headroom + "limiter_raise_factor: {from: 1.5, to: 2}\n", "'steps' is missing"},
           {headroom + "limiter_raise_factor: {from: 1.5, to: 2, steps: 1}\n",
            "grid.yaml:5:55: '1' is less than 2"},
           {headroom + "limiter_raise_factor: {from: 1.5, to: 2, steps: 9999}\n",
            "is more than 1000"},
           {headroom + "limiter_raise_factor: {from: 2, to: 2, steps: 3}\n", "are the same"},
           {headroom + "limiter_raise_factor: {from: 1.2, to: 2, steps: 1000}\n      " +
                "jobs_return_seconds: {from: 60, to: 70, steps: 1000}\n",
            "more than 10000 combinations"},
           {head + "  - static\nseeds: 0\n", "grid.yaml:4:8: '0' is less than 1"},
           {head + "  - static\nseeds: 1001\n", "is more than 1000"},
           {head + "  - static\ncalibrate_until: 0.5\n", "1 to 1e9 seconds"},
           {head + "  - static\nseeds: 1\nseeds: 2\n", "'seeds' is given twice"},
           {head + "  - static\nwhole: 1\n", "grid.yaml:4:8: '1' is neither true nor false"},
           {head + "  - static\nwhole: true\ncalibrate_until: 9\n", "grid.yaml:5:18: with 'whole'"},
           {head + "  - static\ndevice: [a]\n", "grid.yaml:4:9: a text was expected"},
           {head + "  - static\ndevice: ''\n", "grid.yaml:4:9: it has to be a file"},
           {"rung: open_loop\npolicies: [static]\nseeds: 2\n", "open_loop has no 'seeds'"},
           {"rung: open_loop\npolicies: [static]\nwhole: true\n", "open_loop has no 'whole'"},
           {"rung: open_loop\npolicies: [static]\ndevice: a\n", "open_loop has no 'device'"},
           {"rung: [closed\n", "grid.yaml:"}}) {
    INFO(text);
    const auto grid = parse_grid(text);
    REQUIRE_FALSE(grid);
    INFO(grid.error().message);
    CHECK(contains(grid.error().message, said));
    CHECK(contains(grid.error().message, "grid.yaml:"));
    CHECK_FALSE(contains(grid.error().message, "\n"));
  }
}
