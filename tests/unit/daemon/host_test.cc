#include "daemon/sources/host_reads.h"
#include "daemon/sources/host_source.h"
#include "daemon/sources/machine_source.h"
#include "daemon/sources/pressure.h"
#include "tests/support/catch.h"
#include "tests/unit/daemon/support.h"

using namespace rocktune;
using namespace rocktune::daemon;
using test::TempTree;

namespace {

constexpr const char* kPressure =
    "some avg10=0.10 avg60=0.00 avg300=0.00 total=%\nfull avg10=0.00 avg60=0.00 avg300=0.00 "
    "total=7\n";

std::string pressure(const std::string& total) {
  std::string text = kPressure;
  return text.replace(text.find('%'), 1, total);
}

// A machine with 4 CPUs and 8 GiB, and a process 42 in it.
struct HostMachine {
  TempTree tree;
  HostMachine() {
    tree.file("proc/stat", "cpu  100 10 50 1000 20 1 2 3 99 99\ncpu0 1 2 3\n");
    tree.file("proc/meminfo", "MemTotal:  8388608 kB\nMemFree: 1 kB\nMemAvailable: 4194304 kB\n");
    for (const char* what : {"cpu", "io", "memory"}) {
      tree.file(std::string("proc/pressure/") + what, pressure("111"));
    }
    std::string stat = "42 (a (b) c) S";
    for (int field = 4; field <= 52; ++field) stat += " " + std::to_string(field);
    tree.file("proc/42/stat", stat + "\n");
    tree.file("proc/42/io", "rchar: 9\nread_bytes: 4096\nwrite_bytes: 8192\n");
    tree.file("proc/42/status", "Name:\tx\nCpus_allowed_list:\t0-2,7\n");
    tree.file("proc/42/cgroup", "0::/\n");
    tree.directory("sys/fs/cgroup");
  }
  HostRead read(std::int64_t pid = 42) const {
    return HostSource(tree.path("proc"), tree.path("sys"), pid).read();
  }
};

}  // namespace

TEST_CASE("everything readable", "[daemon][sources]") {
  const HostRead host = HostMachine().read();
  CHECK(host.errors.empty());
  const HostReading& r = host.reading;
  CHECK(r.cpu_pressure_some_us == 111U);
  CHECK(r.io_pressure_full_us == 7U);
  CHECK(r.memory_pressure_some_us == 111U);
  CHECK(r.cpus == 4U);
  CHECK(r.memory_total_bytes == std::uint64_t{8} << 30);
  CHECK(r.memory_available_bytes == std::uint64_t{4} << 30);
  CHECK(r.process_read_bytes == 4096U);
  CHECK(r.process_write_bytes == 8192U);
  CHECK(r.process_cpu_us.has_value());
  CHECK(r.process_rss_bytes.has_value());
}

TEST_CASE("counters in their units", "[daemon][sources]") {
  HostReading r;
  REQUIRE(parse_cpu("cpu  100 10 50 1000 20 1 2 3 99 99\n", 100, r));
  CHECK(r.cpu_busy_us == 1'660'000U);
  CHECK(r.cpu_idle_us == 10'000'000U);
  CHECK(r.cpu_iowait_us == 200'000U);
  std::string stat = "42 (a (b) c) S";
  for (int field = 4; field <= 52; ++field) stat += " " + std::to_string(field);
  REQUIRE(parse_process_stat(stat, 100, 4096, r));
  CHECK(r.process_cpu_us == 290'000U);  // (14 + 15) ticks
  CHECK(r.process_rss_bytes == 24U * 4096);
}

TEST_CASE("each part fails alone", "[daemon][sources]") {
  const HostMachine machine;
  std::filesystem::remove_all(machine.tree.path("proc/pressure"));
  machine.tree.file("proc/42/io", "read_bytes: 12junk\nwrite_bytes: 1\n");
  const HostRead host = machine.read();
  CHECK(host.errors.size() == 2);
  CHECK_FALSE(host.reading.io_pressure_some_us.has_value());
  CHECK_FALSE(host.reading.process_read_bytes.has_value());
  CHECK(host.reading.memory_total_bytes.has_value());
  CHECK(host.reading.cpus == 4U);

  const HostRead gone = machine.read(43);
  CHECK(gone.errors.size() >= 4);
  CHECK(gone.reading.cpu_busy_us.has_value());
  CHECK_FALSE(gone.reading.process_cpu_us.has_value());

  const HostRead nothing = HostSource("/nowhere", "/nowhere", 0).read();
  CHECK(nothing.reading == HostReading{});
  CHECK(nothing.errors.size() == 3);
}

TEST_CASE("in a poll the machine is read once, and each process", "[daemon][sources]") {
  const HostMachine machine;
  Roots roots{machine.tree.path("proc"), machine.tree.path("sys")};
  const auto read = [&](std::int64_t pid, Nanoseconds poll) {
    MachineSource source(roots, {machine.tree.path("db"), pid, ""}, poll);
    Sample sample;
    sample.at.tick = poll;
    source.read(sample);
    return *sample.host;
  };
  using namespace std::chrono_literals;
  CHECK(read(42, 1s).process_read_bytes == 4096U);
  machine.tree.file("proc/meminfo", "MemTotal:  1024 kB\nMemAvailable: 512 kB\n");
  machine.tree.file("proc/42/io", "read_bytes: 5000\nwrite_bytes: 8192\n");
  CHECK(read(42, 1s).process_read_bytes == 4096U);
  const HostReading other = read(43, 1s);
  CHECK(other.memory_total_bytes == std::uint64_t{8} << 30);
  CHECK_FALSE(other.process_read_bytes);
  const HostReading next = read(42, 2s);
  CHECK(next.process_read_bytes == 5000U);
  CHECK(next.memory_total_bytes == 1024U << 10);
}

TEST_CASE("limits of control groups, version 2", "[daemon][sources]") {
  const HostMachine machine;
  const std::string group = "sys/fs/cgroup/db.slice/db.service/";
  machine.tree.file("proc/42/cgroup", "0::/db.slice/db.service\n");
  machine.tree.file(group + "memory.max", "max\n");
  machine.tree.file("sys/fs/cgroup/db.slice/memory.max", "1073741824\n");
  machine.tree.file("sys/fs/cgroup/db.slice/memory.current", "805306368\n");
  machine.tree.file("sys/fs/cgroup/db.slice/memory.stat",
                    "anon 1\ninactive_file 201326592\nactive_file 67108864\n");
  machine.tree.file(group + "cpu.max", "150000 100000\n");
  machine.tree.file(group + "io.pressure", pressure("999"));
  const HostRead host = machine.read();
  CHECK(host.errors.empty());
  CHECK(host.reading.memory_total_bytes == std::uint64_t{1} << 30);
  CHECK(host.reading.memory_available_bytes == std::uint64_t{512} << 20);
  CHECK(host.reading.cpus == 2U);  // 1.5, rounded up
  CHECK(host.reading.cpu_quota_millis == 1500U);
  CHECK(host.reading.io_pressure_some_us == 999U);   // the group's own
  CHECK(host.reading.cpu_pressure_some_us == 111U);  // the machine's
}

TEST_CASE("nested limits: the least one counts, and what the fullest group leaves",
          "[daemon][sources]") {
  const HostMachine machine;
  const std::string slice = "sys/fs/cgroup/db.slice/", service = slice + "db.service/";
  machine.tree.file("proc/42/cgroup", "0::/db.slice/db.service\n");
  machine.tree.file(service + "memory.max", "805306368\n");
  machine.tree.file(service + "memory.current", "104857600\n");
  machine.tree.file(slice + "memory.max", "1073741824\n");
  machine.tree.file(slice + "memory.current", "1048576000\n");  // a neighbour has most of it
  const HostReading r = machine.read().reading;
  CHECK(r.memory_total_bytes == 805306368U);
  CHECK(r.memory_available_bytes == std::uint64_t{24} << 20);
}

TEST_CASE("in a container of its own the root is its group", "[daemon][sources]") {
  const HostMachine machine;  // version 2: "0::/"
  SECTION("version 2") {
    machine.tree.file("sys/fs/cgroup/memory.max", "1073741824\n");
    machine.tree.file("sys/fs/cgroup/memory.current", "805306368\n");
    machine.tree.file("sys/fs/cgroup/cpu.max", "200000 100000\n");
  }
  SECTION("version 1, whose paths are the host's") {
    machine.tree.file("proc/42/cgroup", "5:cpu,cpuacct:/docker/1f\n4:memory:/docker/1f\n");
    machine.tree.file("proc/self/cgroup", "5:cpu,cpuacct:/docker/1f\n4:memory:/docker/1f\n");
    machine.tree.file("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
    machine.tree.file("sys/fs/cgroup/memory/memory.usage_in_bytes", "805306368\n");
    machine.tree.file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
    machine.tree.file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  }
  const HostReading r = machine.read().reading;
  CHECK(r.memory_total_bytes == std::uint64_t{1} << 30);
  CHECK(r.memory_available_bytes == std::uint64_t{256} << 20);
  CHECK(r.cpus == 2U);
}

TEST_CASE("the limits of our own container are not those of a process in another one",
          "[daemon][sources]") {
  const HostMachine machine;
  machine.tree.file("sys/fs/cgroup/memory/memory.limit_in_bytes", "67108864\n");
  machine.tree.file("sys/fs/cgroup/memory/memory.usage_in_bytes", "60000000\n");
  machine.tree.file("sys/fs/cgroup/memory/child/memory.limit_in_bytes", "33554432\n");
  machine.tree.file("proc/self/cgroup", "4:memory:/docker/1f\n");
  machine.tree.file("proc/42/cgroup", "4:memory:/docker/2e\n");
  CHECK(machine.read().reading.memory_total_bytes == std::uint64_t{8} << 30);
  machine.tree.file("proc/42/cgroup", "4:memory:/docker/1f/child\n");
  CHECK(machine.read().reading.memory_total_bytes == std::uint64_t{32} << 20);
}

TEST_CASE("CPUs that are not there do not count", "[daemon][sources]") {
  const HostMachine machine;
  machine.tree.file("sys/devices/system/cpu/online", "0-1\n");
  CHECK(machine.read().reading.cpus == 2U);  // of 0-2,7
}

TEST_CASE("limits of control groups, version 1", "[daemon][sources]") {
  const HostMachine machine;
  machine.tree.file("proc/42/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a\n0::/\n");
  machine.tree.directory("sys/fs/cgroup/unified");
  machine.tree.file("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "2147483648\n");
  machine.tree.file("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1073741824\n");
  machine.tree.file("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n");
  machine.tree.file("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
  const HostRead host = machine.read();
  CHECK(host.errors.empty());
  CHECK(host.reading.memory_total_bytes == std::uint64_t{2} << 30);
  CHECK(host.reading.memory_available_bytes == std::uint64_t{1} << 30);
  CHECK(host.reading.cpus == 4U);
  // Version 1 spells "no limit" as a huge number.
  machine.tree.file("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(machine.read().reading.memory_total_bytes == std::uint64_t{8} << 30);
}

TEST_CASE("numbers are parsed strictly", "[daemon][sources]") {
  CHECK(parse_allowed_cpus("Cpus_allowed_list:\t0-127\n", "") == 128U);
  CHECK(parse_allowed_cpus("Cpus_allowed_list:\t0-127\n", "0-3\n") == 4U);
  CHECK(parse_allowed_cpus("Cpus_allowed_list:\t2,4-6\n", "0-2,5") == 2U);
  CHECK(parse_allowed_cpus("Cpus_allowed_list:\t0-7\n", "nonsense") == 8U);
  for (const char* bad : {"0-", "3-1", "a", "1,,x", "0-99999999"}) {
    INFO(bad);
    CHECK_FALSE(parse_allowed_cpus(std::string("Cpus_allowed_list:\t") + bad + "\n", "0-3"));
  }
  CHECK_FALSE(parse_pressure("full total=1\n"));
  CHECK_FALSE(parse_pressure("some avg10=0.00 total=1x\n"));
  HostReading r;
  CHECK_FALSE(parse_cpu("cpu 1 2 3\n", 100, r));
  CHECK_FALSE(parse_cpu("intr 5\n", 100, r));
  CHECK_FALSE(parse_process_stat("42 (x) S 1 2", 100, 4096, r));
  CHECK_FALSE(parse_memory("MemTotal: 5 kB\n", r));
}
