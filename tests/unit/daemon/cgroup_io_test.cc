#include "daemon/sources/cgroup_io.h"

#include "tests/support/catch.h"
#include "tests/unit/daemon/support.h"

using namespace rocktune;
using namespace rocktune::daemon;
using test::TempTree;

namespace {

// Process 42 in a group of a slice.
struct Groups {
  TempTree tree;
  HostReading read(const std::string& device = "259:0") const {
    HostReading reading;
    const auto dirs = find_cgroups(tree.path("proc"), tree.path("sys"), 42);
    REQUIRE(dirs);
    read_cgroup_io(*dirs, device, reading);
    return reading;
  }
};

}  // namespace

TEST_CASE("what a control group may do on a device, version 2", "[daemon][sources]") {
  const Groups groups;
  groups.tree.file("proc/42/cgroup", "0::/db.slice/db.service\n");
  groups.tree.directory("sys/fs/cgroup/db.slice/db.service");
  const std::string slice = "sys/fs/cgroup/db.slice/";
  groups.tree.file(slice + "io.max",
                   "8:16 rbps=1 wbps=1 riops=1 wiops=1\n"
                   "259:0 rbps=104857600 wbps=max riops=max wiops=5000\n");
  groups.tree.file(slice + "io.stat",
                   "8:16 rbytes=9 wbytes=9 rios=9 wios=9 dbytes=0 dios=0\n"
                   "259:0 rbytes=1459200 wbytes=314773504 rios=192 wios=353 dbytes=0 dios=0\n");
  HostReading limited = groups.read();
  CHECK(limited.io_read_bytes_limit == 104857600U);
  CHECK_FALSE(limited.io_write_bytes_limit);
  CHECK_FALSE(limited.io_reads_limit);
  CHECK(limited.io_writes_limit == 5000U);
  CHECK(limited.io_read_bytes == 1459200U);
  CHECK_FALSE(limited.io_write_bytes);
  CHECK_FALSE(limited.io_reads);
  CHECK(limited.io_writes == 353U);
  SECTION("of each kind the nearest group that limits it counts, with what that has done") {
    groups.tree.file(slice + "db.service/io.max", "259:0 rbps=max wbps=2048 riops=max wiops=max\n");
    limited = groups.read();
    CHECK(limited.io_read_bytes_limit == 104857600U);
    CHECK(limited.io_read_bytes == 1459200U);
    CHECK(limited.io_write_bytes_limit == 2048U);
    CHECK_FALSE(limited.io_write_bytes);  // it has no io.stat
  }
  SECTION("another device, or none that is known") {
    CHECK(groups.read("259:1") == HostReading{});
    CHECK(groups.read("") == HostReading{});
  }
  SECTION("what is no such line is no limit") {
    groups.tree.file(slice + "io.max", "259:0 rbps= wbps=-1 riops=1x =5 wiops\n259:0\n\n:");
    CHECK(groups.read() == HostReading{});
  }
}

TEST_CASE("what a control group may do on a device, version 1", "[daemon][sources]") {
  const Groups groups;
  groups.tree.file("proc/42/cgroup", "8:blkio:/db\n0::/\n");
  const std::string throttle = "sys/fs/cgroup/blkio/db/blkio.throttle.";
  groups.tree.file(throttle + "read_bps_device", "8:16 5\n259:0 1048576\n");
  groups.tree.file(throttle + "write_bps_device", "");
  groups.tree.file(throttle + "io_service_bytes",
                   "259:0 Read 4096\n259:0 Write 8192\n259:0 Total 12288\nTotal 12288\n");
  groups.tree.file(throttle + "io_serviced", "259:0 Read 1\n259:0 Write 2\n");
  const HostReading limited = groups.read();
  CHECK(limited.io_read_bytes_limit == 1048576U);
  CHECK_FALSE(limited.io_write_bytes_limit);
  CHECK(limited.io_read_bytes == 4096U);
  CHECK(limited.io_write_bytes == 8192U);
  CHECK_FALSE(limited.io_writes);
  CHECK(groups.read("8:17") == HostReading{});
  groups.tree.file(throttle + "write_iops_device", "259:0 100\n");
  CHECK(groups.read().io_writes == 2U);
  // Another group's limit holds for that group alone.
  groups.tree.file("proc/42/cgroup", "8:blkio:/db/child\n");
  groups.tree.directory("sys/fs/cgroup/blkio/db/child");
  CHECK(groups.read() == HostReading{});
}
