#include "score/evaluation.h"
#include "stall_trace.h"
#include "support.h"
#include "tools/claims.h"
#include "tools/score_runs.h"
#include "tools/score_text.h"

using namespace rocktune;
using namespace rocktune::tools;
using namespace rocktune::tools::test;

namespace {

score::EvaluationRequest request(const std::vector<std::string>& names) {
  score::EvaluationRequest out;
  for (const std::string& name : names) {
    out.contest.detectors.push_back(*score::parse_choice(name));
  }
  out.contest.horizons = {60};
  return out;
}

struct Scored {
  std::vector<score::RunResult> runs;
  score::Evaluation evaluation;
  std::string text;
  Json json;
};

Scored score_traces(const std::vector<std::string>& traces, const score::EvaluationRequest& asked) {
  Scored out;
  auto runs = read_runs(traces, asked.contest, {});
  if (!runs) FAIL(runs.error().message);
  out.runs = *std::move(runs);
  auto evaluation = score::evaluate(out.runs, asked);
  if (!evaluation) FAIL(evaluation.error().message);
  out.evaluation = *std::move(evaluation);
  for (const std::string& line : score_lines(out.runs, asked, out.evaluation)) {
    out.text += line + "\n";
  }
  out.json = score_json(out.runs, asked, out.evaluation);
  return out;
}

const Json& backlog_of(const Scored& scored) {
  for (const Json& table : scored.json["tables"]) {
    if (table["indicator"] == "compaction_backlog") return table;
  }
  FAIL("no table of compaction_backlog");
  return scored.json;
}

}  // namespace

TEST_CASE("traces are scored in the order of their dates", "[tools]") {
  const TempDirectory directory;
  const auto late = record_stall(directory, "late.sqlite", 10, 20);
  const auto early = record_stall(directory, "early.sqlite", 1, 40);
  const Scored scored = score_traces({late, early}, request({"static", "never"}));
  REQUIRE(scored.runs.size() == 2);
  CHECK(scored.runs[0].name == "early");
  CHECK(scored.json["runs"].size() == 1);
  CHECK(scored.json["runs"][0]["run"] == "late");
  CHECK(scored.json["runs"][0]["trained_on"] == Json::array({"early"}));
  const Json& table = backlog_of(scored);
  CHECK(table["events"] == 1);
  CHECK(table["fresh_events"] == 1);
  const Json& alarms = table["detectors"][0]["alarms"];
  CHECK(alarms["recall"]["20"]["value"] == 1.0);
  CHECK(alarms["recall"]["30"]["value"] == 0.0);
  CHECK(alarms["false_alarms"] == 0);
  CHECK(alarms["runs"][0]["leads_seconds"] == Json::array({20}));
  CHECK(table["detectors"][1]["alarms"]["recall"]["2"]["value"] == 0.0);
  CHECK(contains(scored.text, "scored 1 of 2 runs"));
  CHECK(contains(scored.text, "compaction_backlog within 60 s: 1 events, 1 of them fresh"));
  CHECK(contains(scored.text, "static"));
  CHECK(contains(scored.text, "Open loop"));
  CHECK(scored.json["rung"] == "open_loop");
  CHECK(scored.json["claims"] == kScoreClaims);
}

TEST_CASE("what a trace cannot tell is said, and no figure is NaN", "[tools]") {
  const TempDirectory directory;
  const auto path = record_stall(directory, "a.sqlite", 1, 20);
  const Scored scored = score_traces({path}, request({"static", "static=0.7", "never"}));
  CHECK(contains(scored.text, "no threshold could be chosen"));
  CHECK(contains(scored.text, "p99: these traces do not have what it is judged by"));
  CHECK(contains(scored.text, "device_saturation within 60 s: no event in"));
  CHECK_FALSE(contains(scored.text, "none"));  // a threshold that allows no alarm
  CHECK_FALSE(contains(scored.text, "nan"));
  CHECK_FALSE(contains(scored.text, "inf"));
  CHECK(backlog_of(scored)["detectors"][0]["alarms"].is_null());
  CHECK(backlog_of(scored)["detectors"][1]["alarms"]["caught"] == 1);
  CHECK(backlog_of(scored)["detectors"][2]["probability"]["base_rate"].is_number());
}

TEST_CASE("a run of which hardly anything is known is named", "[tools]") {
  const TempDirectory directory;
  const auto sparse = record_stall(directory, "sparse.sqlite", 1, 20, 1, 15);
  const Scored scored = score_traces({sparse}, request({"never"}));
  CHECK(contains(scored.text,
                 "sparse: only 0.01 h of 0.16 h are known: its samples lie more than "
                 "10 s apart"));
  const auto whole = record_stall(directory, "whole.sqlite", 1, 20, 1, 10);
  CHECK_FALSE(contains(score_traces({whole}, request({"never"})).text, "are known"));
}

TEST_CASE("training on later runs is said", "[tools]") {
  const TempDirectory directory;
  const auto early = record_stall(directory, "early.sqlite", 1, 20);
  const auto late = record_stall(directory, "late.sqlite", 2, 20);
  auto asked = request({"static"});
  asked.plan.train = {"late"};
  CHECK(contains(score_traces({early, late}, asked).text, "1 of them are later than runs scored"));
  asked.plan.train = {"early"};
  CHECK_FALSE(contains(score_traces({early, late}, asked).text, "later than"));
}

TEST_CASE("each database of a trace is a run of its own", "[tools]") {
  const TempDirectory directory;
  const auto path = record_stall(directory, "two.sqlite", 1, 20, 2);
  const Scored scored = score_traces({path}, request({"never"}));
  REQUIRE(scored.runs.size() == 2);
  CHECK(scored.runs[0].name == "two/db0");
  CHECK(scored.runs[1].name == "two/db1");
  CHECK(scored.runs[0].recording == scored.runs[1].recording);
  CHECK(contains(scored.text, "No intervals: databases of one recording are one witness."));
  const auto other = record_stall(directory, "other.sqlite", 1, 20, 1, 2);
  CHECK(contains(score_traces({path, other}, request({"never"})).text,
                 "bootstrap draws of whole recordings"));
}

TEST_CASE("a trace counts once, and one that is none is named", "[tools]") {
  const TempDirectory directory;
  const auto path = record_stall(directory, "a.sqlite", 1, 20);
  const auto twice = read_runs({path, path}, request({"never"}).contest, {});
  REQUIRE_FALSE(twice);
  CHECK(contains(twice.error().message, "given twice"));
  const auto missing = read_runs({directory.file("no")}, request({"never"}).contest, {});
  REQUIRE_FALSE(missing);
  CHECK(contains(missing.error().message, directory.file("no")));
}
