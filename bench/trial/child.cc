#include "bench/trial/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

namespace rocktune::bench {
namespace {

constexpr int kCouldNotStart = 127;

// A rocktuned that we start is as its file says, whatever the user's own is told: it would look
// into that one's agent_dir, and turn its databases.
void forget_settings() {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string variable = *entry;
    if (variable.starts_with("ROCKTUNED_")) names.push_back(variable.substr(0, variable.find('=')));
  }
  for (const std::string& name : names) unsetenv(name.c_str());
}

// In the new process. Only calls that are safe after fork() in a process without other threads.
[[noreturn]] void become(const ChildCommand& command, int output, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kCouldNotStart);
  const int log = ::open(command.log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (log < 0 || nothing < 0) _exit(kCouldNotStart);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  forget_settings();
  for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  arguments.reserve(command.arguments.size() + 1);
  for (const std::string& argument : command.arguments) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(kCouldNotStart);
}

int to_exit_code(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

Result<Child> Child::start(const ChildCommand& command) {
  if (access(command.arguments[0].c_str(), X_OK) != 0) {
    return fail(ErrorCode::kNotFound, command.arguments[0] + ": " + std::strerror(errno));
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return fail(ErrorCode::kIo, std::string("no pipe: ") + std::strerror(errno));
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) become(command, ends[1], parent);
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return fail(ErrorCode::kIo, std::string("no new process: ") + std::strerror(errno));
  }
  return Child(pid, ends[0]);
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      output_(std::exchange(other.output_, -1)),
      partial_(std::move(other.partial_)),
      exit_code_(other.exit_code_),
      cpu_seconds_(other.cpu_seconds_) {}

Child::~Child() {
  if (pid_ > 0 && !exit_code()) stop(std::chrono::seconds(5));
  if (output_ >= 0) close(output_);
}

std::vector<std::string> Child::read_lines(std::chrono::milliseconds timeout) {
  std::vector<std::string> lines;
  if (output_ < 0) {
    std::this_thread::sleep_for(timeout);
    return lines;
  }
  pollfd waiting{output_, POLLIN, 0};
  if (poll(&waiting, 1, static_cast<int>(timeout.count())) <= 0) return lines;
  char buffer[65536];
  const ssize_t got = read(output_, buffer, sizeof buffer);
  if (got == 0) {
    close(output_);
    output_ = -1;
  }
  if (got > 0) partial_.append(buffer, static_cast<std::size_t>(got));
  std::size_t begin = 0;
  for (auto end = partial_.find('\n'); end != std::string::npos; end = partial_.find('\n', begin)) {
    lines.push_back(partial_.substr(begin, end - begin));
    begin = end + 1;
  }
  partial_.erase(0, begin);
  return lines;
}

std::optional<int> Child::exit_code() {
  if (!exit_code_ && pid_ > 0) reap(WNOHANG);
  return exit_code_;
}

bool Child::reap(int options) {
  int status = 0;
  rusage usage{};
  if (wait4(pid_, &status, options, &usage) != pid_) return false;
  exit_code_ = to_exit_code(status);
  cpu_seconds_ = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  return true;
}

int Child::stop(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  if (!exit_code()) kill(pid_, SIGTERM);
  while (!exit_code() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (!exit_code()) {
    kill(pid_, SIGKILL);
    reap(0);
  }
  return exit_code_.value_or(-1);
}

}  // namespace rocktune::bench
