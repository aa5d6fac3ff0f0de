#include "tools/sweep_plan.h"

#include <set>

#include "stall_trace.h"
#include "support.h"

using namespace rocktune;
using namespace rocktune::tools;
using namespace rocktune::tools::test;

namespace {

constexpr const char* kSmallGrid =
    "rung: closed_loop\n"
    "policies: [{name: headroom, params: {limiter_raise_factor: [1.5, 1.8]}}, static]\n"
    "seeds: 2\n";

SweepPlan make_plan(const std::vector<std::string>& traces, const std::string& grid = kSmallGrid,
                    const std::string& build = "build") {
  auto plan = SweepPlan::make(*parse_sweep_grid(grid, "grid.yaml"), traces, build);
  if (!plan) FAIL(plan.error().message);
  return *std::move(plan);
}

std::string all_columns(const SweepPlan& plan, const std::vector<SweepUnit>& units) {
  std::string text;
  for (const SweepUnit& unit : units) text += trace::json_text(plan.columns(unit)) + "\n";
  return text;
}

}  // namespace

TEST_CASE("units are every database, policy and seed, with a key of their own", "[sweep]") {
  const TempDirectory directory;
  const SweepPlan plan =
      make_plan({record_stall(directory, "b", 2, 20, 2), record_stall(directory, "a", 1, 20)});
  REQUIRE(plan.size() == 3 * 3 * 2);
  const auto units = plan.all();
  std::set<std::string> keys;
  for (const SweepUnit& unit : units) keys.insert(plan.key_of(unit.index));
  CHECK(keys.size() == plan.size());
  // The run that began first comes first.
  const trace::Json first = plan.columns(units.front());
  CHECK(first["schema"] == "rocktune-sweep/1");
  CHECK(first["unit"] == 1);
  CHECK(first["trace"] == "a");
  CHECK(first["target"] == "db0");
  CHECK(first["policy"] == "headroom");
  CHECK(first["p_limiter_raise_factor"] == 1.5);
  CHECK(first["seed"] == 0);
  const trace::Json last = plan.columns(units.back());
  CHECK(last["unit"] == 18);
  CHECK(last["trace"] == "b");
  CHECK(last["target"] == "db1");
  CHECK(last["policy"] == "static");
  CHECK(last["p_limiter_raise_factor"].is_null());
  CHECK(last["seed"] == 1);
}

TEST_CASE("a key says nothing of where a trace lies, and all of what is done with it", "[sweep]") {
  const TempDirectory one, other;
  const std::string here = record_stall(one, "here", 1, 20);
  const std::string there = other.file("there");
  std::filesystem::copy(here, there);
  const SweepPlan plan = make_plan({here});
  CHECK(make_plan({there}).key_of(3) == plan.key_of(3));
  CHECK(make_plan({record_stall(one, "later", 2, 20)}).key_of(3) != plan.key_of(3));
  CHECK(make_plan({here}, std::string(kSmallGrid) + "calibrate_until: 61\n").key_of(3) !=
        plan.key_of(3));
  CHECK(make_plan({here}, std::string(kSmallGrid) + "whole: true\n").key_of(3) != plan.key_of(3));
  CHECK(make_plan({here}, kSmallGrid, "another build").key_of(3) != plan.key_of(3));
  // The same run with other figures in it, as an import with another file beside the LOG makes it.
  const std::string otherwise = record_stall(other, "otherwise", 1, 25);
  CHECK(identity_of(make_plan({otherwise}).runs()[0]) == identity_of(plan.runs()[0]));
  CHECK(make_plan({otherwise}).key_of(3) != plan.key_of(3));
  // The same policy and seed, whatever else is in the grid.
  const SweepPlan less = make_plan({here}, "rung: closed_loop\npolicies: [static]\nseeds: 9\n");
  CHECK(less.key_of(1) == plan.key_of(5));
  CHECK(make_plan({here}, "rung: open_loop\npolicies: [static]\n").key_of(0) != plan.key_of(4));
}

TEST_CASE("a key says which device is simulated, and who shares it", "[sweep]") {
  const TempDirectory directory;
  const std::string trace = record_stall(directory, "a", 1, 20);
  std::set<std::string> keys = {make_plan({trace}).key_of(0)};
  for (const double iops : {1000.0, 1001.0}) {
    auto grid = parse_sweep_grid(kSmallGrid, "grid.yaml");
    grid->source.device.emplace().write = {1e6, iops};
    keys.insert(SweepPlan::make(*grid, {trace}, "build")->key_of(0));
  }
  CHECK(keys.size() == 3);
  // A neighbour that another recording lacks.
  const SweepPlan two = make_plan({record_stall(directory, "b", 1, 20, 2)});
  CHECK(two.runs_with(0) == std::vector<std::size_t>{0, 1});
  CHECK(two.key_of(0) != make_plan({trace}).key_of(0));
  // Nobody is met in open loop.
  const std::string open = "rung: open_loop\npolicies: [static]\n";
  const SweepPlan replayed = make_plan({directory.file("b")}, open);
  CHECK(replayed.runs_with(1) == std::vector<std::size_t>{1});
}

TEST_CASE("units are chosen by number", "[sweep]") {
  const TempDirectory directory;
  const SweepPlan plan = make_plan({record_stall(directory, "a", 1, 20)});
  const auto chosen = plan.numbered("5,2-3,3");
  REQUIRE(chosen);
  REQUIRE(chosen->size() == 3);
  CHECK((*chosen)[0].number == 2);
  CHECK((*chosen)[1].number == 3);
  CHECK((*chosen)[2].number == 5);
  for (const std::string bad : {"", "x", "1-", "-2", "0", "0-2", "3-2", "5-7", "1,,2", "1-2-3"}) {
    INFO(bad);
    const auto refused = plan.numbered(bad);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kInvalidArgument);
  }
}

TEST_CASE("listed units keep their numbers in a sweep of their trace alone", "[sweep]") {
  const TempDirectory directory;
  const std::string a = record_stall(directory, "a", 1, 20),
                    b = record_stall(directory, "b", 2, 20);
  std::filesystem::create_directory(directory.path() / "deep");
  std::filesystem::rename(b, directory.file("deep/b"));
  const SweepPlan plan = make_plan({a, directory.file("deep/b")});
  const auto last = plan.numbered("8-12");
  REQUIRE(last);
  const std::string lines = all_columns(plan, *last);
  CHECK(contains(lines, "\"trace\":\"deep/b\""));
  const SweepPlan alone = make_plan({directory.file("deep/b")});
  const auto again = alone.listed(lines);
  if (!again) FAIL(again.error().message);
  CHECK(all_columns(alone, *again) == lines);

  CHECK_FALSE(make_plan({a}).listed(lines));  // other traces
  CHECK_FALSE(alone.listed("{}\n"));
  CHECK_FALSE(alone.listed("no JSON\n"));
}
