#include "bench/trial/daemon.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/cli/stop.h"
#include "bench/text_file.h"
#include "bench/trial/subject.h"
#include "bench/trial/watch.h"

namespace rocktune::bench {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kStartTick{100};
constexpr int kStartTicks = 100;  // 10 s for a daemon that is up within 0.1 s on an idle machine
constexpr milliseconds kStopPatience = std::chrono::seconds(10);

Result<void> write_config(const DaemonSettings& settings, const std::string& directory,
                          const std::string& sockets) {
  std::error_code error;
  fs::create_directory(directory + "/trace", error);
  if (error) return fail(ErrorCode::kIo, directory + "/trace: " + error.message());
  const std::string path = directory + "/rocktuned.yaml";
  std::ofstream out(path);
  out << "daemon:\n  name: rocktune-bench\n  mode: " << settings.mode
      << "\n  poll_interval: 500ms\n  agent_dir: " << sockets
      << "\n  control_socket: " << sockets + "/rocktuned.sock"
      << "\n  freeze_file: " << sockets + "/freeze"
      << "\nlog:\n  file: " << directory + "/rocktuned.log"
      << "\nalert_log:\n  file: " << directory + "/alerts.jsonl"
      << "\ntrace:\n  directory: " << directory + "/trace" << "\nhttp:\n  listen: off\n"
      << settings.sections;
  if (!out.flush()) return fail(ErrorCode::kIo, path + ": cannot be written");
  return {};
}

}  // namespace

Result<Daemon> Daemon::start(const DaemonSettings& settings, const std::string& directory,
                             const std::string& sockets) {
  if (auto written = write_config(settings, directory, sockets); !written) {
    return tl::unexpected(written.error());
  }
  auto child = Child::start({{program_path("rocktuned"), "--config", directory + "/rocktuned.yaml"},
                             {},
                             directory + "/rocktuned.stderr"});
  if (!child) return tl::unexpected(child.error());
  Daemon daemon(std::move(*child), directory);
  if (auto up = daemon.wait_until_up(sockets + "/rocktuned.sock"); !up) {
    return tl::unexpected(up.error());
  }
  return daemon;
}

Result<void> Daemon::wait_until_up(const std::string& socket) {
  for (int i = 0; i < kStartTicks && !stop_requested(); ++i) {
    std::error_code ignored;
    if (fs::exists(socket, ignored)) return {};
    if (child_.exit_code()) break;
    child_.read_lines(kStartTick);
  }
  if (stop_requested()) return {};
  return fail(ended_code(child_.exit_code().value_or(0)),
              "rocktuned did not come up: " + last_words());
}

// What is wrong with its command line or configuration is on stderr, all else in its log.
std::string Daemon::last_words() const {
  const std::string early = directory_ + "/rocktuned.stderr";
  std::error_code ignored;
  return log_end(fs::is_empty(early, ignored) ? directory_ + "/rocktuned.log" : early);
}

Result<DaemonUse> Daemon::stop() {
  const bool early = child_.exit_code().has_value();
  const int code = child_.stop(kStopPatience);
  if (early) {
    return fail(ended_code(code), "rocktuned ended during the run, exit code " +
                                      std::to_string(code) + ": " + last_words());
  }
  DaemonUse use;
  use.cpu_seconds = child_.cpu_seconds().value_or(0);
  if (const auto log = read_text_file(directory_ + "/alerts.jsonl")) {
    use.changes = count_changes(*log);
  }
  return use;
}

std::int64_t count_changes(const std::string& alert_log_text) {
  std::int64_t changes = 0;
  std::istringstream lines(alert_log_text);
  for (std::string line; std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line, nullptr, false);
    if (!record.is_object() || record.value("kind", "") != "actuation") continue;
    if (record.value("status", "") == "applied") ++changes;
  }
  return changes;
}

}  // namespace rocktune::bench
