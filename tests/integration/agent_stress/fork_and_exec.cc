#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "tests/integration/agent_stress/check.h"
#include "tests/integration/agent_stress/host.h"
#include "tests/integration/agent_stress/poller.h"
#include "tests/integration/agent_stress/scenarios.h"

namespace rocktune::stress {
namespace {

// The poller's own connection is the host's, and stays with a child.
constexpr int kOurSockets = 1;

int open_sockets() {
  int sockets = 0;
  for (int fd = 3; fd < 1024; ++fd) {
    struct stat info{};
    if (::fstat(fd, &info) == 0 && S_ISSOCK(info.st_mode)) ++sockets;
  }
  return sockets;
}

void expect_success(pid_t child, const char* what) {
  int status = 0;
  check(::waitpid(child, &status, 0) == child, "waitpid");
  check(WIFEXITED(status) && WEXITSTATUS(status) == 0, what);
}

// The child of a process with an agent has none: no waiting, no sockets, nothing at its exit.
[[noreturn]] void be_a_child(Host& host, bool exits) {
  const bool none = rocktune::Agent::status().starts_with("none");
  const bool inert = rocktune::Agent::attach(host.db.get())->id().empty();
  rocksdb::DBOptions options;
  rocktune::prepare(options);
  host.attachment.reset();
  const int code = none && inert && !options.statistics && open_sockets() <= kOurSockets ? 0 : 1;
  if (exits) std::quick_exit(code);
  ::_exit(code);
}

void spawn_one() {
  const char* const arguments[] = {program.c_str(), "inherits-no-socket", nullptr};
  pid_t child = 0;
  check(::posix_spawn(&child, program.c_str(), nullptr, nullptr,
                      const_cast<char* const*>(arguments), environ) == 0,
        "posix_spawn");
  expect_success(child, "a spawned program holds the agent's sockets");
}

void fork_one(Host& host, int cycle) {
  const pid_t child = ::fork();
  check(child >= 0, "fork");
  if (child > 0) return expect_success(child, "a forked child has an agent, or its sockets");
  if (cycle % 3 != 0) be_a_child(host, cycle % 3 == 1);
  const char* const arguments[] = {program.c_str(), "inherits-no-socket", nullptr};
  ::execv(program.c_str(), const_cast<char* const*>(arguments));
  ::_exit(127);
}

}  // namespace

int inherits_no_socket() {
  return open_sockets() <= kOurSockets ? 0 : 1;
}

void fork_and_exec(int times) {
  Host host(root() + "/db");
  Poller poller(socket_of(::getpid()));
  poller.wait_for_samples(1);
  for (int cycle = 0; cycle < times; ++cycle) {
    host.work(cycle);
    fork_one(host, cycle);
    if (cycle % 5 == 0) spawn_one();
    if (cycle % 10 == 0) poller.wait_for_samples(1);  // the parent's agent goes on
  }
  poller.stop();
  std::fprintf(stderr, "%d forks, %s\n", times, poller.summary().c_str());
  host.close(0);
}

}  // namespace rocktune::stress
