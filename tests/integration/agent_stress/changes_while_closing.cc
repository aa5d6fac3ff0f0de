#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "tests/integration/agent_stress/check.h"
#include "tests/integration/agent_stress/host.h"
#include "tests/integration/agent_stress/poller.h"
#include "tests/integration/agent_stress/scenarios.h"

namespace rocktune::stress {

// A database that closes gets its values back, whatever is under way: two clients that change them
// without a pause, and a lease so short that it ends (and is returned from) between two visits.
void changes_while_closing(int times) {
  const std::string path = root() + "/db";
  Host(path).close(0);
  Poller::Habits hasty;
  hasty.interval = std::chrono::milliseconds(0);
  hasty.lease_seconds = 1;
  Poller first(socket_of(::getpid()), hasty);
  Poller second(socket_of(::getpid()), hasty);
  for (int cycle = 0; cycle < times; ++cycle) {
    Host host(path);
    if (cycle % 2 == 0) {
      first.wait_for_changes(1);
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(500 * (cycle % 20)));
    }
    host.attachment.reset();
    const auto left = host.db->GetDBOptions().max_background_jobs;
    check(left == host.max_background_jobs,
          "detached with max_background_jobs at " + std::to_string(left));
    host.close(1);
  }
  first.stop();
  second.stop();
  std::fprintf(stderr, "%d closes, %s\n", times, first.summary().c_str());
}

}  // namespace rocktune::stress
