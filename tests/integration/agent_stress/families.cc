#include <rocksdb/cache.h>
#include <rocksdb/table.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include "tests/integration/agent_stress/check.h"
#include "tests/integration/agent_stress/host.h"
#include "tests/integration/agent_stress/poller.h"
#include "tests/integration/agent_stress/scenarios.h"

namespace rocktune::stress {
namespace {

// What a host gives a column family and keeps as well.
struct Objects {
  std::shared_ptr<rocksdb::Cache> cache = rocksdb::NewLRUCache(4 << 20);
  std::shared_ptr<rocksdb::TableFactory> factory;

  Objects() {
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = cache;
    factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  }
  [[nodiscard]] rocksdb::ColumnFamilyOptions options() const {
    rocksdb::ColumnFamilyOptions options;
    options.table_factory = factory;
    return options;
  }
  // Once the column family has gone the cache is the host's and the factory's, the factory the
  // host's. RocksDB may let go of them a little later: it has a copy of all options while it writes
  // the OPTIONS file, on whichever thread changes one. (That the agent itself holds nothing from
  // the moment of the forget is shown by tests/unit/agent/forget_test.cc.)
  void expect_returned() const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (cache.use_count() != 2 || factory.use_count() != 1) {
      check(std::chrono::steady_clock::now() < until,
            "a column family that has gone left " + std::to_string(cache.use_count() - 2) +
                " references to its cache, " + std::to_string(factory.use_count() - 1) +
                " to its table factory");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
};

}  // namespace

void families(int times) {
  Host host(root() + "/db");
  Poller::Habits habits;
  habits.column_family = "coming-and-going";
  Poller poller(socket_of(::getpid()), habits);
  poller.wait_for_samples(1);
  for (int cycle = 0; cycle < times; ++cycle) {
    const Objects objects;
    rocksdb::ColumnFamilyHandle* family = nullptr;
    check(host.db->CreateColumnFamily(objects.options(), habits.column_family, &family).ok(),
          "create");
    const bool known = cycle % 3 != 0;  // the host need not tell the agent
    if (known) host.attachment->add(family);
    for (int key = 0; key < 5; ++key) host.put_and_get(family, key);
    if (cycle % 4 == 0) check(host.db->Flush({}, family).ok(), "Flush");
    if (known && cycle % 10 == 0) poller.wait_for_family_changes(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(cycle % 12));
    const bool dropped_first = cycle % 2 == 0;
    if (dropped_first) check(host.db->DropColumnFamily(family).ok(), "drop");
    if (known) host.attachment->forget(family);
    if (!dropped_first) check(host.db->DropColumnFamily(family).ok(), "drop");
    check(host.db->DestroyColumnFamilyHandle(family).ok(), "destroy");
    objects.expect_returned();
  }
  poller.wait_for_samples(2);
  poller.stop();
  std::fprintf(stderr, "%d column families, %s\n", times, poller.summary().c_str());
  host.close(0);
}

}  // namespace rocktune::stress
