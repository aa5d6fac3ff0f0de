#include "bench/experiment/metrics.h"
#include "bench/experiment/outcome.h"
#include "bench/experiment/report.h"
#include "tests/support/catch.h"

using nlohmann::json;
using namespace rocktune::bench::experiment;

namespace {

Part two_cases() {
  Part part;
  part.name = "part";
  part.cases.resize(2);
  part.cases[0].name = "slow";
  part.cases[1].name = "fast";
  part.reference = "slow";
  part.metrics = {"throughput"};
  part.document["throughput"]["fast"] = 2.45;
  return part;
}

Rule rule(Rule::Kind kind, double limit, const std::string& other) {
  Rule rule;
  rule.kind = kind;
  rule.says = "a finding";
  rule.metric = "throughput";
  rule.subject = "fast";
  rule.other = other;
  rule.limit = limit;
  return rule;
}

Figures figures() {
  return {{"throughput",
           {{"slow", {{1, 100}, {2, 110}, {3, 1000}}}, {"fast", {{1, 200}, {2, 209}, {3, 2100}}}}}};
}

}  // namespace

TEST_CASE("ratios are taken within a round", "[bench][experiment]") {
  // The machine was ten times as fast in round 3: the ratio does not care.
  const auto found = ratio(figures(), "throughput", "fast", "slow");
  REQUIRE(found);
  CHECK(found->median == Approx(2.0));
  CHECK(found->least == Approx(1.9));
  CHECK(found->most == Approx(2.1));
  CHECK(found->count == 3);
  CHECK_FALSE(ratio(figures(), "throughput", "fast", "other"));
  CHECK_FALSE(ratio(figures(), "read_mean", "fast", "slow"));
}

TEST_CASE("rounds that one side lacks count for no ratio", "[bench][experiment]") {
  Figures some = figures();
  some["throughput"]["slow"].erase(2);
  CHECK(ratio(some, "throughput", "fast", "slow")->count == 2);
  some["throughput"]["slow"] = {{1, 0}};  // nothing can be over zero
  CHECK_FALSE(ratio(some, "throughput", "fast", "slow"));
}

TEST_CASE("a rule is judged by the median and counted by the rounds", "[bench][experiment]") {
  Part part = two_cases();
  part.rules = {rule(Rule::Kind::kAtLeast, 1.95, "slow"), rule(Rule::Kind::kAtLeast, 2.05, "slow"),
                rule(Rule::Kind::kAtMost, 2.0, "slow"), rule(Rule::Kind::kWithin, 0.05, "slow"),
                rule(Rule::Kind::kAtLeast, 205, "")};
  const auto verdicts = judge(part, figures());
  REQUIRE(verdicts.size() == 5);
  CHECK(verdict_text(verdicts[0]) == "reproduced (2 of 3 rounds)");
  CHECK(verdicts[0].seen == "2.00 [1.90-2.10]");
  CHECK(verdict_text(verdicts[1]) == "NOT reproduced (1 of 3 rounds)");
  CHECK(verdict_text(verdicts[2]) == "reproduced (2 of 3 rounds)");
  CHECK(verdict_text(verdicts[3]) == "NOT reproduced (0 of 3 rounds)");
  CHECK(verdict_text(verdicts[4]) == "reproduced (2 of 3 rounds)");
  CHECK(verdicts[4].seen == "209 [200-2,100]");
}

TEST_CASE("an order holds by the medians, largest first", "[bench][experiment]") {
  Part part = two_cases();
  Rule order;
  order.kind = Rule::Kind::kOrder;
  order.metric = "throughput";
  order.order = {"fast", "slow"};
  part.rules = {order};
  CHECK(verdict_text(judge(part, figures())[0]) == "reproduced (3 of 3 rounds)");
  part.rules[0].order = {"slow", "fast"};
  const auto verdict = judge(part, figures())[0];
  CHECK(verdict_text(verdict) == "NOT reproduced (0 of 3 rounds)");
  CHECK(verdict.seen == "fast > slow");
}

TEST_CASE("what is equal has no order, and what never happened none either",
          "[bench][experiment]") {
  Part part = two_cases();
  Rule order;
  order.kind = Rule::Kind::kOrder;
  order.metric = "throughput";
  order.order = {"fast", "slow"};
  part.rules = {order};
  const auto equal = Figures{{"throughput", {{"slow", {{1, 5}}}, {"fast", {{1, 5}}}}}};
  CHECK(verdict_text(judge(part, equal)[0]) == "NOT reproduced (0 of 1 round)");
  const auto zero = Figures{{"throughput", {{"slow", {{1, 0}}}, {"fast", {{1, 0}}}}}};
  CHECK(verdict_text(judge(part, zero)[0]) == "not measured");
}

TEST_CASE("what was not measured is neither reproduced nor not", "[bench][experiment]") {
  Part part = two_cases();
  part.rules = {rule(Rule::Kind::kAtLeast, 1, "slow")};
  Figures none;
  CHECK(verdict_text(judge(part, none)[0]) == "not measured");
  Figures half = figures();
  half["throughput"].erase("slow");
  CHECK(verdict_text(judge(part, half)[0]) == "not measured");
}

TEST_CASE("rules say what they ask", "[bench][experiment]") {
  CHECK(rule_text(rule(Rule::Kind::kAtLeast, 1.8, "slow")) ==
        "ops/s of fast at least 1.80 times slow");
  CHECK(rule_text(rule(Rule::Kind::kWithin, 0.05, "slow")) == "ops/s of fast within 5% of slow");
  CHECK(rule_text(rule(Rule::Kind::kAtMost, 1500, "")) == "ops/s of fast at most 1,500");
}

TEST_CASE("ranges and seconds are written for people", "[bench][experiment]") {
  CHECK(range_text(std::nullopt, 2) == "-");
  CHECK(seconds_text(1200) == "1200");
  CHECK(seconds_text(0.5) == "0.5");
}

TEST_CASE("metrics are read from a run's result, of the whole or of a phase",
          "[bench][experiment]") {
  const json result = {
      {"total", {{"ops_per_second", 500.0}, {"operations", {{"read", {{"mean_us", 250.0}}}}}}},
      {"phases",
       {{{"name", "write"},
         {"total", {{"ops_per_second", 300.0}, {"write_amplification", nullptr}}},
         {"per_second",
          {{{"pending_compaction_bytes", 1048576}}, {{"pending_compaction_bytes", 5242880}}}}},
        {{"name", "read"},
         {"total", {{"ops_per_second", 700.0}}},
         {"per_second", {{{"pending_compaction_bytes", 2097152}}}}}}}};
  CHECK(read_metric(result, "throughput") == 500.0);
  CHECK(read_metric(result, "throughput@read") == 700.0);
  CHECK(read_metric(result, "read_mean") == 0.25);  // ms
  CHECK(read_metric(result, "pending_max") == 5.0);
  CHECK(read_metric(result, "pending_growth") == 1.0);
  CHECK(read_metric(result, "pending_growth@write") == 4.0);
  // Absent is not zero.
  CHECK_FALSE(read_metric(result, "write_amplification@write"));
  CHECK_FALSE(read_metric(result, "update_mean"));
  CHECK_FALSE(read_metric(result, "throughput@none"));
  CHECK_FALSE(read_metric(json(), "throughput"));
  CHECK_FALSE(read_metric(json(), "pending_max"));
  CHECK(heading_of("throughput@read") == "ops/s (read)");
  CHECK_FALSE(find_metric("speed"));
}

TEST_CASE("metrics of a run with a device are read from schema 2", "[bench][experiment]") {
  json result = {{"databases", {{{"name", "db"}, {"total", {{"user_bytes_written", 1000}}}}}},
                 {"device", {{"total", {{"utilisation", 0.32}, {"write_bytes", 4500}}}}}};
  CHECK(read_metric(result, "device_utilisation") == 0.32);
  CHECK(read_metric(result, "device_write_amplification") == 4.5);
  CHECK_FALSE(find_metric("device_utilisation@write"));
  CHECK_FALSE(find_metric("device_write_amplification@write"));
  // Which of two databases it would be about, nobody said.
  result["databases"].push_back(result["databases"][0]);
  CHECK_FALSE(read_metric(result, "device_write_amplification"));
  result["databases"] = json::array();
  CHECK_FALSE(read_metric(result, "device_write_amplification"));
}

TEST_CASE("a report has our figures, the document's beside them, and what is missing",
          "[bench][experiment]") {
  Experiment experiment;
  experiment.name = "small";
  experiment.title = "a small one";
  experiment.source = "source 000";
  experiment.parts = {two_cases()};
  experiment.parts[0].scaled.says = {"a tenth of all"};
  experiment.parts[0].differences = {"the machine is smaller"};
  experiment.parts[0].rules = {rule(Rule::Kind::kAtLeast, 1.8, "slow")};
  Summary summary;
  summary.experiment = &experiment;
  summary.command = "rocktune-bench experiment small";
  summary.stopped = true;
  PartSummary part;
  part.part = &experiment.parts[0];
  part.rounds = 5;
  part.runs_done = 6;
  part.runs_partial = 1;
  part.label = "emulated device nvme-p41";
  part.figures = figures();
  part.verdicts = judge(*part.part, part.figures);
  summary.parts = {part};

  const std::string text = markdown(summary);
  for (const char* expected :
       {"PARTIAL", "emulated device nvme-p41", "6 of 10 runs finished", "1 PARTIAL",
        "a tenth of all", "the machine is smaller", "2.45", "2.00 \\[1.90-2.10\\]",
        "reproduced (3 of 3 rounds)", "rocktune-bench experiment small"}) {
    INFO(expected);
    CHECK(text.find(expected) != std::string::npos);
  }
  CHECK(text.find("--seconds") == std::string::npos);
  summary.seconds = 1200;
  CHECK(markdown(summary).find("each run 1200 s (--seconds)") != std::string::npos);
  const json document = summary_json(summary);
  CHECK(document.at("partial") == true);
  CHECK(document.at("seconds") == 1200);
  const json& fast = document.at("parts").at(0).at("cases").at(1).at("metrics").at("throughput");
  CHECK(fast.at("document_over_reference") == 2.45);
  CHECK(fast.at("over_reference").at("median") == Approx(2.0));
  CHECK(document.at("parts").at(0).at("verdicts").at(0).at("answer") == "reproduced");
  // Nobody stopped it, and yet runs are missing: a run failed, or all was killed.
  summary.stopped = false;
  CHECK(summary_json(summary).at("partial") == true);
  summary.parts[0].runs_done = 10;
  CHECK(summary_json(summary).at("partial") == false);
}
