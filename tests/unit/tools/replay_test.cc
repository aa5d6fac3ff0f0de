#include "replay/run.h"
#include "simulated_run.h"
#include "support.h"
#include "tools/claims.h"
#include "tools/replay_text.h"

using namespace rocktune;
using replay::ReplayResult;

using namespace rocktune::tools;
using namespace rocktune::tools::test;

namespace {

struct Replayed {
  std::vector<std::string> lines;
  std::vector<ReplayResult> results;
};

Replayed replay_all(const std::string& path, const std::string& policy = "") {
  Replayed replayed;
  std::optional<PolicyChoice> choice;
  if (!policy.empty()) choice = *parse_policy_choice(policy);
  auto results = replay::run({path, choice, std::nullopt},
                             [&](const std::string& line) { replayed.lines.push_back(line); });
  if (!results) FAIL(results.error().message);
  replayed.results = std::move(*results);
  return replayed;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

int first_decision(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    const Json object = Json::parse(line);
    if (object["kind"] == "decision") return std::stoi(object["id"].get<std::string>());
  }
  FAIL("the simulated run decided nothing");
  return 0;
}

}  // namespace

TEST_CASE("a replay is byte for byte what ran live", "[tools]") {
  const TempDirectory directory;
  for (const char* mode : {"advise", "act"}) {
    INFO(mode);
    const std::string path = directory.file(mode);
    const auto live = record_run(path, {mode});
    REQUIRE(first_decision(live) > 0);
    const Replayed replayed = replay_all(path);
    CHECK(joined(replayed.lines) == joined(live));
    REQUIRE(replayed.results.size() == 1);
    const ReplayResult& result = replayed.results[0];
    CHECK(result.as_recorded);
    CHECK(result.samples == 400);
    CHECK_FALSE(result.first_difference);
    CHECK(result.changes_live > 0);
    CHECK(result.changes_agreed == result.changes_live);
    CHECK(result.replayed.decisions == result.recorded.decisions);
    // And again, and by its name.
    CHECK(joined(replay_all(path).lines) == joined(live));
    CHECK(joined(replay_all(path, "headroom").lines) == joined(live));
    CHECK(
        contains(joined(replay_lines(path, {replayed.results})), "identical to what was recorded"));
  }
}

TEST_CASE("failed polls are part of what is replayed", "[tools]") {
  const TempDirectory directory;
  SimulatedRun simulated;
  simulated.fails_from = 100;
  simulated.fails_to = 120;
  const auto live = record_run(directory.file("run"), simulated);
  const Replayed replayed = replay_all(directory.file("run"));
  CHECK(joined(replayed.lines) == joined(live));
  CHECK(replayed.results[0].samples_with_database == 380);
}

TEST_CASE("the first difference is named", "[tools]") {
  const TempDirectory directory;
  const int poll = first_decision(record_run(directory.file("good"), {}));
  SimulatedRun simulated;
  simulated.forged_poll = poll;
  record_run(directory.file("run"), simulated);
  const Replayed replayed = replay_all(directory.file("run"));
  const ReplayResult& result = replayed.results[0];
  REQUIRE(result.first_difference);
  CHECK(result.steps_that_differ == 1);
  CHECK(result.first_difference->sequence == static_cast<std::uint64_t>(poll));
  CHECK(contains(result.first_difference->recorded, "forged"));
  CHECK_FALSE(contains(result.first_difference->replayed, "forged"));
  const std::string text = joined(replay_lines("x", {replayed.results}));
  CHECK(contains(text, "1 of 400 steps differ"));
  CHECK(contains(text, "forged"));
  const Json line = Json::parse(replay_line(result));
  CHECK(line["identical"] == false);
}

TEST_CASE("another policy runs on the same samples, beside the recorded one", "[tools]") {
  const TempDirectory directory;
  record_run(directory.file("run"), {});
  const Replayed still = replay_all(directory.file("run"), "static");
  REQUIRE(still.results.size() == 1);
  CHECK_FALSE(still.results[0].as_recorded);
  CHECK(still.results[0].replayed.decisions == 0);
  CHECK(still.results[0].recorded.decisions > 0);
  CHECK(still.results[0].changes_agreed == 0);
  CHECK_FALSE(still.results[0].first_difference);
  const Replayed ours = replay_all(directory.file("run"), "headroom");
  const std::string text = joined(replay_lines("x", {still.results, ours.results}));
  CHECK(contains(text, "static"));
  CHECK(contains(text, "headroom *"));
  CHECK(contains(text, "Open loop"));
  CHECK(Json::parse(replay_line(still.results[0]))["claims"] == kReplayClaims);
}

TEST_CASE("the recorded policy with another parameter is another one, under its label", "[tools]") {
  const TempDirectory directory;
  record_run(directory.file("run"), {});
  const Replayed timid = replay_all(directory.file("run"), "headroom:limiter_raise_factor=1.25");
  const Replayed other = replay_all(directory.file("run"), "bold=headroom:limiter_raise_factor=2");
  CHECK_FALSE(other.results[0].as_recorded);
  CHECK(other.results[0].policy == "bold");
  CHECK(other.results[0].replayed.decisions > 0);
  CHECK(other.lines != timid.lines);
}

TEST_CASE("a target that is not in the trace is named with those that are", "[tools]") {
  const TempDirectory directory;
  record_run(directory.file("run"), {"advise", 10});
  const auto ignore = [](const std::string&) {};
  CHECK(replay::run({directory.file("run"), std::nullopt, "orders"}, ignore));
  CHECK(replay::run({directory.file("run"), std::nullopt, "/data/orders"}, ignore));
  const auto none = replay::run({directory.file("run"), std::nullopt, "other"}, ignore);
  REQUIRE_FALSE(none);
  CHECK(contains(none.error().message, "orders"));
}
