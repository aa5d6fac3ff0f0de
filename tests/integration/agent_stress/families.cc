#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "tests/integration/agent_stress/check.h"
#include "tests/integration/agent_stress/host.h"
#include "tests/integration/agent_stress/poller.h"
#include "tests/integration/agent_stress/scenarios.h"

namespace rocktune::stress {

void families(int times) {
  Host host(root() + "/db");
  Poller::Habits habits;
  habits.column_family = "coming-and-going";
  Poller poller(socket_of(::getpid()), habits);
  poller.wait_for_samples(1);
  for (int cycle = 0; cycle < times; ++cycle) {
    rocksdb::ColumnFamilyHandle* family = nullptr;
    check(host.db->CreateColumnFamily({}, habits.column_family, &family).ok(), "create");
    const bool known = cycle % 3 != 0;  // the host need not tell the agent
    if (known) host.attachment->add(family);
    for (int key = 0; key < 5; ++key) host.put_and_get(family, key);
    if (cycle % 4 == 0) check(host.db->Flush({}, family).ok(), "Flush");
    if (cycle % 10 == 0) poller.wait_for_changes(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(cycle % 12));
    const bool dropped_first = cycle % 2 == 0;
    if (dropped_first) check(host.db->DropColumnFamily(family).ok(), "drop");
    if (known) host.attachment->forget(family);
    if (!dropped_first) check(host.db->DropColumnFamily(family).ok(), "drop");
    check(host.db->DestroyColumnFamilyHandle(family).ok(), "destroy");
  }
  poller.wait_for_samples(2);
  poller.stop();
  std::fprintf(stderr, "%d column families, %s\n", times, poller.summary().c_str());
  host.close(0);
}

}  // namespace rocktune::stress
