#include "score/evaluation.h"

#include "score/thresholds.h"
#include "tests/support/catch.h"
#include "tests/unit/score/seconds.h"

using namespace rocktune;
using namespace rocktune::score;
using rocktune::score::test::kBacklogPlace;

namespace {

EvaluationRequest request(const std::vector<std::string>& names) {
  EvaluationRequest out;
  for (const std::string& name : names) out.contest.detectors.push_back(*parse_choice(name));
  out.contest.horizons = {60};
  return out;
}

Tally tally(std::size_t false_alarms, Leads leads) {
  Tally out;
  out.seconds = 3600;
  out.events = 2;
  out.fresh_events = 1;
  out.false_alarms = false_alarms;
  out.alarms = false_alarms + leads.size();
  out.leads = std::move(leads);
  return out;
}

// An hour with two stalls in which each candidate does what `of` says of its place.
template <class Of>
RunResult run(const EvaluationRequest& asked, int hour, Of&& of) {
  RunResult out;
  out.name = out.recording = "run-" + std::to_string(hour);
  out.begin_wall = std::chrono::hours(hour);
  out.end_wall = std::chrono::hours(hour + 1);
  out.of_kind.at(kBacklogPlace) = {3600, 2, 1};
  for (const Entry& entry : entries(asked.contest)) {
    RunResult::OfEntry& one = out.of_entry.emplace_back();
    const auto candidates = candidate_thresholds(asked.contest.detectors[entry.detector]);
    for (std::size_t i = 0; i < candidates.size(); ++i) one.by_threshold.push_back(of(i));
    one.probability.add(0.8, true);
    one.probability.add(0.1, false);
  }
  return out;
}

const Table& backlog(const Evaluation& evaluation) {
  for (const Table& table : evaluation.tables) {
    if (table.kind == IndicatorKind::kCompactionBacklog) return table;
  }
  FAIL("no table of compaction_backlog");
  return evaluation.tables.front();
}

}  // namespace

TEST_CASE("the threshold that a run is scored with is never chosen on that run", "[score]") {
  const EvaluationRequest asked = request({"static"});
  // In run 0 candidate 5 is good; in run 1 it is bad, and candidate 9 is good.
  const auto first = [](std::size_t i) { return i == 5 ? tally(0, {30, 30}) : tally(9, {}); };
  const auto second = [](std::size_t i) { return i == 9 ? tally(0, {30, 30}) : tally(7, {3}); };
  const auto out = evaluate({run(asked, 0, first), run(asked, 2, second)}, asked);
  REQUIRE(out);
  REQUIRE(out->trained);
  const Row& row = backlog(*out).rows[0];
  REQUIRE(row.runs.size() == 1);
  CHECK(row.runs[0].run == 1);
  CHECK(row.runs[0].threshold == candidate_thresholds(asked.contest.detectors[0])[5]);
  CHECK(row.tally.false_alarms == 7);
  CHECK(*row.recall[0].value == 0.5);
  CHECK(*row.recall[1].value == 0);
  CHECK(*row.false_alarms_per_hour.value == 7);
}

TEST_CASE("without a threshold in the budget no alarm is raised, and events still count",
          "[score]") {
  EvaluationRequest asked = request({"static"});
  asked.false_alarms_per_hour = 1;
  const auto noisy = [](std::size_t) { return tally(9, {30, 30}); };
  const auto out = evaluate({run(asked, 0, noisy), run(asked, 2, noisy)}, asked);
  REQUIRE(out);
  const Row& row = backlog(*out).rows[0];
  CHECK_FALSE(row.runs[0].threshold);
  CHECK(row.tally.alarms == 0);
  CHECK(*row.recall[0].value == 0);
  CHECK(*row.fresh_recall.value == 0);
  CHECK(*row.false_alarms_per_hour.value == 0);
}

TEST_CASE("a single run is scored where nothing has to be chosen", "[score]") {
  const EvaluationRequest asked = request({"never", "static", "static=0.7", "rocktune"});
  const auto out = evaluate({run(asked, 0, [](std::size_t) { return tally(1, {9}); })}, asked);
  REQUIRE(out);
  CHECK_FALSE(out->trained);
  const Table& table = backlog(*out);
  REQUIRE(table.rows.size() == 4);
  CHECK(table.rows[0].has_threshold);
  CHECK_FALSE(table.rows[1].has_threshold);
  CHECK_FALSE(table.rows[1].recall[0].value);
  CHECK(table.rows[2].has_threshold);
  CHECK(*table.rows[2].recall[1].value == 0.5);
  CHECK_FALSE(table.rows[2].recall[1].interval);  // one run
  CHECK_FALSE(table.rows[3].has_threshold);
  CHECK(*table.rows[3].brier.value == Approx((0.04 + 0.01) / 2));
  CHECK_FALSE(table.rows[2].brier.value);  // gives no probability
}

TEST_CASE("pooled figures have an interval over runs, the same on every evaluation", "[score]") {
  const EvaluationRequest asked = request({"static=0.7"});
  std::vector<RunResult> runs;
  for (int i = 0; i < 6; ++i) {
    runs.push_back(run(
        asked, 2 * i, [i](std::size_t) { return i % 2 == 0 ? tally(0, {30, 30}) : tally(2, {}); }));
  }
  const auto out = evaluate(runs, asked);
  REQUIRE(out);
  const Row& row = backlog(*out).rows[0];
  CHECK(row.runs.size() == 5);  // the first one is for training only
  CHECK(*row.recall[0].value == Approx(4.0 / 10));
  REQUIRE(row.recall[0].interval);
  CHECK(row.recall[0].interval->low < 0.4);
  CHECK(row.recall[0].interval->high > 0.4);
  const auto again = evaluate(runs, asked);
  CHECK(backlog(*again).rows[0].recall[0].interval == row.recall[0].interval);
}

TEST_CASE("recall at leads beyond the horizon does not exist", "[score]") {
  EvaluationRequest asked = request({"static=0.7"});
  asked.contest.horizons = {10};
  const auto out = evaluate({run(asked, 0, [](std::size_t) { return tally(0, {9}); })}, asked);
  REQUIRE(out);
  const Row& row = backlog(*out).rows[0];
  CHECK(row.recall[2].value);        // 10 s
  CHECK_FALSE(row.recall[3].value);  // 20 s
}

TEST_CASE("no run is an error", "[score]") {
  CHECK_FALSE(evaluate({}, request({"never"})));
}
