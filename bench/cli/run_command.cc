#include "bench/cli/run_command.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

#include "bench/cli/progress.h"
#include "bench/cli/stop.h"
#include "bench/cli/temporary.h"
#include "bench/run/session.h"

namespace rocktune::bench {
namespace {

namespace fs = std::filesystem;

// How a workload without a configuration is opened.
constexpr const char* kUsualConfiguration = "ReadOpt-512MB";

// What the settings come to, once every name is looked up and every file is read.
struct Plan {
  scenario::Scenario scenario;
  scenario::DeviceSpec device;
  ProgressMode progress = ProgressMode::kNone;
};

// "KEY=VALUE" is for every database, "DATABASE:KEY=VALUE" for one. Nothing when it is for another.
std::optional<std::string> option_for(const std::string& option, const std::string& database) {
  const auto colon = option.find(':');
  if (colon == std::string::npos || colon > option.find('=')) return option;
  if (option.compare(0, colon, database) != 0) return std::nullopt;
  return option.substr(colon + 1);
}

Result<void> override_database(const RunSettings& settings, scenario::ScenarioDatabase& database) {
  scenario::Workload& workload = database.workload;
  if (settings.threads > 0) workload.threads = settings.threads;
  if (settings.records > 0) workload.records = settings.records;
  if (settings.value_size > 0) workload.set_value_size(settings.value_size);
  for (const std::string& option : settings.options) {
    const auto own = option_for(option, database.name);
    if (!own) continue;
    if (auto set = database.configuration.set(*own); !set) return set;
  }
  return {};
}

// Found out here, since each database passes over what is not its own.
Result<void> check_option_owners(const RunSettings& settings, const scenario::Scenario& scenario) {
  for (const std::string& option : settings.options) {
    const auto& all = scenario.databases;
    if (std::none_of(all.begin(), all.end(), [&](const scenario::ScenarioDatabase& database) {
          return option_for(option, database.name).has_value();
        })) {
      return fail(ErrorCode::kInvalidArgument,
                  "--config " + option + ": no database of that name in " + scenario.name);
    }
  }
  return {};
}

// What is measured, before single settings of it are changed.
Result<scenario::Scenario> named_scenario(const RunSettings& settings) {
  const std::string& configuration = settings.configuration;
  if (settings.scenario.empty()) {
    return scenario::scenario_of(settings.workload,
                                 configuration.empty() ? kUsualConfiguration : configuration,
                                 settings.scale);
  }
  auto scenario = scenario::load_scenario(settings.scenario, settings.full);
  if (!scenario || configuration.empty()) return scenario;
  return scenario::with_configuration(std::move(*scenario), configuration);
}

Result<Plan> make_plan(const RunSettings& settings) {
  Plan plan;
  if (settings.scenario.empty() == settings.workload.empty()) {
    return fail(ErrorCode::kInvalidArgument, "give either --workload or --scenario");
  }
  auto scenario = named_scenario(settings);
  if (!scenario) return tl::unexpected(scenario.error());
  plan.scenario = std::move(*scenario);
  const double planned_seconds = plan.scenario.seconds();
  if (settings.seconds > 0) plan.scenario.stretch_to(settings.seconds);
  for (scenario::ScenarioDatabase& database : plan.scenario.databases) {
    if (auto set = override_database(settings, database); !set) return tl::unexpected(set.error());
  }
  if (auto owned = check_option_owners(settings, plan.scenario); !owned) {
    return tl::unexpected(owned.error());
  }
  if (!settings.device.empty()) plan.scenario.device = settings.device;
  auto device = scenario::parse_device_spec(plan.scenario.device, settings.device_scale > 0
                                                                      ? settings.device_scale
                                                                      : plan.scenario.scale);
  if (!device) return tl::unexpected(device.error());
  plan.device = std::move(*device);
  // The scenario's device goes with its workloads; one given with --device has times of its own.
  if (settings.seconds > 0 && settings.device.empty() && planned_seconds > 0) {
    plan.device.profile.stretch(settings.seconds / planned_seconds);
  }
  auto progress = parse_progress(settings.progress);
  if (!progress) return tl::unexpected(progress.error());
  plan.progress = *progress;
  if (plan.progress == ProgressMode::kJson && settings.json.empty() && !settings.load_only) {
    return fail(ErrorCode::kInvalidArgument,
                "--progress json writes to stdout: give --json FILE for the result");
  }
  return plan;
}

// Found out before a long run rather than after it.
Result<void> check_writable(const std::string& path) {
  if (path.empty()) return {};
  const std::ofstream out(path, std::ios::binary | std::ios::app);
  if (!out) return fail(ErrorCode::kIo, path + ": cannot be written");
  return {};
}

Result<void> write_result(const RunSettings& settings, const RunResult& result) {
  const std::string text = result_json(result).dump(2) + "\n";
  if (settings.json.empty()) {
    std::cout << text << std::flush;
    if (!std::cout) return fail(ErrorCode::kIo, "stdout: the result cannot be written");
    return {};
  }
  std::ofstream out(settings.json, std::ios::binary | std::ios::trunc);
  out << text;
  if (!out.flush()) return fail(ErrorCode::kIo, settings.json + ": cannot be written");
  return {};
}

// "DIR/" is DIR: the device's files lie in "DIR.device", beside it.
std::string absolute_path(const std::string& path) {
  std::string out = fs::absolute(path).lexically_normal().string();
  while (out.size() > 1 && out.back() == '/') out.pop_back();
  return out;
}

// Of a workload the directory is the database, of a scenario it holds them.
Result<std::vector<std::string>> place(const RunSettings& settings,
                                       const scenario::Scenario& scenario,
                                       const std::string& directory) {
  if (settings.scenario.empty()) return std::vector{directory};
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) {
    return fail(ErrorCode::kIo, directory + ": cannot be created: " + error.message());
  }
  std::vector<std::string> paths;
  paths.reserve(scenario.databases.size());
  for (const scenario::ScenarioDatabase& database : scenario.databases) {
    paths.push_back(directory + "/" + database.name);
  }
  return paths;
}

// Returns whether a signal stopped it.
Result<bool> run_planned(const RunSettings& settings, const Plan& plan) {
  if (auto writable = check_writable(settings.json); !writable) {
    return tl::unexpected(writable.error());
  }
  std::optional<TemporaryDirectory> temporary;
  std::string directory = settings.database;
  if (directory.empty()) {
    auto made = TemporaryDirectory::create("rocktune-bench");
    if (!made) return tl::unexpected(made.error());
    temporary = std::move(*made);
    directory = temporary->path() + "/db";
  }
  auto paths = place(settings, plan.scenario, absolute_path(directory));
  if (!paths) return tl::unexpected(paths.error());
  Progress progress(plan.progress);
  const SessionPlan session{plan.scenario, plan.device, std::move(*paths), settings.agent,
                            settings.load_only};
  auto result = run_session(session, stop_requested(), progress);
  progress.finish();
  if (!result) return tl::unexpected(result.error());
  if (!settings.load_only) {
    if (auto written = write_result(settings, *result); !written) {
      return tl::unexpected(written.error());
    }
  }
  return result->partial;
}

}  // namespace

int run_command(const RunSettings& settings) {
  const auto plan = make_plan(settings);
  if (!plan) {
    std::fprintf(stderr, "%s\n", plan.error().message.c_str());
    return 2;
  }
  install_stop_signals();
  const auto stopped = run_planned(settings, *plan);
  if (!stopped) {
    std::fprintf(stderr, "rocktune-bench: %s\n", stopped.error().message.c_str());
    return 1;
  }
  return *stopped ? 130 : 0;
}

}  // namespace rocktune::bench
