#include "bench/cli/run_command.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <thread>

#include "bench/cli/progress.h"
#include "bench/cli/stop.h"
#include "bench/cli/temporary.h"
#include "bench/run/load.h"
#include "bench/run/runner.h"

namespace rocktune::bench {
namespace {

// What the settings come to, once every name is looked up and every file is read.
struct Plan {
  Workload workload;
  HostConfiguration configuration;
  std::optional<DeviceProfile> device;
  ProgressMode progress = ProgressMode::kNone;
};

void override_workload(const RunSettings& settings, Workload& workload) {
  if (settings.threads > 0) workload.threads = settings.threads;
  if (settings.records > 0) workload.records = settings.records;
  if (settings.value_size > 0) workload.value_size = settings.value_size;
  if (settings.seconds > 0) {
    const double factor = settings.seconds / workload.seconds();
    for (Phase& phase : workload.phases) phase.seconds *= factor;
  }
}

Result<Plan> make_plan(const RunSettings& settings) {
  Plan plan;
  auto workload = load_workload(settings.workload);
  if (!workload) return tl::unexpected(workload.error());
  plan.workload = std::move(*workload);
  override_workload(settings, plan.workload);
  auto configuration = load_configuration(settings.configuration);
  if (!configuration) return tl::unexpected(configuration.error());
  plan.configuration = configuration->scaled(settings.scale);
  for (const std::string& option : settings.options) {
    if (auto set = plan.configuration.set(option); !set) return tl::unexpected(set.error());
  }
  if (settings.device != "none") {
    auto profile = load_device_profile(settings.device);
    if (!profile) return tl::unexpected(profile.error());
    plan.device = profile->scaled(settings.scale);
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

Result<std::unique_ptr<EmulatedDevice>> open_device(const Plan& plan, const std::string& database) {
  if (!plan.device) return std::unique_ptr<EmulatedDevice>();
  return EmulatedDevice::create(*plan.device, database + ".device");
}

// Loads when the database is empty; refuses one that was loaded otherwise.
Result<void> ensure_loaded(const Plan& plan, const std::string& path, Progress& progress) {
  OpenSettings settings{path, plan.configuration, nullptr, false};
  settings.configuration.rate_limit_bytes_per_second = 0;
  settings.configuration.max_background_jobs =
      std::max<std::int64_t>(4, std::thread::hardware_concurrency());
  auto database = Database::open(settings);
  if (!database) return tl::unexpected(database.error());
  auto loaded = read_loaded((*database)->db());
  if (!loaded) return tl::unexpected(loaded.error());
  const Workload& workload = plan.workload;
  const Loaded wanted{workload.records, workload.value_size};
  if (*loaded && **loaded == wanted) return {};
  if (*loaded) {
    return fail(ErrorCode::kConflict,
                path + " was loaded with " + std::to_string((*loaded)->records) + " records of " +
                    std::to_string((*loaded)->value_size) + " bytes, the workload has " +
                    std::to_string(wanted.records) + " of " + std::to_string(wanted.value_size) +
                    ": take another --db or remove it");
  }
  auto done = load_records(**database, workload, stop_requested(),
                           [&](std::int64_t records, bool settling) {
                             progress.loading(records, workload.records, settling);
                           });
  progress.finish();
  return done;
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

Result<RunResult> measure(const RunSettings& settings, const Plan& plan, const std::string& path,
                          Progress& progress) {
  RunResult result;
  result.workload = plan.workload;
  result.configuration = plan.configuration;
  result.scale = settings.scale;
  result.device = plan.device;
  result.database_path = path;
  auto device = open_device(plan, path);
  if (!device) return tl::unexpected(device.error());
  auto database = Database::open({path, plan.configuration, device->get(), settings.agent});
  if (!database) return tl::unexpected(database.error());
  result.agent = (*database)->agent_status();
  result.started = rfc3339_now();
  progress.note(std::string(plan.device ? "emulated device " + plan.device->name : "real device") +
                ", configuration " + plan.configuration.name + ", agent " + result.agent);
  auto phases = run_phases(
      **database, plan.workload, stop_requested(),
      [&](const Phase& phase, const Interval& second) { progress.second(phase, second); });
  progress.finish();
  if (!phases) return tl::unexpected(phases.error());
  result.phases = std::move(phases->phases);
  result.partial = phases->stopped;
  if (result.partial) result.partial_reason = "stopped by a signal";
  return result;
}

Result<void> run_planned(const RunSettings& settings, const Plan& plan) {
  if (auto writable = check_writable(settings.json); !writable) return writable;
  std::optional<TemporaryDirectory> temporary;
  std::string path = settings.database;
  if (path.empty()) {
    auto made = TemporaryDirectory::create("rocktune-bench");
    if (!made) return tl::unexpected(made.error());
    temporary = std::move(*made);
    path = temporary->path() + "/db";
  }
  path = std::filesystem::absolute(path).lexically_normal().string();
  // "DIR/" is DIR: the device's files lie in "DIR.device", beside it.
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  Progress progress(plan.progress);
  if (auto loaded = ensure_loaded(plan, path, progress); !loaded) return loaded;
  if (settings.load_only || stop_requested()) {
    if (stop_requested()) return fail(ErrorCode::kUnavailable, "stopped before anything was run");
    return {};
  }
  auto result = measure(settings, plan, path, progress);
  if (!result) return tl::unexpected(result.error());
  return write_result(settings, *result);
}

}  // namespace

int run_command(const RunSettings& settings) {
  const auto plan = make_plan(settings);
  if (!plan) {
    std::fprintf(stderr, "%s\n", plan.error().message.c_str());
    return 2;
  }
  install_stop_signals();
  if (auto done = run_planned(settings, *plan); !done) {
    std::fprintf(stderr, "rocktune-bench: %s\n", done.error().message.c_str());
    return 1;
  }
  return 0;
}

}  // namespace rocktune::bench
