#include "bench/no_harm/no_harm.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/compare/order.h"
#include "bench/no_harm/report.h"
#include "bench/no_harm/verdict.h"
#include "tests/support/catch.h"

using namespace rocktune::bench;
using namespace rocktune::scenario;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

constexpr double kSeconds = 10;
constexpr std::size_t kConfirm = 3;

Turn turn(double static_ops, double policy_ops, double static_stalled = 0,
          double policy_stalled = 0) {
  return {{static_ops, static_stalled, {}, {}, {}}, {policy_ops, policy_stalled, {}, {}, {}}, 2};
}

// One that did as much, and was slower in milliseconds.
Turn slower_turn(double static_read_ms, double policy_read_ms) {
  Turn out = turn(1000, 1000);
  out.reference.read_p99_us = 1e3 * static_read_ms;
  out.policy.read_p99_us = 1e3 * policy_read_ms;
  return out;
}

const Standing& reads_of(const ScenarioVerdict& verdict) {
  return verdict.by(HarmMeasure::kReadP99);
}

ScenarioVerdict verdict_of(const std::vector<Turn>& turns) {
  return judge_scenario(turns, kSeconds, kConfirm);
}

rocktune::bench::report::Run harm_run(const std::string& policy, std::int64_t repeat, double ops,
                                      double stalled) {
  rocktune::bench::report::Run run;
  run.policy = policy;
  run.repeat = repeat;
  run.result = {
      {"databases",
       json::array({{{"name", "main"},
                     {"total", {{"ops_per_second", ops}, {"stall_seconds", stalled}}}}})}};
  return run;
}

JudgedScenario judged_scenario(std::int64_t number, const std::vector<Turn>& turns) {
  return {number, "scenario-00" + std::to_string(number), turns, verdict_of(turns)};
}

}  // namespace

TEST_CASE("one pair is enough where the policy keeps up", "[bench][no_harm]") {
  CHECK(verdict_of({turn(1000, 971)}).harm == Harm::kNone);
  CHECK(verdict_of({turn(1000, 2000, 5, 5.3)}).harm == Harm::kNone);
  CHECK(verdict_of({turn(0, 0)}).harm == Harm::kNone);
  CHECK(verdict_of({}).harm == Harm::kUnfinished);
  CHECK(verdict_of({}).turns == 0);
}

TEST_CASE("a policy that falls behind takes more turns", "[bench][no_harm]") {
  CHECK(fell_behind(turn(1000, 969), kSeconds));
  CHECK(fell_behind(turn(1000, 1000, 1, 1.31), kSeconds));  // 3% of 10 s
  CHECK_FALSE(fell_behind(turn(1000, 1000, 1, 1.29), kSeconds));
  const Turn bad = turn(1000, 900);
  CHECK(verdict_of({bad}).harm == Harm::kUnfinished);
  CHECK(verdict_of({bad, bad, bad}).harm == Harm::kUnfinished);
  CHECK(verdict_of({bad, bad, bad, bad}).harm == Harm::kHarm);
}

TEST_CASE("harm is what the median of all pairs shows", "[bench][no_harm]") {
  const Turn good = turn(1000, 1000), bad = turn(1000, 800);
  const ScenarioVerdict cleared = verdict_of({bad, good, good, good});
  CHECK(cleared.harm == Harm::kCleared);
  CHECK(cleared.throughput_ratio() == 1.0);
  CHECK_FALSE(cleared.by(HarmMeasure::kThroughput).behind);
  const ScenarioVerdict harm = verdict_of({bad, bad, turn(1000, 999), bad});
  CHECK(harm.harm == Harm::kHarm);
  CHECK(harm.by(HarmMeasure::kThroughput).behind);
  CHECK_FALSE(harm.by(HarmMeasure::kStalled).behind);
  CHECK(harm.changes == 2.0);
}

TEST_CASE("harm is there in every pair, but for one of eight", "[bench][no_harm]") {
  const Turn good = turn(1000, 1000), bad = turn(1000, 800);
  CHECK(verdict_of({bad, bad, good, bad}).harm == Harm::kTooNoisy);
  CHECK(verdict_of({bad, bad, good, bad}).by(HarmMeasure::kThroughput).turns == 3);
  std::vector<Turn> turns(8, bad);
  turns[5] = good;
  CHECK(verdict_of(turns).harm == Harm::kHarm);
  turns[6] = good;
  CHECK(verdict_of(turns).harm == Harm::kTooNoisy);
  // Stalls that come and go.
  const Turn stalled = turn(1000, 1000, 0, 2), even = turn(1000, 1000, 0, 0);
  CHECK(verdict_of({stalled, stalled, even, stalled}).harm == Harm::kTooNoisy);
  CHECK(verdict_of({stalled, stalled, stalled, stalled}).harm == Harm::kHarm);
}

TEST_CASE("harm is more than static differs from itself", "[bench][no_harm]") {
  // Behind by 10%; static's own runs differ by 17% in the median pair.
  const std::vector<Turn> noisy = {turn(1000, 900), turn(800, 720), turn(1200, 1080),
                                   turn(1000, 900)};
  const ScenarioVerdict verdict = verdict_of(noisy);
  CHECK(*verdict.by(HarmMeasure::kThroughput).spread > 0.1);
  CHECK(verdict.by(HarmMeasure::kThroughput).behind);
  CHECK(verdict.harm == Harm::kTooNoisy);
  // The same deficit where static is steady.
  CHECK(verdict_of({turn(1000, 900), turn(1010, 909), turn(990, 891), turn(1000, 900)}).harm ==
        Harm::kHarm);
}

TEST_CASE("stalling more is harm too, beyond static's own difference", "[bench][no_harm]") {
  const auto stalls = [](double own, double others) { return turn(1000, 1000, own, others); };
  const ScenarioVerdict harm =
      verdict_of({stalls(0, 1), stalls(0.1, 1.2), stalls(0, 0.9), stalls(0, 1)});
  CHECK(harm.harm == Harm::kHarm);
  CHECK(harm.by(HarmMeasure::kStalled).behind);
  CHECK_FALSE(harm.by(HarmMeasure::kThroughput).behind);
  const ScenarioVerdict noisy =
      verdict_of({stalls(0, 2), stalls(4, 4), stalls(1, 4), stalls(3, 3)});
  CHECK(noisy.by(HarmMeasure::kStalled).spread == 2.5);
  CHECK(noisy.by(HarmMeasure::kStalled).behind);
  CHECK(noisy.harm == Harm::kTooNoisy);
}

TEST_CASE("slower reads are harm though as much was done", "[bench][no_harm]") {
  const Turn slow = slower_turn(4, 9);
  CHECK(fell_behind(slow, kSeconds));
  CHECK(verdict_of({slow, slow, slow, slow}).harm == Harm::kHarm);
  CHECK(reads_of(verdict_of({slow})).lag == 1.25);
  // Static's own reads differ by as much, or a pair is otherwise.
  const ScenarioVerdict noisy =
      verdict_of({slower_turn(2, 9), slower_turn(9, 10), slower_turn(2, 9), slower_turn(8, 9)});
  CHECK(reads_of(noisy).behind);
  CHECK(noisy.harm == Harm::kTooNoisy);
  CHECK(verdict_of({slow, slow, slower_turn(4, 3), slow}).harm == Harm::kTooNoisy);
  const std::vector<Turn> tenfold = {slower_turn(4, 60), slower_turn(40, 60), slower_turn(4, 60),
                                     slower_turn(40, 60)};
  CHECK(verdict_of(tenfold).harm == Harm::kTooNoisy);
  // Each run of the policy has to be slower than all of static's, not than the one beside it.
  const std::vector<Turn> mixed = {slower_turn(4, 9), slower_turn(4, 9), slower_turn(10, 11),
                                   slower_turn(4, 9)};
  CHECK(verdict_of(mixed).harm == Harm::kTooNoisy);
  // A little of much, and much of little, are what any two runs differ by.
  CHECK_FALSE(fell_behind(slower_turn(10, 14.9), kSeconds));
  CHECK_FALSE(fell_behind(slower_turn(0.1, 1), kSeconds));
  Turn writes = slow;
  std::swap(writes.reference.read_p99_us, writes.reference.write_p99_us);
  CHECK_FALSE(fell_behind(writes, kSeconds));  // nothing to compare with
  std::swap(writes.policy.read_p99_us, writes.policy.write_p99_us);
  CHECK(fell_behind(writes, kSeconds));
}

TEST_CASE("more time above the SLO is harm", "[bench][no_harm]") {
  const auto above = [](double own, double others) {
    Turn out = turn(1000, 1000);
    out.reference.above_slo_seconds = own;
    out.policy.above_slo_seconds = others;
    return out;
  };
  CHECK_FALSE(fell_behind(above(1, 2), kSeconds));
  CHECK(fell_behind(above(1, 3), kSeconds));
  // Intervals that are measured are not quite of whole seconds: one more is one more.
  CHECK_FALSE(fell_behind(above(0.9998, 2.0005), kSeconds));
  CHECK(verdict_of({above(1, 1.0005)}).by(HarmMeasure::kAboveSlo).turns == 0);
  CHECK(verdict_of({above(1, 3), above(1, 3), above(1, 4), above(1, 3)}).harm == Harm::kHarm);
  CHECK(verdict_of({above(1, 3), above(5, 8), above(1, 9), above(5, 6)}).harm == Harm::kTooNoisy);
}

TEST_CASE("pairs that somebody added count", "[bench][no_harm]") {
  const Turn good = turn(1000, 1000), bad = turn(1000, 800);
  CHECK(verdict_of({good, bad, bad, bad, bad, bad, bad, bad}).harm == Harm::kHarm);
  CHECK(verdict_of({good, bad, bad, bad}).harm == Harm::kTooNoisy);
  CHECK(verdict_of({good, good, bad, good}).harm == Harm::kNone);
  CHECK(verdict_of({good, bad}).harm == Harm::kNone);  // too few to say otherwise
}

TEST_CASE("a side's P99 is the mean of its operations of that kind", "[bench][no_harm]") {
  std::vector<rocktune::bench::report::Run> runs = {harm_run("static", 1, 100, 1),
                                                    harm_run("headroom", 1, 100, 1)};
  const auto operations_of = [&](std::size_t run) -> json& {
    return runs[run].result["databases"][0]["total"]["operations"];
  };
  operations_of(0) = {{"read", {{"count", 100}, {"p99_us", 2000}}},
                      {"scan", {{"count", 5000}, {"p99_us", 3000}, {"any_moment_p99_us", 8000}}},
                      {"read_modify_write", {{"count", 100}, {"p99_us", 500}}},
                      {"update", {{"count", 99}, {"p99_us", 90000}}}};  // too few to have a P99
  operations_of(1) = operations_of(0);
  operations_of(1)["multiget"] = {{"count", 1000}, {"p99_us", 1}};  // which static did not do
  const auto turns = turns_of(runs, "static", "headroom");
  REQUIRE(turns);
  const TurnSide& side = turns->front().reference;
  REQUIRE(side.read_p99_us);
  CHECK(*side.read_p99_us == Approx(4000));
  CHECK(*side.write_p99_us == Approx(500));
  CHECK_FALSE(side.above_slo_seconds);  // no objective
  CHECK(turns->front().policy.read_p99_us == side.read_p99_us);
}

TEST_CASE("a kind of operations that a policy starves is judged", "[bench][no_harm]") {
  const auto turn_of = [](const json& reference, const json& policy) {
    std::vector<rocktune::bench::report::Run> runs = {harm_run("static", 1, 100, 1),
                                                      harm_run("headroom", 1, 100, 1)};
    runs[0].result["databases"][0]["total"]["operations"] = reference;
    runs[1].result["databases"][0]["total"]["operations"] = policy;
    const auto turns = turns_of(runs, "static", "headroom");
    REQUIRE(turns);
    return turns->front();
  };
  const auto of = [](int count) { return json{{"count", count}, {"p99_us", 2000}}; };
  const json read = of(5000);
  const Turn starved =
      turn_of({{"read", read}, {"scan", of(400)}}, {{"read", read}, {"scan", of(99)}});
  CHECK(starved.reference.read_p99_us == Approx(2000));
  CHECK(starved.policy.read_p99_us == kStarved);
  CHECK(fell_behind(starved, kSeconds));
  CHECK(verdict_of({starved, starved, starved, starved}).harm == Harm::kHarm);
  const Turn good = slower_turn(2, 2);
  CHECK(verdict_of({starved, good, good, good}).harm == Harm::kCleared);
  CHECK(verdict_of({starved, starved, starved, good}).harm == Harm::kTooNoisy);
  // None of it at all, and the only kind there is.
  CHECK(fell_behind(turn_of({{"update", of(100)}}, json::object()), kSeconds));
  // One fewer, though the hundredth: as good as the same.
  CHECK_FALSE(fell_behind(turn_of({{"scan", of(101)}}, {{"scan", of(99)}}), kSeconds));
  // What static has too few of says nothing on either side.
  const Turn few = turn_of({{"read", read}, {"scan", of(99)}}, {{"read", read}});
  CHECK(few.policy.read_p99_us == Approx(2000));
  CHECK_FALSE(fell_behind(few, kSeconds));

  const auto report = make_report({}, {}, {judged_scenario(1, {starved})});
  CHECK_THAT(no_harm_markdown(report), Contains("| starved |"));
  const json side = no_harm_json(report).at("scenarios").at(0).at("policy");
  CHECK(side.at("reads_starved") == true);
  CHECK(side.at("writes_starved") == false);
  CHECK(side.at("read_p99_us").is_null());
}

TEST_CASE("all pairs of a scenario are held against each other by the same kinds",
          "[bench][no_harm]") {
  // Scans are ten times as slow as reads, and static does about a hundred of them in a run.
  std::vector<rocktune::bench::report::Run> runs;
  const std::vector<int> scans = {101, 99, 98, 104, 102};
  for (std::size_t i = 0; i < scans.size(); ++i) {
    for (const char* policy : {"static", "headroom"}) {
      runs.push_back(harm_run(policy, static_cast<std::int64_t>(i) + 1, 100, 1));
      runs.back().result["databases"][0]["total"]["operations"] = {
          {"read", {{"count", 5000}, {"p99_us", 1000}}},
          {"scan", {{"count", scans[i]}, {"p99_us", 100000}}}};
    }
  }
  const auto p99s = [&] {
    std::vector<double> of_turns;
    const auto turns = turns_of(runs, "static", "headroom");
    REQUIRE(turns);
    for (const Turn& turn : *turns) of_turns.push_back(turn.reference.read_p99_us.value_or(0));
    return of_turns;
  };
  for (const double p99 : p99s()) CHECK(p99 == Approx(10000));
  // Static does none of them in one turn, which then says nothing of reads.
  runs[4].result["databases"][0]["total"]["operations"].erase("scan");
  CHECK(p99s()[2] == 0);
  CHECK(p99s()[1] == Approx(10000));
  // Fewer in most turns: they are left out of all.
  runs[0].result["databases"][0]["total"]["operations"].erase("scan");
  for (const double p99 : p99s()) CHECK(p99 == Approx(1000));
}

TEST_CASE("all scenarios count by their first pair", "[bench][no_harm]") {
  const OverallVerdict all =
      judge_all({turn(1000, 2000, 1, 0), turn(1000, 500, 0, 3), turn(0, 10)}, 1);
  CHECK(all.scenarios == 3);
  REQUIRE(all.throughput_ratio);
  CHECK(all.throughput_ratio->mean == Approx(1));
  CHECK(all.throughput_ratio->count == 2);  // static did nothing in the third
  CHECK(all.throughput_ratio->low == Approx(0.5));
  CHECK(all.throughput_ratio->high == Approx(2));
  CHECK(all.reference_stalled_seconds == 1);
  CHECK(all.policy_stalled_seconds == 3);
  CHECK_FALSE(judge_all({}, 1).throughput_ratio);
}

TEST_CASE("turns are repeats of which both sides ended", "[bench][no_harm]") {
  std::vector<rocktune::bench::report::Run> runs = {
      harm_run("headroom", 2, 90, 3), harm_run("static", 1, 100, 1), harm_run("static", 2, 100, 2),
      harm_run("headroom", 1, 80, 4), harm_run("static", 3, 100, 2), harm_run("headroom", 3, 1, 1)};
  runs.back().partial = true;
  runs.front().changes = 7;
  const auto turns = turns_of(runs, "static", "headroom");
  REQUIRE(turns);
  REQUIRE(turns->size() == 2);
  CHECK(turns->front().policy.ops_per_second == 80);
  CHECK(turns->front().reference.stalled_seconds == 1);
  CHECK_FALSE(turns->front().changes);
  CHECK(turns->back().changes == 7);
  runs.front().result["databases"][0]["total"].erase("stall_seconds");
  CHECK_FALSE(turns_of(runs, "static", "headroom"));
}

TEST_CASE("the report says what came out", "[bench][no_harm]") {
  NoHarmSettings settings;
  const Turn good = turn(1000, 1100), bad = turn(1000, 800, 0, 2);
  const auto report =
      make_report(settings, {},
                  {judged_scenario(1, {good}), judged_scenario(2, {bad, bad, bad, bad}),
                   judged_scenario(3, {bad, good, good, good})});
  CHECK(has_harm(report));
  CHECK_THAT(verdict_lines(report).back(),
             Contains("HARM by headroom in 1 of 3 scenarios: scenario-002"));
  const std::string text = no_harm_text(report);
  CHECK_THAT(text, Contains("fell behind in their first pair") && Contains("scenario-003"));
  CHECK(text.find("scenario-002") < text.find("scenario-001"));  // the worst first
  CHECK_THAT(no_harm_markdown(report), Contains("| scenario-001 | 1.100 |"));
  const json document = no_harm_json(report);
  CHECK(document.at("schema") == "rocktune-no-harm/1");
  CHECK(document.at("harm") == true);
  CHECK(document.at("overall").at("verdicts").at("cleared") == 1);
  CHECK(document.at("overall").at("stalled_seconds").at("policy") == 4);
  CHECK(document.at("scenarios").at(1).at("pairs").size() == 4);
  CHECK(document.at("scenarios").at(1).at("throughput_ratio") == 0.8);
  CHECK(document.at("scenarios").at(1).at("stalled_pairs") == 4);
  CHECK(document.at("scenarios").at(1).at("static").at("read_p99_us").is_null());
  CHECK_THAT(text, Contains("harm: throughput, time stalled"));

  const auto fine = make_report(settings, {}, {judged_scenario(1, {good})});
  CHECK_FALSE(has_harm(fine));
  CHECK(verdict_lines(fine).back() == "No confirmed harm by headroom in 1 scenarios.");
  CHECK(no_harm_json(make_report(settings, {}, {})).at("scenarios").empty());
}

TEST_CASE("static does not come first in every scenario", "[bench][no_harm]") {
  std::set<std::uint64_t> seeds;
  int first = 0;
  for (std::int64_t number = 1; number <= 50; ++number) {
    const std::uint64_t seed = order_seed(1, number);
    seeds.insert(seed);
    first += planned_runs({"static", "headroom"}, 1, seed).front().policy == "static" ? 1 : 0;
  }
  CHECK(seeds.size() == 50);
  CHECK(first >= 15);
  CHECK(first <= 35);
}

TEST_CASE("a policy with parameters is judged by the name that comparisons give it",
          "[bench][no_harm]") {
  const auto name = policy_to_judge("silk:least_bytes_per_second=2e6");
  REQUIRE(name);
  CHECK(policy_to_judge("silk:least_bytes_per_second=2000000").value() == *name);
  CHECK(policy_to_judge(*name).value() == *name);
  CHECK(policy_to_judge("headroom").value() == "headroom");
  CHECK_FALSE(policy_to_judge("static"));
  CHECK_FALSE(policy_to_judge("headroom,silk"));
  CHECK_FALSE(policy_to_judge("silk:least=1"));
}
