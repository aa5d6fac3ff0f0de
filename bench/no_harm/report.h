// What `rocktune-bench no-harm` says: each scenario, all together, and the verdict. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/no_harm/no_harm.h"
#include "bench/no_harm/verdict.h"
#include "bench/report/run.h"

namespace rocktune::bench {

struct JudgedScenario {
  std::int64_t number = 0;
  std::string name;  // of its file and directory: "scenario-007"
  std::vector<Turn> turns;
  ScenarioVerdict verdict;
};

struct NoHarmReport {
  NoHarmSettings settings;
  std::string command;
  report::Machine machine;
  std::vector<JudgedScenario> scenarios;  // those that have a turn
  OverallVerdict overall;
};

NoHarmReport make_report(const NoHarmSettings& settings, const report::Machine& machine,
                         std::vector<JudgedScenario> scenarios);

bool has_harm(const NoHarmReport& report);
// "throughput 0.912, stalled 1.20 s (static 0.10 s), 4 changes, 4 pairs, behind in throughput"
std::string scenario_line(const ScenarioVerdict& verdict);
// The lines that say what came out.
std::vector<std::string> verdict_lines(const NoHarmReport& report);

// {"schema": "rocktune-no-harm/1", ...}: see docs/no-harm.md
nlohmann::json no_harm_json(const NoHarmReport& report);
std::string no_harm_markdown(const NoHarmReport& report);  // every scenario
std::string no_harm_text(const NoHarmReport& report);      // the worst ones

}  // namespace rocktune::bench
