#include "bench/compare/compare.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "bench/cli/stop.h"
#include "bench/compare/directory.h"
#include "bench/compare/policies.h"
#include "bench/compare/runs.h"
#include "bench/compare/shared.h"
#include "bench/report/comparison.h"
#include "bench/report/summary.h"
#include "bench/scenario/scenario.h"
#include "bench/trial/screen.h"

namespace rocktune::bench {
namespace {

using nlohmann::json;

std::string command_of(const CompareSettings& settings, const std::string& policies) {
  std::ostringstream out;
  out << "rocktune-bench compare --scenario " << settings.scenario << " --policies " << policies
      << " --repeat " << settings.repeat;
  if (settings.full) out << " --full";
  if (settings.seconds > 0) out << " --seconds " << settings.seconds;
  if (settings.seed != CompareSettings{}.seed) out << " --seed " << settings.seed;
  return out.str();
}

// The order in which the runs were made, for compare.json.
json order_json(const std::vector<FinishedRun>& runs) {
  json order = json::array();
  for (const FinishedRun& run : runs) {
    order.push_back({{"sequence", run.sequence},
                     {"policy", run.run.policy},
                     {"repeat", run.run.repeat},
                     {"partial", run.run.partial}});
  }
  return order;
}

// compare.json, compare.md and compare.html of every run that the directory has.
Result<void> write_reports(const CompareSettings& settings, const Scenario& scenario,
                           const std::vector<std::string>& policies,
                           const CompareDirectory& directory, Screen& screen) {
  auto runs = directory.runs();
  if (!runs) return tl::unexpected(runs.error());
  if (runs->empty()) return {};
  const json order = order_json(*runs);
  report::Comparison comparison;
  comparison.title = "Policies on scenario " + scenario.name;
  comparison.reference = kStatic;
  comparison.command = command_of(settings, settings.policies);
  comparison.policies = policies;
  for (const FinishedRun& run : *runs) {
    auto& known = comparison.yardsticks;
    if (!is_static_at(run.run.policy)) continue;
    if (std::find(known.begin(), known.end(), run.run.policy) == known.end()) {
      known.push_back(run.run.policy);
    }
  }
  comparison.machine = report::this_machine();
  comparison.seed = settings.seed;
  for (FinishedRun& run : *runs) comparison.runs.push_back(std::move(run.run));
  const report::Summary summary = report::summarize(comparison);
  json document = report::summary_json(summary);
  document["order"] = order;
  if (auto done = directory.write("compare.json", document.dump(2) + "\n"); !done) return done;
  if (auto done = directory.write("compare.md", report::comparison_markdown(summary)); !done) {
    return done;
  }
  const std::string page = report::html(report::comparison_page(comparison, summary));
  if (auto done = directory.write("compare.html", page); !done) return done;
  screen.say("");
  screen.say(report::comparison_text(summary));
  screen.say("reports  " + directory.path() + "/compare.html, compare.md, compare.json");
  return {};
}

Result<void> compare(const CompareSettings& settings, const Scenario& scenario,
                     const json& programs, const std::vector<std::string>& policies,
                     CompareDirectory& directory) {
  Screen screen;
  screen.say("comparing " + settings.policies + " on scenario " + scenario.name + ", in " +
             directory.path());
  CompareRuns runs(settings, scenario, programs, directory, screen);
  const auto made = runs.make(policies);
  const auto written = write_reports(settings, scenario, policies, directory, screen);
  return made ? written : made;  // reports also of what there was before a failure
}

int failed(const Error& error, int code) {
  std::fprintf(stderr, "rocktune-bench: %s\n", error.message.c_str());
  return code;
}

}  // namespace

int compare_command(const CompareSettings& settings) {
  const auto policies = parse_policies(settings.policies);
  if (!policies) return failed(policies.error(), 2);
  const auto scenario = load_scenario(settings.scenario, settings.full);
  if (!scenario) return failed(scenario.error(), 2);
  install_stop_signals();
  const auto shared = shared_by_runs(settings, *scenario);
  if (!shared) return failed(shared.error(), 1);
  const std::string output =
      settings.output.empty() ? "compare-" + scenario->name : settings.output;
  auto directory = CompareDirectory::open(output, *shared);
  if (!directory) return failed(directory.error(), 1);
  auto done = compare(settings, *scenario, shared->at("programs"), *policies, *directory);
  if (!done) return failed(done.error(), 1);
  if (!stop_requested()) return 0;
  std::fprintf(stderr,
               "stopped; nothing is left running, and the same command goes on from here\n");
  return 130;
}

}  // namespace rocktune::bench
