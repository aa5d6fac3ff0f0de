#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "tests/integration/agent_stress/check.h"
#include "tests/integration/agent_stress/host.h"
#include "tests/integration/agent_stress/poller.h"
#include "tests/integration/agent_stress/scenarios.h"

namespace rocktune::stress {
namespace {

// Outlives main() on purpose. Volatile, so that the leak checker finds it here.
Host* volatile left_open = nullptr;

// Registered before the agent's own exit handler, hence run after it.
void check_exit() {
  const bool removed = !std::filesystem::exists(socket_of(::getpid()));
  const bool stopped = rocktune::Agent::status().starts_with("stopped");
  if (!removed || !stopped) {
    std::fprintf(stderr, "agent_stress: the agent did not end with the process\n");
    std::_Exit(3);
  }
}

pid_t start_host() {
  const char* const arguments[] = {program.c_str(), "exit-without-close", nullptr};
  pid_t child = 0;
  check(::posix_spawn(&child, program.c_str(), nullptr, nullptr,
                      const_cast<char* const*>(arguments), environ) == 0,
        "posix_spawn");
  return child;
}

// Its file is there a moment before anybody listens.
bool serves(pid_t child) {
  boost::asio::io_context io;
  boost::asio::local::stream_protocol::socket socket(io);
  boost::system::error_code error;
  socket.connect(boost::asio::local::stream_protocol::endpoint(socket_of(child)), error);
  return !error;
}

void wait_for_agent(pid_t child) {
  for (int i = 0; !serves(child); ++i) {
    check(i < 60'000, "a host does not begin");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

int exit_without_close() {
  check(std::atexit(check_exit) == 0, "atexit");
  const auto path =
      std::string(::getenv("ROCKTUNE_AGENT_DIR")) + "/db." + std::to_string(::getpid());
  left_open = new Host(path);
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(::getpid() % 300);
  for (int i = 0; i == 0 || std::chrono::steady_clock::now() < until; ++i) left_open->work(i);
  return 0;
}

void exits(int times) {
  Poller::Habits until_it_ends;
  until_it_ends.interval = std::chrono::milliseconds(0);
  until_it_ends.host_may_end = true;
  std::uint64_t samples = 0;
  for (int cycle = 0; cycle < times; ++cycle) {
    const pid_t child = start_host();
    wait_for_agent(child);
    Poller first(socket_of(child), until_it_ends);
    Poller second(socket_of(child), until_it_ends);
    int status = 0;
    check(::waitpid(child, &status, 0) == child, "waitpid");
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0,
          "a host that exits without closing ended with status " + std::to_string(status));
    first.stop();
    second.stop();
    samples += first.samples + second.samples;
    std::filesystem::remove_all(root() + "/db." + std::to_string(child));
  }
  std::fprintf(stderr, "%d exits, %llu samples\n", times, static_cast<unsigned long long>(samples));
  check(samples > 0, "none was polled");
}

}  // namespace rocktune::stress
