// What all runs of a comparison have in common, and when it is something else.
#include <fstream>
#include <string>
#include <vector>

#include "bench/cli/temporary.h"
#include "bench/compare/directory.h"
#include "bench/compare/shared.h"
#include "scenario/device/profile.h"
#include "tests/support/catch.h"

using namespace rocktune::bench;
using namespace rocktune::scenario;
using Catch::Matchers::Contains;
using nlohmann::json;

TEST_CASE("another text of a file that the scenario names is another scenario",
          "[bench][compare]") {
  auto temporary = TemporaryDirectory::create("rocktune-test");
  REQUIRE(temporary);
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(temporary->path() + "/" + name) << text;
  };
  const std::string workload = "records: 10\nphases: [{seconds: 4, workload: E, scan_length: ";
  write("w.yaml", workload + "5}]\n");
  write("c.yaml", "Mine: {base: Baseline}\n");
  write("d.yaml", format_device_profile(load_device_profile("nvme-p41").value()));
  write("s.yaml",
        "device: d.yaml@2:0.5\ndatabases: [{name: main, workload: w.yaml, configuration: "
        "\"c.yaml:Mine\"}]\n");
  const auto parsed = [&] {
    const auto scenario = load_scenario(temporary->path() + "/s.yaml", false);
    if (!scenario) FAIL(scenario.error().message);
    return parsed_scenario_json(*scenario).value();
  };
  const json before = parsed();
  CHECK(before.at("files").size() == 3);
  CHECK(parsed() == before);
  SECTION("the workload") {
    write("w.yaml", workload + "900}]\n");
  }
  SECTION("the configuration") {
    write("c.yaml", "Mine: {base: Baseline}  # a word\n");
  }
  SECTION("the device") {
    write("d.yaml", format_device_profile(load_device_profile("nvme-p41").value()) + "# a word\n");
  }
  const auto different =
      differences({{"scenario_parsed", before}}, {{"scenario_parsed", parsed()}});
  REQUIRE(different.size() == 1);
  CHECK_THAT(different.front(), Contains("workload, configuration or device"));
}

TEST_CASE("programs that were built anew are noticed", "[bench][compare]") {
  const std::vector<std::string> names = {"bench_test"};
  auto programs = programs_json(names);
  REQUIRE(programs);
  CHECK(check_programs(names, *programs));
  (*programs)["bench_test"] = "another";
  const auto changed = check_programs(names, *programs);
  REQUIRE_FALSE(changed);
  CHECK(changed.error().code == rocktune::ErrorCode::kConflict);
}
