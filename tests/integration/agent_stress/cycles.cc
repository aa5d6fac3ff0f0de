#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "tests/integration/agent_stress/check.h"
#include "tests/integration/agent_stress/host.h"
#include "tests/integration/agent_stress/poller.h"
#include "tests/integration/agent_stress/scenarios.h"

namespace rocktune::stress {

void cycles(int times) {
  const std::string path = root() + "/db";
  Host(path).close(0);  // the first one starts the agent
  Poller poller(socket_of(::getpid()));
  for (int cycle = 0; cycle < times; ++cycle) {
    Host host(path);
    host.work(cycle);
    // Closes at every phase of a poll.
    std::this_thread::sleep_for(std::chrono::milliseconds(cycle % 12));
    if (cycle % 20 == 0) poller.wait_for_samples(1);
    if (cycle % 50 == 0) poller.wait_for_changes(1);
    host.close(cycle);
  }
  poller.stop();
  std::fprintf(stderr, "%d cycles, %s\n", times, poller.summary().c_str());
}

}  // namespace rocktune::stress
