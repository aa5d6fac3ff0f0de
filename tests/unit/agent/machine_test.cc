// What the process may have of the machine, from trees of files.
#include "agent/machine.h"

#include <filesystem>
#include <fstream>
#include <limits>

#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"

namespace rocktune::agent {
namespace {

struct Root : tests::TempDirectory {
  void put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(file(name)).parent_path());
    std::ofstream(file(name)) << text << '\n';
  }
  [[nodiscard]] std::int64_t limit() const { return cgroup_memory_limit(path()); }
};

constexpr auto kNone = std::numeric_limits<std::int64_t>::max();

TEST_CASE("a container's limit is that of the cgroup that is mounted") {
  const Root root;
  CHECK(root.limit() == kNone);
  root.put("proc/self/cgroup", "0::/");
  root.put("sys/fs/cgroup/memory.max", "max");
  CHECK(root.limit() == kNone);
  root.put("sys/fs/cgroup/memory.max", "1000");
  CHECK(root.limit() == 1000);
}

TEST_CASE("a service's limit is the least of its cgroup and those above it") {
  const Root root;
  root.put("proc/self/cgroup", "0::/system.slice/db.service");
  root.put("sys/fs/cgroup/system.slice/db.service/memory.max", "3000");
  CHECK(root.limit() == 3000);
  root.put("sys/fs/cgroup/system.slice/memory.max", "2000");
  CHECK(root.limit() == 2000);
}

TEST_CASE("in version 1 it is the cgroup of the memory controller") {
  const Root root;
  root.put("proc/self/cgroup", "10:cpu:/other\n9:memory:/db\nnonsense\n1:name=systemd:/");
  root.put("sys/fs/cgroup/memory/other/memory.limit_in_bytes", "1");
  root.put("sys/fs/cgroup/memory/db/memory.limit_in_bytes", "5000");
  CHECK(root.limit() == 5000);
}

TEST_CASE("threads that the cgroup and those above it leave") {
  const Root root;
  CHECK(cgroup_threads_left(root.path()) == kNone);
  root.put("proc/self/cgroup", "0::/system.slice/db.service");
  root.put("sys/fs/cgroup/system.slice/db.service/pids.max", "max");
  root.put("sys/fs/cgroup/system.slice/db.service/pids.current", "30");
  CHECK(cgroup_threads_left(root.path()) == kNone);
  root.put("sys/fs/cgroup/system.slice/pids.max", "100");
  root.put("sys/fs/cgroup/system.slice/pids.current", "90");
  CHECK(cgroup_threads_left(root.path()) == 10);
  root.put("sys/fs/cgroup/system.slice/db.service/pids.max", "32");
  CHECK(cgroup_threads_left(root.path()) == 2);
}

}  // namespace
}  // namespace rocktune::agent
