#include "bench/compare/compare.h"

#include <cstdio>
#include <sstream>

#include "bench/cli/stop.h"
#include "bench/compare/directory.h"
#include "bench/compare/policies.h"
#include "bench/compare/reports.h"
#include "bench/compare/runs.h"
#include "bench/compare/shared.h"
#include "bench/trial/digest.h"
#include "bench/trial/screen.h"
#include "scenario/device/spec.h"
#include "scenario/scenario.h"

namespace rocktune::bench {
namespace {

using nlohmann::json;

std::string command_of(const CompareSettings& settings, const std::string& policies) {
  std::ostringstream out;
  out << "rocktune-bench compare --scenario " << settings.scenario << " --policies " << policies
      << " --repeat " << settings.repeat;
  if (settings.full) out << " --full";
  if (!settings.device.empty()) out << " --device " << settings.device;
  if (settings.seconds > 0) out << " --seconds " << settings.seconds;
  if (settings.seed != CompareSettings{}.seed) out << " --seed " << settings.seed;
  if (settings.traces) out << " --traces";
  return out.str();
}

// What standings() is to tell of how the runs were made: medians of other builds or lengths are not
// to be averaged without a word.
json facts_of(const CompareSettings& settings, const json& programs) {
  return {{"seconds", settings.seconds > 0 ? json(settings.seconds) : json(nullptr)},
          {"full", settings.full},
          {"programs_digest", digest(programs.dump())}};
}

Result<void> compare(const CompareSettings& settings, const scenario::Scenario& scenario,
                     const json& programs, const std::vector<std::string>& policies,
                     CompareDirectory& directory) {
  Screen screen;
  screen.say("comparing " + settings.policies + " on scenario " + scenario.name + ", in " +
             directory.path());
  CompareRuns runs(settings, scenario, programs, directory, screen);
  const auto made = runs.make(policies);
  const auto written = write_reports(
      {"Policies on scenario " + scenario.name, command_of(settings, settings.policies), policies,
       settings.seed, facts_of(settings, programs)},
      directory, screen);
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
  auto scenario = scenario::load_scenario(settings.scenario, settings.full);
  if (!scenario) return failed(scenario.error(), 2);
  if (!settings.device.empty()) {
    scenario->device = settings.device;
    const auto device = scenario::parse_device_spec(scenario->device, scenario->scale);
    if (!device) return failed(device.error().within("--device"), 2);
  }
  install_stop_signals();
  const auto shared = shared_by_runs(settings, *scenario);
  if (!shared) return failed(shared.error(), 1);
  const std::string output =
      settings.output.empty() ? "compare-" + scenario->name : settings.output;
  auto directory = CompareDirectory::open(output, *shared);
  if (!directory) return failed(directory.error(), 1);
  auto done = compare(settings, *scenario, shared->at("programs"), *policies, *directory);
  if (!done) {
    const int code = failed(done.error(), 1);
    // A run that was stopped or killed (bench/trial/watch.h); one that failed would fail again.
    if (done.error().code == ErrorCode::kUnavailable) {
      std::fprintf(stderr, "what is finished stays, and the same command goes on from here\n");
    }
    return code;
  }
  if (!stop_requested()) return 0;
  std::fprintf(stderr,
               "stopped; nothing is left running, and the same command goes on from here\n");
  return 130;
}

}  // namespace rocktune::bench
