#include <set>
#include <string>
#include <vector>

#include "bench/compare/policies.h"
#include "bench/compare/search.h"
#include "scenario/builtin.h"
#include "scenario/engine.h"
#include "scenario/scenario.h"
#include "tests/support/catch.h"

using namespace rocktune::bench;
using namespace rocktune::scenario;
using Catch::Matchers::Contains;

TEST_CASE("the built-in scenarios are sound at both sizes", "[bench][compare]") {
  std::set<std::string> names;
  for (const Builtin& builtin : builtin_scenarios()) {
    const std::string name(builtin.name);
    INFO(name);
    names.insert(name);
    const auto scaled = load_scenario(name, false);
    if (!scaled) FAIL(scaled.error().message);
    const auto full = load_scenario(name, true);
    if (!full) FAIL(full.error().message);
    CHECK(scaled->name == name);
    CHECK_FALSE(scaled->description.empty());
    CHECK(scaled->seconds() <= (name.starts_with("start-") ? 90 : 60));
    CHECK(scaled->scale >= 16);
    CHECK(full->scale == 1);
    CHECK(full->seconds() > scaled->seconds());
    CHECK_FALSE(scaled->objective.limits.empty());
    CHECK(scaled->objective.jobs.has_value());
    // Every policy can be set up for it, within the CPUs that a small machine lends.
    const auto settings = static_settings(*scaled);
    REQUIRE(settings);
    CHECK(settings->size() > 6);
    CHECK(settings->size() <= 25);
    CHECK(policy_setup(kNativeAutoTuned, *scaled, {}));
    CHECK(policy_setup("headroom", *scaled, {})->daemon);
  }
  CHECK(names == std::set<std::string>{"baseline", "cache-outgrown", "degrading-device", "diurnal",
                                       "mild-pressure", "overload", "start-baseline",
                                       "start-mild-pressure", "steady", "two-databases",
                                       "write-burst"});
}

TEST_CASE("the starts let a tuner have what ReadOpt-512MB has", "[bench][compare]") {
  for (const char* name : {"start-mild-pressure", "start-baseline"}) {
    for (const bool full : {false, true}) {
      INFO(name << (full ? ", full" : ""));
      const auto scenario = load_scenario(name, full);
      REQUIRE(scenario);
      const auto goal = with_configuration(*scenario, "ReadOpt-512MB");
      REQUIRE(goal);
      const ScenarioDatabase& database = goal->databases.front();
      CHECK(scenario->objective.memory_bytes ==
            database.configuration.block_cache_bytes + memtable_bytes(database));
      REQUIRE(scenario->databases.front().workload.phases.size() == 2);
      CHECK(scenario->databases.front().workload.phases.front().name == "first-minute");
      CHECK(scenario->databases.front().workload.phases.front().seconds == 60);
      CHECK(scenario->databases.front().workload.phases.back().name == "after");
    }
  }
}

TEST_CASE("static@ names a built-in configuration", "[bench][compare]") {
  const std::string name = "static@ReadOpt-512MB";
  CHECK(*parse_policies("static," + name) == std::vector<std::string>{"static", name});
  CHECK_THAT(parse_policies("static@None").error().message,
             Contains("'static@None'") && Contains("Mild-Pressure"));
  CHECK_THAT(parse_policies("static@a.yaml:B").error().message, Contains("not a file"));
  CHECK_THAT(parse_policies("static@../B").error().message, Contains("not a file"));
  CHECK_FALSE(parse_policies("static@"));
  CHECK_FALSE(parse_policies(name + "," + name));
  CHECK_THAT(parse_policies("none-such").error().message, Contains("static@CONFIGURATION"));

  const auto setup = policy_setup(name, *load_scenario("steady", false), {"rate_limit=1"});
  REQUIRE(setup);
  CHECK(setup->configuration == "ReadOpt-512MB");
  CHECK(setup->options.empty());
  CHECK_FALSE(setup->daemon);
  CHECK(policy_setup(kStatic, *load_scenario("steady", false), {})->configuration.empty());
}

TEST_CASE("a configuration takes the place of every database's own", "[bench][compare]") {
  const auto changed = with_configuration(*load_scenario("two-databases", false), "Mild-Pressure");
  REQUIRE(changed);
  REQUIRE(changed->databases.size() == 2);
  for (const ScenarioDatabase& database : changed->databases) {
    CHECK(database.configuration.name == "Mild-Pressure");
    CHECK(database.configuration.block_cache_bytes == 8 << 20);  // a 64th of 512 MiB
    CHECK(database.configuration.write_buffer_bytes == 512 << 10);
  }
  CHECK_FALSE(with_configuration(*load_scenario("two-databases", false), "none-such"));
}

TEST_CASE("a policy may have parameters, and one name for them", "[bench][compare]") {
  const std::string chosen = "silk:least_bytes_per_second=2e+06";
  CHECK(*parse_policies("static,silk,silk:least_bytes_per_second=2000000") ==
        std::vector<std::string>{"static", "silk", chosen});
  CHECK_THAT(parse_policies(chosen + ",silk:least_bytes_per_second=2e6").error().message,
             Contains("given twice"));
  for (const char* wrong : {"silk:speed=1", "silk:", "../x=silk:least_bytes_per_second=2e6",
                            "static:a=1", "best-static:a=1", "none-such:a=1"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_policies(wrong));
  }
  for (const std::string none : {"best-static", "native-auto-tuned"}) {
    CHECK(parse_policies(none + ":x=1").error().message ==
          "--policies: '" + none + ":x=1': " + none + " takes no parameters");
  }
  // Beside the most that a 64th of life size gives adoc.
  const std::string large = "adoc:memtable_min_bytes=1e+08";
  REQUIRE(parse_policies(large));
  CHECK_THAT(policy_setup(large, *load_scenario("steady", false), {}).error().message,
             Contains("above memtable_max_bytes, 8388608"));
  const auto setup = policy_setup(chosen, *load_scenario("steady", false), {});
  REQUIRE(setup);
  REQUIRE(setup->daemon);
  CHECK_THAT(setup->daemon->sections, Contains("policy: silk\n") &&
                                          Contains("device_bytes_per_second: 101562500\n") &&
                                          Contains("least_bytes_per_second: 2e+06\n"));
}
