#include "replay/run.h"
#include "score/alert_run.h"
#include "simulated_run.h"
#include "stall_trace.h"
#include "support.h"
#include "tools/claims.h"
#include "tools/replay_text.h"
#include "tools/replay_watch.h"
#include "tools/run_list.h"
#include "tools/score_runs.h"
#include "tools/score_text.h"
#include "trace/journal_json.h"

using namespace rocktune;
using replay::ReplayResult;

using namespace rocktune::tools;
using namespace rocktune::tools::test;

namespace {

struct Replayed {
  std::vector<std::string> lines;
  std::vector<ReplayResult> results;
  std::vector<ScoredReplay> scored;  // the same
};

Replayed replay_all(const std::string& path, const std::string& policy = "") {
  Replayed replayed;
  std::optional<PolicyChoice> choice;
  if (!policy.empty()) choice = *parse_policy_choice(policy);
  ReplayScorer scorer;
  auto results = replay::run(
      {path, choice, std::nullopt},
      [&](const std::string& line) { replayed.lines.push_back(line); },
      [&](const replay::ReplayedSample& sample) { scorer.add(sample); });
  if (!results) FAIL(results.error().message);
  replayed.scored = scorer.finish(*results);
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
    if (object["kind"] != "decision") continue;
    const auto wall = trace::parse_rfc3339(object["time"].get<std::string>());
    REQUIRE(wall);
    return static_cast<int>((*wall - kBegin) / kPeriod);
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
        contains(joined(replay_lines(path, {replayed.scored})), "identical to what was recorded"));
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
  const std::string text = joined(replay_lines("x", {replayed.scored}));
  CHECK(contains(text, "1 of 400 steps differ"));
  CHECK(contains(text, "forged"));
  const Json line = Json::parse(replay_line(replayed.scored[0]));
  CHECK(line["identical"] == false);
  // Another build may have recorded it.
  CHECK(contains(text, "recorded by    rocktuned 0.1.0 on "));
  CHECK(contains(text, "of another build than this rocktune"));
  CHECK(line["daemon_version"] == "0.1.0");
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
  const std::string text = joined(replay_lines("x", {still.scored, ours.scored}));
  CHECK(contains(text, "static"));
  CHECK(contains(text, "headroom *"));
  CHECK(contains(text, "Open loop"));
  const Json line = Json::parse(replay_line(still.scored[0]));
  CHECK(line["claims"] == kReplayClaims);
  CHECK(line["schema"] == "rocktune-replay/1");
  CHECK(line["rung"] == "open_loop");
  CHECK(line["kind"] == "replay");
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

TEST_CASE("the alarms of a replay are those that rocktune score counts", "[tools]") {
  const TempDirectory directory;
  const std::string path = record_stall(directory, "stall", 1, 20, 2);
  const auto runs = list_recorded_runs({path});
  REQUIRE(runs);
  const Replayed replayed = replay_all(path, "static");
  REQUIRE(replayed.scored.size() == 2);
  for (std::size_t target = 0; target < 2; ++target) {
    const RecordedRun& run = (*runs)[target];
    score::Contest contest;
    contest.detectors = {*score::parse_choice("rocktune-alerts")};
    contest.horizons = {score::alert_horizon(run.engine.objective)};
    contest.prior = run.engine.prior;
    const auto expected = score_run(run, contest);
    REQUIRE(expected);
    REQUIRE(replayed.scored[target].alarms);
    const score::AlertTallies& alarms = *replayed.scored[target].alarms;
    for (std::size_t i = 0; i < score::kKinds.size(); ++i) {
      const score::Tally& tally = expected->of_entry[i].by_threshold.front();
      CHECK(tally_json(alarms.of_kind.at(i)) == tally_json(tally));
    }
    CHECK(alarms.of_kind[1].events == 1);
    CHECK(alarms.of_kind[1].leads.size() == 1);
  }
  const std::string text = joined(replay_lines(path, {replayed.scored}));
  CHECK(contains(text, "alarms, whatever the policy"));
  CHECK(contains(text, "db1: p99 not scored"));
  const Json alarms = Json::parse(replay_line(replayed.scored[0]))["alarms"];
  REQUIRE(alarms.size() == 3);
  CHECK(alarms[1]["indicator"] == "compaction_backlog");
  CHECK(alarms[1]["events"] == 1);
  CHECK(alarms[1]["caught"] == 1);
  CHECK(alarms[1]["recall"]["2"] == 1.0);
  CHECK(alarms[0]["recall"]["2"].is_null());
}

TEST_CASE("a run that is too long for its alarms to be scored is said to be", "[tools]") {
  ScoredReplay one;
  one.replay.target = "orders";
  CHECK(contains(joined(replay_lines("x", {{one}})), "orders: no samples"));
  one.replay.samples = 700000;
  CHECK(contains(joined(replay_lines("x", {{one}})), "orders: too long"));
  CHECK(Json::parse(replay_line(one))["alarms"].is_null());
}

TEST_CASE("indicators are printed as often as is asked for", "[tools]") {
  const TempDirectory directory;
  const std::string path = record_stall(directory, "stall", 1, 20, 2);
  const auto printed = [&](double every, bool json) {
    std::vector<std::string> lines;
    IndicatorPrinter printer(every, json, [&](const std::string& line) { lines.push_back(line); });
    const auto done = replay::run(
        {path, std::nullopt, std::nullopt}, [](const std::string&) {},
        [&](const replay::ReplayedSample& one) { printer.add(one); });
    if (!done) FAIL(done.error().message);
    return lines;
  };
  CHECK(printed(0, false).size() == 2 * 600);
  CHECK(printed(0.1, false).size() == 2 * 600);
  CHECK(printed(1e18, false).size() == 2);
  const auto text = printed(60, false);
  CHECK(text.size() == 2 * 10);
  CHECK(contains(text[0], "  db0  p99 -  compaction_backlog"));
  const auto lines = printed(60, true);
  REQUIRE(lines.size() == 3 * text.size());
  const Json line = Json::parse(lines[1]);
  CHECK(line["kind"] == "indicator");
  CHECK(line["id"] == "1");
  CHECK(line["target"] == "db0");
  CHECK(line["indicator"] == "compaction_backlog");
  REQUIRE_FALSE(line["evidence"].empty());
  CHECK(line["evidence"][0].contains("feature"));
  for (const char* key : {"time", "cause", "state", "probability", "horizon_seconds", "eta_seconds",
                          "valid", "event", "evidence"}) {
    CHECK(line.contains(key));
  }
}
