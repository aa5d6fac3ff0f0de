#include "bench/overhead/started_host.h"

#include <signal.h>

#include <filesystem>
#include <utility>

#include "bench/cli/stop.h"
#include "bench/text_file.h"

namespace rocktune::bench {
namespace {

constexpr std::chrono::milliseconds kHostLook{100};

std::string agent_directory(const std::string& directory) {
  return directory + "/agent";
}

std::string log_of(const std::string& directory) {
  return directory + "/host.log";
}

}  // namespace

StartedHost::StartedHost(Child child, const std::string& directory)
    : child_(std::move(child)),
      log_(log_of(directory)),
      process_("/proc/" + std::to_string(child_.pid())),
      socket_(agent_directory(directory) + "/agent." + std::to_string(child_.pid()) + ".sock") {}

Result<StartedHost> StartedHost::start(const OverheadHost& settings, const std::string& directory,
                                       const std::map<std::string, std::string>& environment) {
  std::error_code ignored;
  std::filesystem::remove(log_of(directory), ignored);
  ChildCommand command;
  command.arguments = host_arguments(settings);
  // Whatever the agent is told in our own environment is not to reach the measured process.
  command.environment = {{"ROCKTUNE_AGENT_DIR", agent_directory(directory)},
                         {"ROCKTUNE_AGENT_MODE", ""},
                         {"ROCKTUNE_AGENT_OPEN", ""}};
  for (const auto& [name, value] : environment) command.environment[name] = value;
  command.log = log_of(directory);
  auto child = Child::start(command);
  if (!child) return tl::unexpected(child.error());
  return StartedHost(std::move(*child), directory);
}

Result<std::string> StartedHost::wait_for_line() {
  for (;;) {
    if (stop_requested()) return fail(ErrorCode::kUnavailable, "stopped");
    const bool ended = child_.exit_code().has_value();
    const auto lines = child_.read_lines(ended ? std::chrono::milliseconds(0) : kHostLook);
    if (!lines.empty()) return lines.front();
    if (!ended) continue;
    const auto log = read_text_file(log_);
    return fail(ErrorCode::kUnavailable, "the measured process ended with exit code " +
                                             std::to_string(child_.exit_code().value_or(-1)) +
                                             ": " + (log ? *log : std::string("no log")));
  }
}

void StartedHost::pause() const {
  ::kill(child_.pid(), SIGSTOP);
}

void StartedHost::resume() const {
  ::kill(child_.pid(), SIGCONT);
}

void StartedHost::finish() const {
  ::kill(child_.pid(), SIGTERM);
}

}  // namespace rocktune::bench
