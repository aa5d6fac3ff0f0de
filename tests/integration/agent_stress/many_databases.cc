#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "tests/integration/agent_stress/check.h"
#include "tests/integration/agent_stress/host.h"
#include "tests/integration/agent_stress/poller.h"
#include "tests/integration/agent_stress/scenarios.h"

namespace rocktune::stress {
namespace {

constexpr int kDatabases = 32;
// One for connections, and those that change databases: however many databases there are.
constexpr int kMostThreads = 1 + 8;

int threads_of_the_agent() {
  int count = 0;
  std::error_code ended;  // threads come and go meanwhile
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", ended)) {
    std::string name;
    std::ifstream(task.path() / "comm") >> name;
    if (name.starts_with("rocktune")) ++count;
  }
  return count;
}

std::string path_of(int number) {
  return root() + "/db" + std::to_string(number);
}

}  // namespace

void many_databases(int times) {
  std::vector<std::unique_ptr<Host>> hosts;
  for (int i = 0; i < kDatabases; ++i) hosts.push_back(std::make_unique<Host>(path_of(i)));
  Poller::Habits other;
  other.lease_seconds = 1;
  Poller first(socket_of(::getpid()));
  Poller second(socket_of(::getpid()), other);
  first.wait_for_samples(kDatabases);
  int most = 0;
  for (int cycle = 0; cycle < times; ++cycle) {
    for (const auto& host : hosts) host->work(cycle);
    for (int i = cycle % 5; i < kDatabases; i += 5) {
      auto& host = hosts[static_cast<std::size_t>(i)];
      host->close(cycle + i);
      host = std::make_unique<Host>(path_of(i));
    }
    second.wait_for_changes(1);
    most = std::max(most, threads_of_the_agent());
  }
  check(most >= 2 && most <= kMostThreads, std::to_string(most) + " threads of the agent");
  for (int i = 0; i < kDatabases; ++i) hosts[static_cast<std::size_t>(i)]->close(i);
  first.stop();
  second.stop();
  std::fprintf(stderr, "%d databases, at most %d threads of the agent, %s\n", kDatabases, most,
               first.summary().c_str());
}

}  // namespace rocktune::stress
