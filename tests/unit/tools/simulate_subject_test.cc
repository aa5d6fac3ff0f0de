#include "tools/simulate_subject.h"

#include "tests/support/catch.h"

namespace rocktune::tools {
namespace {

std::vector<PolicyChoice> choices(const std::vector<std::string>& texts) {
  auto parsed = parse_policy_choices(texts);
  if (!parsed) FAIL(parsed.error().message);
  return *parsed;
}

ScenarioSource source(const std::string& name) {
  ScenarioSource out;
  out.name_or_path = name;
  out.cpus = 4;
  return out;
}

TEST_CASE("each database of a scenario has an engine for each policy", "[simulate]") {
  const auto subjects = scenario_subjects(source("two-databases"), choices({"static", "silk"}));
  REQUIRE(subjects);
  REQUIRE(subjects->size() == 2);
  for (const SimulateSubject& subject : *subjects) {
    CHECK(subject.result.name == "two-databases/" + subject.target);
    REQUIRE(subject.result.scenario);
    CHECK(subject.result.scenario->device == "nvme-p41 at scale 64");
    REQUIRE(subject.engines.size() == 2);
    CHECK(subject.engines[0].policy == "static");
    CHECK(subject.engines[1].policy == "silk");
    // The peers' constants at the scenario's scale.
    CHECK(subject.engines[1].policy_params.contains("device_bytes_per_second"));
  }
}

TEST_CASE("a parameter that is given takes the place of the scenario's", "[simulate]") {
  const auto subjects =
      scenario_subjects(source("steady"), choices({"silk:least_bytes_per_second=1e6"}));
  REQUIRE(subjects);
  CHECK(subjects->front().result.name == "steady");
  CHECK(subjects->front().result.first == Priority::kReadP99);
  const PolicyParams& params = subjects->front().engines.front().policy_params;
  CHECK(params.at("least_bytes_per_second") == 1e6);
  CHECK(params.contains("device_bytes_per_second"));
}

TEST_CASE("a scenario that is not there is told from those that are", "[simulate]") {
  const auto none = scenario_subjects(source("write-brust"), choices({"static"}));
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("write-burst") != std::string::npos);
}

}  // namespace
}  // namespace rocktune::tools
