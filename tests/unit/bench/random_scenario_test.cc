#include "bench/no_harm/random_scenario.h"

#include <set>
#include <string>

#include "bench/compare/policies.h"
#include "scenario/scenario.h"
#include "tests/support/catch.h"

using namespace rocktune::bench;
using namespace rocktune::scenario;

TEST_CASE("every random scenario is sound, and a policy can be set up for it", "[bench][no_harm]") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const std::int64_t number = static_cast<std::int64_t>(seed % 7) + 1;
    const double length = seed % 3 == 0 ? 2 : 10;
    const std::string text = random_scenario(seed, number, length);
    CAPTURE(seed, number, text);
    const auto scenario = parse_scenario(text, "random.yaml", false);
    if (!scenario) FAIL(scenario.error().message);
    CHECK(scenario->name == "random-" + std::to_string(seed) + "-" + std::to_string(number));
    for (const ScenarioDatabase& database : scenario->databases) {
      CHECK(database.workload.seconds() == Approx(length).margin(0.02));
      CHECK(database.workload.phases.size() <= 4);
      // Little enough to be loaded fifty times.
      CHECK(static_cast<double>(database.workload.records) <= 150'000);
      CHECK(database.workload.records >= 500);
      CHECK(database.configuration.write_buffer_bytes >= 64 << 10);
    }
    CHECK(policy_setup("headroom", *scenario, {})->daemon);
    CHECK(policy_setup(kNativeAutoTuned, *scenario, {}));
  }
}

TEST_CASE("one seed and number make one text, others another", "[bench][no_harm]") {
  std::set<std::string> texts;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    for (std::int64_t number = 1; number <= 20; ++number) {
      const std::string text = random_scenario(seed, number, 10);
      CHECK(text == random_scenario(seed, number, 10));
      texts.insert(text.substr(text.find("objective")));  // behind what names them
    }
  }
  CHECK(texts.size() == 100);
}

TEST_CASE("random scenarios have everything that a tuner may meet", "[bench][no_harm]") {
  int two = 0, open = 0, closed = 0, degrading = 0, unlimited = 0, limited = 0, scans = 0,
      deletes = 0, jumps = 0, backlogs = 0, tight = 0;
  std::set<std::string> firsts;
  for (std::int64_t number = 1; number <= 200; ++number) {
    const std::string text = random_scenario(3, number, 10);
    const auto scenario = parse_scenario(text, "random.yaml", false);
    REQUIRE(scenario);
    firsts.insert(scenario->objective.first);
    two += scenario->databases.size() == 2 ? 1 : 0;
    degrading += scenario->device.find('@') != std::string::npos ? 1 : 0;
    for (const LatencyLimit& limit : scenario->objective.limits) {
      tight += limit.limit < std::chrono::milliseconds(1) ? 1 : 0;
    }
    for (const ScenarioDatabase& database : scenario->databases) {
      const HostConfiguration& c = database.configuration;
      (c.rate_limit_bytes_per_second > 0 ? limited : unlimited)++;
      backlogs += database.workload.backlog.level0_files > 0 ? 1 : 0;
      jumps += database.workload.phases.size() > 1 ? 1 : 0;
      for (const Phase& phase : database.workload.phases) {
        (phase.rate.paced() ? open : closed)++;
        scans += phase.mix[Operation::kScan] > 0 ? 1 : 0;
        deletes += phase.mix[Operation::kDelete] > 0 ? 1 : 0;
      }
    }
  }
  for (const int count :
       {two, open, closed, degrading, unlimited, limited, scans, deletes, jumps, backlogs, tight}) {
    CHECK(count >= 10);
  }
  CHECK(firsts.size() >= 5);
}
