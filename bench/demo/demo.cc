#include "bench/demo/demo.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/cli/stop.h"
#include "bench/cli/temporary.h"
#include "bench/config/located_yaml.h"
#include "bench/trial/alert_tail.h"
#include "bench/demo/comparison.h"
#include "bench/demo/screen.h"
#include "bench/device/profile.h"
#include "bench/host/configuration.h"
#include "bench/trial/child.h"
#include "bench/trial/clone.h"
#include "bench/workload/workload.h"
#include "model/text.h"

namespace rocktune::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kWorkload = "demo";
constexpr const char* kDevice = "nvme-p41";
constexpr const char* kConfiguration = "Mild-Pressure";
// What the operator of the demo lets rocktune spend: jobs mostly wait for the (emulated) device, so
// that twice as many as the least machine has cores still help.
constexpr int kMostJobs = 4;
// A Unix socket's path has at most 107 characters; ours adds "/agent/agent.<pid>.sock".
constexpr std::size_t kLongestDirectory = 75;

class Demo {
 public:
  Demo(const DemoSettings& settings, std::string directory)
      : settings_(settings),
        directory_(std::move(directory)),
        binaries_(fs::read_symlink("/proc/self/exe").parent_path().string()) {}

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
  Result<void> run_static() { return run_workload("static", nullptr); }
  Result<void> run_tuned();
  Result<void> run_workload(const std::string& name, AlertTail* alerts);
  Result<void> watch(Child& child, const std::string& name, AlertTail* alerts);
  void show_alerts(AlertTail& alerts);
  Result<Child> start_daemon();
  Result<void> wait_for_daemon(Child& daemon);
  Result<void> report();
  [[nodiscard]] std::vector<std::string> bench(const std::string& command,
                                               const std::string& database) const;
  [[nodiscard]] Result<json> read_result(const std::string& name) const;

  const DemoSettings settings_;
  const std::string directory_;
  const std::string binaries_;
  Screen screen_;
};

Result<void> Demo::introduce() {
  const auto workload = load_workload(kWorkload);
  if (!workload) return tl::unexpected(workload.error());
  const auto original = load_configuration(kConfiguration);
  if (!original) return tl::unexpected(original.error());
  const auto profile = load_device_profile(kDevice);
  if (!profile) return tl::unexpected(profile.error());
  const HostConfiguration scaled = original->scaled(settings_.scale);
  const DeviceProfile device = profile->scaled(settings_.scale);
  const auto size = [](std::int64_t bytes) { return text::bytes(static_cast<double>(bytes)); };
  char scale[16];
  std::snprintf(scale, sizeof scale, "1/%g", settings_.scale);
  screen_.say("rocktune demo, in " + directory_);
  const double run = settings_.seconds > 0 ? settings_.seconds : workload->seconds();
  screen_.say("one load, then two runs of " + text::duration(run) + ": static, and tuned");
  screen_.say(std::string("configuration ") + kConfiguration + " of source 000 at scale " + scale +
              ": every size and rate below is the source's times " + scale);
  screen_.say("  data         " +
              std::to_string(settings_.records > 0 ? settings_.records : workload->records) +
              " records of " + std::to_string(workload->value_size) + " bytes (source: 10000000)");
  screen_.say("  block cache  " + size(scaled.block_cache_bytes) +
              " (source: " + size(original->block_cache_bytes) + "); write buffer " +
              size(scaled.write_buffer_bytes) + ", files " + size(scaled.target_file_bytes) + ", " +
              std::to_string(scaled.max_background_jobs) + " background jobs");
  screen_.say("  I/O limit    " + size(scaled.rate_limit_bytes_per_second) +
              "/s (source: " + size(original->rate_limit_bytes_per_second) + "/s, its 200 MB/s)");
  screen_.say("  storage      EMULATED DEVICE: " + profile->description + "; " +
              text::rate(device.read_bytes_per_second) + " reads, " +
              text::rate(device.write_bytes_per_second) + " writes");
  for (const Phase& phase : workload->phases) {
    const double stretch = settings_.seconds > 0 ? settings_.seconds / workload->seconds() : 1;
    char text[160];
    std::snprintf(text, sizeof text, "  phase        %s: %.0f s, %.0f%% reads %.0f%% updates, %s",
                  phase.name.c_str(), phase.seconds * stretch, phase.mix.read * 100,
                  phase.mix.update * 100,
                  phase.ops_per_second > 0
                      ? (std::to_string(static_cast<int>(phase.ops_per_second)) + " ops/s").c_str()
                      : "as fast as possible");
    screen_.say(text);
  }
  return {};
}

std::vector<std::string> Demo::bench(const std::string& command,
                                     const std::string& database) const {
  std::vector<std::string> arguments = {binaries_ + "/rocktune-bench",
                                        command,
                                        "--workload",
                                        kWorkload,
                                        "--configuration",
                                        kConfiguration,
                                        "--scale",
                                        std::to_string(settings_.scale),
                                        "--db",
                                        database,
                                        "--progress",
                                        "json"};
  if (settings_.records > 0) {
    arguments.insert(arguments.end(), {"--records", std::to_string(settings_.records)});
  }
  return arguments;
}

Result<void> Demo::load() {
  auto child = Child::start({bench("load", in_directory("loaded")), {}, in_directory("load.log")});
  if (!child) return tl::unexpected(child.error());
  return watch(*child, "load", nullptr);
}

Result<void> Demo::run_workload(const std::string& name, AlertTail* alerts) {
  const std::string database = in_directory(name);
  if (auto cloned = clone_database(in_directory("loaded"), database); !cloned) return cloned;
  std::vector<std::string> arguments = bench("run", database);
  arguments.insert(arguments.end(), {"--device", kDevice, "--json", in_directory(name + ".json")});
  if (settings_.seconds > 0) {
    arguments.insert(arguments.end(), {"--seconds", std::to_string(settings_.seconds)});
  }
  screen_.say("");
  screen_.say(alerts == nullptr ? "Static: the options stay as they were opened."
                                : "Tuned: the same, with rocktuned in act mode beside it.");
  auto child = Child::start({std::move(arguments),
                             {{"ROCKTUNE_AGENT_DIR", in_directory("agent")}},
                             in_directory(name + ".log")});
  if (!child) return tl::unexpected(child.error());
  auto done = watch(*child, name, alerts);
  std::error_code ignored;  // the results count; the databases would only fill the disk
  fs::remove_all(database, ignored);
  fs::remove_all(database + ".device", ignored);
  return done;
}

Result<void> Demo::watch(Child& child, const std::string& name, AlertTail* alerts) {
  for (bool ended = false; !ended;) {
    if (stop_requested()) {
      screen_.end_progress();
      child.stop(seconds(10));
      return {};
    }
    ended = child.exit_code().has_value();
    for (const std::string& line : child.read_lines(milliseconds(ended ? 0 : 200))) {
      const json event = json::parse(line, nullptr, false);
      if (!event.is_object()) continue;
      if (event.value("event", "") == "second") screen_.progress(second_text(name, event));
      if (event.value("event", "") == "loading") {
        screen_.progress("[load] " + std::to_string(event.value("records", std::int64_t{0})) +
                         " records" + (event.value("settling", false) ? ", settling" : ""));
      }
    }
    if (alerts != nullptr) show_alerts(*alerts);
  }
  screen_.end_progress();
  if (child.exit_code() != 0) {
    const auto log = read_text_file(in_directory(name + ".log"));
    return fail(ErrorCode::kUnavailable, "the " + name + " run failed with exit code " +
                                             std::to_string(*child.exit_code()) + ": " +
                                             (log ? *log : std::string("no log")));
  }
  return {};
}

void Demo::show_alerts(AlertTail& alerts) {
  for (const std::string& line : alerts.poll()) {
    if (const auto text = describe_alert(line)) screen_.say("  " + *text);
  }
}

Result<Child> Demo::start_daemon() {
  const std::string config = in_directory("rocktuned.yaml");
  std::error_code error;
  fs::create_directory(in_directory("trace"), error);
  std::ofstream out(config);
  out << "daemon:\n  name: demo\n  mode: act\n  poll_interval: 500ms\n  agent_dir: "
      << in_directory("agent") << "\n  control_socket: " << in_directory("rocktuned.sock")
      << "\nlog:\n  file: " << in_directory("rocktuned.log")
      << "\nalert_log:\n  file: " << in_directory("alerts.jsonl")
      << "\ntrace:\n  directory: " << in_directory("trace")
      << "\nhttp:\n  listen: off\ndefaults:\n  policy: headroom\n  budget:\n    jobs_max: "
      << kMostJobs << "\n";
  if (!out.flush()) return fail(ErrorCode::kIo, config + ": cannot be written");
  return Child::start(
      {{binaries_ + "/rocktuned", "--config", config}, {}, in_directory("rocktuned.stderr")});
}

Result<void> Demo::wait_for_daemon(Child& daemon) {
  for (int i = 0; i < 100 && !stop_requested(); ++i) {
    std::error_code ignored;
    if (fs::exists(in_directory("rocktuned.sock"), ignored)) return {};
    if (daemon.exit_code()) break;
    daemon.read_lines(milliseconds(100));
  }
  if (stop_requested()) return {};
  const auto log = read_text_file(in_directory("rocktuned.stderr"));
  return fail(ErrorCode::kUnavailable,
              "rocktuned did not come up: " + (log ? *log : std::string("no log")));
}

Result<void> Demo::run_tuned() {
  auto daemon = start_daemon();
  if (!daemon) return tl::unexpected(daemon.error());
  if (auto up = wait_for_daemon(*daemon); !up || stop_requested()) return up;
  AlertTail alerts(in_directory("alerts.jsonl"));
  auto done = run_workload("tuned", &alerts);
  const auto early = daemon->exit_code();
  const int code = daemon->stop(seconds(10));
  show_alerts(alerts);
  if (done && early) {
    return fail(ErrorCode::kUnavailable, "rocktuned ended during the run, exit code " +
                                             std::to_string(code) + ": see " +
                                             in_directory("rocktuned.stderr"));
  }
  return done;
}

Result<json> Demo::read_result(const std::string& name) const {
  auto text = read_text_file(in_directory(name + ".json"));
  if (!text) return tl::unexpected(text.error());
  json result = json::parse(*text, nullptr, false);
  if (!result.is_object()) {
    return fail(ErrorCode::kCorrupt, in_directory(name + ".json") + ": not a JSON object");
  }
  return result;
}

Result<void> Demo::report() {
  const auto static_run = read_result("static");
  if (!static_run) return tl::unexpected(static_run.error());
  const auto tuned_run = read_result("tuned");
  if (!tuned_run) return tl::unexpected(tuned_run.error());
  screen_.say("");
  screen_.say("Mild-Pressure (source 000), static beside tuned, on an emulated device:");
  screen_.say(comparison_table(*static_run, *tuned_run));
  screen_.say(conclusion(throughput_ratio(*static_run, *tuned_run)));
  if (const std::string paid = price(*static_run, *tuned_run); !paid.empty()) screen_.say(paid);
  if (settings_.clean) return {};
  std::string trace;
  std::error_code error;
  for (fs::directory_iterator entry(in_directory("trace"), error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".sqlite") trace = entry->path().string();
  }
  screen_.say("");
  screen_.say("alert log  " + in_directory("alerts.jsonl"));
  screen_.say("trace      " + (trace.empty() ? in_directory("trace") : trace));
  screen_.say("results    " + in_directory("static.json") + ", tuned.json");
  screen_.say("Look at them with:");
  screen_.say("  " + binaries_ + "/rocktune alerts " + in_directory("alerts.jsonl"));
  if (!trace.empty()) {
    screen_.say("  " + binaries_ + "/rocktune trace info " + trace);
    screen_.say("  " + binaries_ + "/rocktune replay " + trace);
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
  if (temporary->path().size() > kLongestDirectory) {
    std::fprintf(stderr,
                 "rocktune-bench: %s is too long for the Unix sockets in it: set TMPDIR to a "
                 "shorter path\n",
                 temporary->path().c_str());
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
