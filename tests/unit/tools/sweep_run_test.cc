#include "tools/sweep_run.h"

#include <atomic>
#include <map>

#include "stall_trace.h"
#include "support.h"

using namespace rocktune;
using namespace rocktune::tools;
using namespace rocktune::tools::test;

namespace {

// Of two runs; 16 units.
SweepPlan plan_to_run(const TempDirectory& directory) {
  const char* grid =
      "rung: open_loop\n"
      "policies: [static, silk, adoc, {name: headroom, params: {limiter_raise_factor: {from: 1.2, "
      "to: 2, steps: 5}}}]\n";
  auto plan = SweepPlan::make(
      *parse_sweep_grid(grid, "grid.yaml"),
      {record_stall(directory, "a", 1, 20, 1, 5), record_stall(directory, "b", 2, 20, 1, 5)},
      "build");
  if (!plan) FAIL(plan.error().message);
  return *std::move(plan);
}

std::map<std::size_t, std::string> lines_with(const SweepPlan& plan, std::size_t jobs) {
  std::map<std::size_t, std::string> lines;
  SweepHooks hooks;
  hooks.stopped = [] { return false; };
  hooks.store = [&](const SweepUnit& unit, const std::string& line, bool failed) -> Result<void> {
    CHECK_FALSE(failed);
    CHECK(lines.emplace(unit.number, line).second);
    return {};
  };
  REQUIRE(run_units(plan, plan.all(), jobs, hooks));
  return lines;
}

}  // namespace

TEST_CASE("units are the same whichever threads run them", "[sweep]") {
  const TempDirectory directory;
  const SweepPlan plan = plan_to_run(directory);
  const auto alone = lines_with(plan, 1);
  REQUIRE(alone.size() == 16);
  CHECK(lines_with(plan, 4) == alone);
}

TEST_CASE("a sweep ends when it is stopped, or a line cannot be stored", "[sweep]") {
  const TempDirectory directory;
  const SweepPlan plan = plan_to_run(directory);
  std::atomic<int> asked = 0;
  int stored = 0;
  SweepHooks hooks;
  hooks.stopped = [&] { return ++asked > 3; };
  hooks.store = [&](const SweepUnit&, const std::string&, bool) -> Result<void> {
    ++stored;
    return {};
  };
  CHECK(run_units(plan, plan.all(), 2, hooks));
  CHECK(stored == 3);

  hooks.stopped = [] { return false; };
  hooks.store = [](const SweepUnit&, const std::string&, bool) -> Result<void> {
    return fail(ErrorCode::kIo, "disk full");
  };
  const auto failed = run_units(plan, plan.all(), 2, hooks);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message == "disk full");
}

TEST_CASE("a run that cannot be read costs its own units", "[sweep]") {
  const TempDirectory directory;
  const SweepPlan plan = plan_to_run(directory);
  std::filesystem::remove(directory.file("a"));
  std::map<std::string, int> failures;
  SweepHooks hooks;
  hooks.stopped = [] { return false; };
  hooks.store = [&](const SweepUnit& unit, const std::string& line, bool failed) -> Result<void> {
    CHECK(contains(line, "\"error\":null") != failed);
    failures[unit.trace] += failed ? 1 : 0;
    return {};
  };
  CHECK(run_units(plan, plan.all(), 3, hooks));
  CHECK(failures == std::map<std::string, int>{{"a", 8}, {"b", 0}});
}
