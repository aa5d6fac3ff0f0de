#include "bench/demo/demo.h"

#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/cli/stop.h"
#include "bench/cli/temporary.h"
#include "bench/demo/comparison.h"
#include "bench/trial/alert_tail.h"
#include "bench/trial/loaded_database.h"
#include "bench/trial/screen.h"
#include "bench/trial/trial.h"
#include "model/text.h"
#include "scenario/configuration.h"
#include "scenario/device/profile.h"
#include "scenario/workload/workload.h"

namespace rocktune::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kWorkload = "demo";
constexpr const char* kDevice = "nvme-p41";
constexpr const char* kConfiguration = "Mild-Pressure";
// What the operator of the demo lets rocktune spend: jobs mostly wait for the (emulated) device, so
// that twice as many as the least machine has cores still help.
constexpr int kMostJobs = 4;

class Demo {
 public:
  Demo(const DemoSettings& settings, std::string directory)
      : settings_(settings), directory_(std::move(directory)) {}

  Result<void> run() {
    if (auto shown = introduce(); !shown) return shown;
    for (const auto& step : {&Demo::load, &Demo::run_static, &Demo::run_tuned}) {
      if (auto done = (this->*step)(); !done) return done;
      if (stop_requested()) return {};
    }
    return report();
  }

 private:
  [[nodiscard]] std::string in_directory(const std::string& name) const {
    return directory_ + "/" + name;
  }

  Result<void> introduce();
  Result<void> load();
  Result<void> run_static();
  Result<void> run_tuned();
  Result<void> run_trial_of(const std::string& name, const std::optional<DaemonSettings>& daemon);
  void show_alerts(AlertTail& alerts);
  Result<void> report();
  [[nodiscard]] TrialSubject subject() const;

  const DemoSettings settings_;
  const std::string directory_;
  std::string loaded_;                // the database that both runs start from
  std::map<std::string, json> runs_;  // what they measured, by name
  Screen screen_;
};

Result<void> Demo::introduce() {
  const auto workload = scenario::load_workload(kWorkload);
  if (!workload) return tl::unexpected(workload.error());
  const auto original = scenario::load_configuration(kConfiguration);
  if (!original) return tl::unexpected(original.error());
  const auto profile = scenario::load_device_profile(kDevice);
  if (!profile) return tl::unexpected(profile.error());
  const scenario::HostConfiguration scaled = original->scaled(settings_.scale);
  const scenario::DeviceProfile device = profile->scaled(settings_.scale);
  const auto size = [](std::int64_t bytes) { return text::bytes(static_cast<double>(bytes)); };
  char scale[16];
  std::snprintf(scale, sizeof scale, "1/%g", settings_.scale);
  screen_.say("rocktune demo, in " + directory_);
  const double run = settings_.seconds > 0 ? settings_.seconds : workload->seconds();
  screen_.say("one load, then two runs of " + text::duration(run) + ": static, and tuned");
  screen_.say(std::string("configuration ") + kConfiguration +
              " of Park and Kim (docs/sources.md) at scale " + scale +
              ": every size and rate below is the source's times " + scale);
  screen_.say("  data         " +
              std::to_string(settings_.records > 0 ? settings_.records : workload->records) +
              " records of " + workload->value_size.text() + " bytes (source: 10000000)");
  screen_.say("  block cache  " + size(scaled.block_cache_bytes) +
              " (source: " + size(original->block_cache_bytes) + "); write buffer " +
              size(scaled.write_buffer_bytes) + ", files " + size(scaled.target_file_bytes) + ", " +
              std::to_string(scaled.max_background_jobs) + " background jobs");
  screen_.say("  I/O limit    " + size(scaled.rate_limit_bytes_per_second) +
              "/s (source: " + size(original->rate_limit_bytes_per_second) + "/s, its 200 MB/s)");
  screen_.say("  storage      EMULATED DEVICE: " + profile->description + "; " +
              text::rate(device.read_bytes_per_second) + " reads, " +
              text::rate(device.write_bytes_per_second) + " writes");
  for (const scenario::Phase& phase : workload->phases) {
    const double stretch = settings_.seconds > 0 ? settings_.seconds / workload->seconds() : 1;
    char text[160];
    std::snprintf(text, sizeof text, "  phase        %s: %.0f s, %.0f%% reads %.0f%% updates, %s",
                  phase.name.c_str(), phase.seconds * stretch,
                  phase.mix[scenario::Operation::kRead] * 100,
                  phase.mix[scenario::Operation::kUpdate] * 100,
                  (scenario::rate_text(phase.rate) + (phase.rate.paced() ? " ops/s" : "")).c_str());
    screen_.say(text);
  }
  return {};
}

TrialSubject Demo::subject() const {
  TrialSubject subject;
  subject.workload = kWorkload;
  subject.configuration = kConfiguration;
  subject.device = kDevice;
  subject.scale = settings_.scale;
  subject.records = settings_.records;
  subject.seconds = settings_.seconds;
  return subject;
}

Result<void> Demo::load() {
  Watcher watcher;
  watcher.event = [this](const json& event) {
    screen_.progress("[load] " + std::to_string(event.value("records", std::int64_t{0})) +
                     " records" + (event.value("settling", false) ? ", settling" : ""));
  };
  auto loaded = loaded_database(subject(), in_directory("loaded"), watcher);
  screen_.end_progress();
  if (!loaded) return tl::unexpected(loaded.error());
  loaded_ = loaded->value_or("");
  return {};
}

Result<void> Demo::run_static() {
  screen_.say("");
  screen_.say("Static: the options stay as they were opened.");
  return run_trial_of("static", {});
}

Result<void> Demo::run_tuned() {
  screen_.say("");
  screen_.say("Tuned: the same, with rocktuned in act mode beside it.");
  DaemonSettings daemon;
  daemon.sections =
      "defaults:\n  policy: headroom\n  budget:\n    jobs_max: " + std::to_string(kMostJobs) + "\n";
  return run_trial_of("tuned", daemon);
}

Result<void> Demo::run_trial_of(const std::string& name,
                                const std::optional<DaemonSettings>& daemon) {
  AlertTail alerts(in_directory(name) + "/alerts.jsonl");
  Watcher watcher;
  watcher.event = [this, &name](const json& event) {
    if (event.value("event", "") == "second") screen_.progress(second_text(name, event));
  };
  if (daemon) watcher.tick = [this, &alerts] { show_alerts(alerts); };
  auto outcome = run_trial({subject(), loaded_, in_directory(name), daemon, {}}, watcher);
  screen_.end_progress();
  if (daemon) show_alerts(alerts);
  if (!outcome) return tl::unexpected(outcome.error());
  runs_[name] = std::move(outcome->run);
  return {};
}

void Demo::show_alerts(AlertTail& alerts) {
  for (const std::string& line : alerts.poll()) {
    if (const auto text = describe_alert(line)) screen_.say("  " + *text);
  }
}

Result<void> Demo::report() {
  const json& static_run = runs_["static"];
  const json& tuned_run = runs_["tuned"];
  screen_.say("");
  screen_.say("Mild-Pressure (of Park and Kim), static beside tuned, on an emulated device:");
  screen_.say(comparison_table(static_run, tuned_run));
  screen_.say(conclusion(throughput_ratio(static_run, tuned_run)));
  if (const std::string paid = price(static_run, tuned_run); !paid.empty()) screen_.say(paid);
  if (settings_.clean) return {};
  std::string trace;
  std::error_code error;
  for (fs::directory_iterator entry(in_directory("tuned/trace"), error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".sqlite") trace = entry->path().string();
  }
  screen_.say("");
  screen_.say("alert log  " + in_directory("tuned/alerts.jsonl"));
  screen_.say("trace      " + (trace.empty() ? in_directory("tuned/trace") : trace));
  screen_.say("results    " + in_directory("static/run.json") + ", tuned/run.json");
  screen_.say("Look at them with:");
  const std::string rocktune = program_path("rocktune");
  screen_.say("  " + rocktune + " alerts " + in_directory("tuned/alerts.jsonl"));
  if (!trace.empty()) {
    screen_.say("  " + rocktune + " trace info " + trace);
    screen_.say("  " + rocktune + " replay " + trace);
  }
  return {};
}

}  // namespace

int demo_command(const DemoSettings& settings) {
  install_stop_signals();
  auto temporary = TemporaryDirectory::create("rocktune-demo");
  if (!temporary) {
    std::fprintf(stderr, "rocktune-bench: %s\n", temporary.error().message.c_str());
    return 1;
  }
  auto done = Demo(settings, temporary->path()).run();
  std::error_code ignored;
  fs::remove_all(temporary->path() + "/loaded", ignored);
  if (!settings.clean) temporary->keep();
  if (!done) {
    std::fprintf(stderr, "rocktune-bench: %s\n", done.error().message.c_str());
    if (!settings.clean) std::fprintf(stderr, "logs are in %s\n", temporary->path().c_str());
    return 1;
  }
  if (stop_requested()) {
    std::fprintf(stderr, "stopped; nothing is left running%s\n",
                 settings.clean ? "" : (", what was measured is in " + temporary->path()).c_str());
    return 130;
  }
  return 0;
}

}  // namespace rocktune::bench
