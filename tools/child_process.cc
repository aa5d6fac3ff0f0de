#include "tools/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <system_error>
#include <utility>

namespace rocktune::tools {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr int kChildFile = 3;
constexpr std::size_t kMostOutput = std::size_t{4} << 20;
constexpr auto kPatience = std::chrono::seconds(3);
constexpr int kCannotRun = 127;  // as the shells have it

Error system_error(const std::string& what) {
  return {ErrorCode::kIo, what + ": " + std::generic_category().message(errno)};
}

struct Pipe {
  int read_end = -1, write_end = -1;
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(read_end);
    close_end(write_end);
  }
  bool open() {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

// Between fork and exec: only calls that are safe there.
[[noreturn]] void become(char* const* arguments, int file, int out, int err) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  // Out of the way of the descriptors that are set next.
  const int moved = file >= 0 ? ::fcntl(file, F_DUPFD_CLOEXEC, 10) : -1;
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(::fcntl(out, F_DUPFD_CLOEXEC, 10), STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (moved >= 0) ::dup2(moved, kChildFile);
  ::execv(arguments[0], arguments);
  ::_exit(kCannotRun);
}

void keep(std::string& text, const char* data, std::size_t size) {
  text.append(data, std::min(size, kMostOutput - std::min(kMostOutput, text.size())));
}

// Whether the end is still open.
bool drain(int& end, std::string& text) {
  std::array<char, 8192> buffer{};
  const ssize_t got = ::read(end, buffer.data(), buffer.size());
  if (got > 0) {
    keep(text, buffer.data(), static_cast<std::size_t>(got));
    return true;
  }
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  Pipe::close_end(end);
  return false;
}

class RunningChild {
 public:
  RunningChild(pid_t pid, Pipe& out, Pipe& err) : pid_(pid), out_(out), err_(err) {}

  Result<ChildOutput> finish(double seconds, const volatile std::sig_atomic_t& stop) {
    const auto deadline = SteadyClock::now() + std::chrono::duration<double>(seconds);
    std::optional<SteadyClock::time_point> ended;  // when it was told to end
    bool killed = false;
    while (!read_some() || !reap()) {
      const auto now = SteadyClock::now();
      if (!ended && (stop != 0 || now >= deadline)) {
        ended = now;
        ::kill(-pid_, SIGTERM);
      } else if (ended && !killed && now >= *ended + kPatience) {
        killed = true;
        ::kill(-pid_, SIGKILL);
      }
    }
    if (stop != 0) return fail(ErrorCode::kUnavailable, "stopped");
    if (ended) return fail(ErrorCode::kUnavailable, "took too long and was ended");
    return std::move(output_);
  }

 private:
  // Waits up to 100 ms; true once both ends are closed.
  bool read_some() {
    std::array<pollfd, 2> ends{
        {{out_.read_end, POLLIN, 0}, {err_.read_end, POLLIN, 0}}};  // negative ones are ignored
    ::poll(ends.data(), ends.size(), 100);
    if (ends[0].revents != 0) drain(out_.read_end, output_.out);
    if (ends[1].revents != 0) drain(err_.read_end, output_.err);
    return out_.read_end < 0 && err_.read_end < 0;
  }
  bool reap() {
    int status = 0;
    pid_t got = 0;
    do {
      got = ::waitpid(pid_, &status, WNOHANG);
    } while (got < 0 && errno == EINTR);
    if (got == 0) return false;
    output_.exit_code = WIFEXITED(status)     ? WEXITSTATUS(status)
                        : WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                                              : kCannotRun;
    return true;
  }

  pid_t pid_;
  Pipe& out_;
  Pipe& err_;
  ChildOutput output_;
};

}  // namespace

Result<ChildOutput> run_child(const ChildRequest& request, const volatile std::sig_atomic_t& stop) {
  Pipe out;
  Pipe err;
  if (!out.open() || !err.open()) return tl::unexpected(system_error("no pipe"));
  std::vector<std::string> words = request.arguments;
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) return tl::unexpected(system_error("no new process"));
  if (pid == 0) become(arguments.data(), request.file, out.write_end, err.write_end);
  ::setpgid(pid, pid);  // whichever of the two comes first
  Pipe::close_end(out.write_end);
  Pipe::close_end(err.write_end);
  return RunningChild(pid, out, err).finish(request.seconds, stop);
}

}  // namespace rocktune::tools
