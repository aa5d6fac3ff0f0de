#include "tools/sweep_text.h"

#include <functional>

#include "stall_trace.h"
#include "support.h"
#include "tools/sweep_plan.h"
#include "tools/sweep_tables.h"

using namespace rocktune;
using namespace rocktune::tools;
using namespace rocktune::tools::test;

namespace {

SweepPlan plan_for(const TempDirectory& directory, const std::string& grid) {
  auto plan = SweepPlan::make(
      *parse_sweep_grid(grid, "grid.yaml"),
      {record_stall(directory, "a", 1, 20), record_stall(directory, "b", 2, 20)}, "build");
  if (!plan) FAIL(plan.error().message);
  return *std::move(plan);
}

// Of lines whose figures `put` writes.
SweepResult made_up(const SweepPlan& plan, const std::function<void(trace::Json&)>& put) {
  SweepResult result;
  for (const SweepUnit& unit : plan.all()) {
    trace::Json line = plan.columns(unit);
    line["error"] = nullptr;
    put(line);
    if (auto added = result.add(line); !added) FAIL(added.error().message);
  }
  return result;
}

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

constexpr const char* kThreePolicies =
    "rung: closed_loop\n"
    "policies: [static, {name: headroom, params: {limiter_raise_factor: [1.5, 1.8]}}]\n"
    "seeds: 3\n";

void p99_by_policy(trace::Json& line) {
  const trace::Json& factor = line["p_limiter_raise_factor"];
  const double base = factor.is_null() ? 0.020 : factor == 1.5 ? 0.002 : 0.004;
  // One database is ten times as slow, and its objective is the same.
  line["read_p99_seconds"] = base * (line["trace"] == "a" ? 1 : 10);
  line["operations_per_second"] = 1000;
}

}  // namespace

TEST_CASE("the best parameters are those that rank best wherever they were tried", "[sweep]") {
  const TempDirectory directory;
  const SweepPlan plan = plan_for(directory, kThreePolicies);
  const std::string text = joined_lines(sweep_lines(made_up(plan, p99_by_policy)));
  CHECK(contains(text, "limiter_raise_factor=1.5"));
  CHECK_FALSE(contains(text, "limiter_raise_factor=1.8"));
  CHECK(contains(text, "11.0 ms"));  // median of 2 ms and 20 ms
  CHECK(contains(text, "the one with more combinations comes out ahead"));
  CHECK(contains(text, "2 of 2 databases"));
  CHECK(contains(text, "the lower P99, also where both are within the SLO"));
  CHECK(contains(text, "1.00: the order is stable"));
  CHECK(contains(text, "Closed loop, simulated"));
}

TEST_CASE("a figure that nobody asked for is no zero", "[sweep]") {
  const TempDirectory directory;
  const SweepPlan plan = plan_for(directory, kThreePolicies);
  const std::string text = joined_lines(sweep_lines(made_up(plan, [](trace::Json& line) {
    line["operations_per_second"] = 1000;
    if (line["trace"] == "a") line["read_p99_seconds"] = 0.030;
  })));
  CHECK(contains(text, "30.0 ms"));
  CHECK(contains(text, "2 of 2 databases (read P99: of 1 of them)."));
}

TEST_CASE("parameters that change nothing have no best", "[sweep]") {
  const TempDirectory directory;
  const SweepPlan plan = plan_for(directory, kThreePolicies);
  const std::string text = joined_lines(sweep_lines(made_up(plan, [](trace::Json& line) {
    line["read_p99_seconds"] = line["policy"] == "static" ? 0.002 : 0.001;
    line["operations_per_second"] = 1000;
  })));
  CHECK(contains(text, "all alike"));
  CHECK_FALSE(contains(text, "limiter_raise_factor"));
  CHECK_FALSE(contains(text, "combinations comes out ahead"));
  CHECK(contains(text, "1.00: the order is stable"));
}

TEST_CASE("a database that some units failed on is left out", "[sweep]") {
  const TempDirectory directory;
  const SweepPlan plan = plan_for(directory, kThreePolicies);
  const auto failing = [](bool all) {
    return [all](trace::Json& line) {
      p99_by_policy(line);
      if (all || line["trace"] == "b") line["error"] = "no samples";
    };
  };
  const std::string text = joined_lines(sweep_lines(made_up(plan, failing(false))));
  CHECK(contains(text, "1 of 2 databases"));
  CHECK(contains(text, "2.0 ms"));
  CHECK(joined_lines(sweep_lines(made_up(plan, failing(true)))) ==
        "No database came through all of its simulations.\n");
}

TEST_CASE("a part of a sweep is compared where it is whole", "[sweep]") {
  const TempDirectory directory;
  const SweepPlan plan = plan_for(directory, kThreePolicies);
  SweepResult result;
  for (const SweepUnit& unit : plan.all()) {
    trace::Json line = plan.columns(unit);
    if (line["trace"] == "b" && line["seed"] == 2 && line["policy"] == "static") continue;
    line["error"] = nullptr;
    p99_by_policy(line);
    REQUIRE(result.add(line));
  }
  CHECK(result.databases().size() == 2);
  CHECK(result.meetings().size() == 3);  // the seeds of one database
  CHECK(contains(joined_lines(sweep_lines(result)), "over 3 seeds of 1 of 2 databases"));
}

TEST_CASE("one policy alone has parameters to choose, and no order of policies", "[sweep]") {
  const TempDirectory directory;
  const SweepPlan plan = plan_for(
      directory,
      "rung: closed_loop\n"
      "policies: [{name: headroom, params: {limiter_raise_factor: [1.5, 1.8]}}]\nseeds: 3\n");
  const auto best = best_of(made_up(plan, p99_by_policy));
  REQUIRE(best);
  CHECK(best->conclusion == "headroom limiter_raise_factor=1.5 ranks best of 2 combinations.");
  CHECK(best->concordance.empty());
}

TEST_CASE("who comes first may share the place", "[sweep]") {
  const TempDirectory directory;
  const SweepPlan plan =
      plan_for(directory, "rung: closed_loop\npolicies: [static, silk, adoc]\nseeds: 3\n");
  const auto best = best_of(made_up(plan, [](trace::Json& line) {
    line["read_p99_seconds"] = line["policy"] == "static" ? 0.002 : 0.001;
    line["operations_per_second"] = 1000;
  }));
  REQUIRE(best);
  CHECK(best->conclusion ==
        "silk, adoc share the first place: median rank 1.5 of 3, best in 100% of seeds and "
        "databases.");
}

TEST_CASE("what is no line of a sweep is refused", "[sweep]") {
  const TempDirectory directory;
  const SweepPlan plan = plan_for(directory, kThreePolicies);
  trace::Json line = plan.columns(plan.all().front());
  const trace::Json unit_without_figures = line;
  line["error"] = nullptr;
  line["operations_per_second"] = 1000;
  const auto refused = [&](const char* column, const trace::Json& value) {
    trace::Json wrong = line;
    wrong[column] = value;
    SweepResult result;
    REQUIRE(result.add(line));
    const auto added = result.add(wrong);
    return added ? std::string() : added.error().message;
  };
  CHECK(contains(refused("schema", "rocktune-score/1"), "without the schema rocktune-sweep/1"));
  CHECK(contains(refused("rung", "real"), "of no rung"));
  CHECK(contains(refused("rung", "open_loop"), "two rungs"));
  CHECK(contains(refused("policy", nullptr), "without a policy"));
  CHECK(contains(refused("seed", nullptr), "without a seed"));
  CHECK(contains(refused("seed", 1e300), "without a seed"));
  CHECK(contains(refused("seed", line["seed"]), "the same unit twice"));
  CHECK(contains(refused("operations_per_second", nullptr), "neither figures nor an error"));
  CHECK(contains(refused("error", 7), "neither figures nor an error"));
  CHECK_FALSE(SweepResult().add(unit_without_figures));  // as --list-units prints them
  CHECK_FALSE(SweepResult().add(trace::Json::array()));
}

TEST_CASE("open loop counts what would have been decided", "[sweep]") {
  const TempDirectory directory;
  const SweepPlan plan = plan_for(directory, "rung: open_loop\npolicies: [static, headroom]\n");
  const auto lines = made_up(plan, [](trace::Json& line) {
    line["decisions"] = line["policy"] == "static" ? 0 : 21;
    line["decisions_allowed"] = line["policy"] == "static" ? 0 : 4;
    line["compaction_backlog_alarms"] = 5;
    line["compaction_backlog_false_alarms"] = 1;
    line["compaction_backlog_events"] = 6;
  });
  const std::string text = joined_lines(sweep_lines(lines));
  CHECK(contains(text, "42"));
  CHECK(contains(text, "compaction_backlog 10 (2 false) for 12 events"));
  CHECK(contains(text, "p99 not scored"));
  CHECK(contains(text, "Open loop"));
}
