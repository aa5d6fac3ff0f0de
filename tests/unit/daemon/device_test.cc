#include "daemon/sources/device_source.h"
#include "daemon/sources/machine_source.h"
#include "tests/support/catch.h"
#include "tests/unit/daemon/support.h"

using namespace rocktune;
using namespace rocktune::daemon;
using test::TempTree;

namespace {

constexpr const char* kStat = "  100 1 800 50   200 2 1600 90   3 70 140   0 0 0 0   0 0\n";

DeviceOfPath always(unsigned major, unsigned minor) {
  return [=](const std::string&) -> Result<DeviceNumber> { return DeviceNumber{major, minor}; };
}

// A machine with a disk of two partitions, LVM on the second, a mirror, and a loop device.
struct Machine {
  TempTree tree;
  Machine() {
    const auto device = [&](const std::string& dir, const std::string& number) {
      tree.file("sys/devices/" + dir + "/stat", kStat);
      tree.file("sys/devices/" + dir + "/dev", number + "\n");
      const auto name = dir.substr(dir.rfind('/') + 1);
      tree.link("sys/dev/block/" + number, "../../devices/" + dir);
      tree.link("sys/class/block/" + name, "../../devices/" + dir);
    };
    device("pci/nvme0n1", "259:0");
    device("pci/nvme0n1/nvme0n1p2", "259:2");
    tree.file("sys/devices/pci/nvme0n1/nvme0n1p2/partition", "2\n");
    device("virtual/dm-0", "253:0");
    tree.link("sys/devices/virtual/dm-0/slaves/nvme0n1p2", "../../../pci/nvme0n1/nvme0n1p2");
    device("virtual/md0", "9:0");
    tree.link("sys/devices/virtual/md0/slaves/sda", "../../../pci/sda");
    tree.link("sys/devices/virtual/md0/slaves/sdb", "../../../pci/sdb");
    device("virtual/loop3", "7:3");
    tree.directory("sys/devices/virtual/loop3/slaves");
  }
  Result<FoundDevice> find(const std::string& path, const DeviceOfPath& device_of) const {
    return find_device(path, tree.path("proc"), tree.path("sys"), device_of);
  }
  void mounts(const std::string& text) const { tree.file("proc/self/mountinfo", text); }
};

}  // namespace

TEST_CASE("the device under a path", "[daemon][sources]") {
  const Machine machine;
  SECTION("a whole disk") {
    CHECK(machine.find("/d", always(259, 0))->name == "nvme0n1");
    CHECK(machine.find("/d", always(259, 0))->number == "259:0");
  }
  SECTION("a partition leads to its disk") {
    const auto found = machine.find("/d", always(259, 2));
    REQUIRE(found);
    CHECK(found->name == "nvme0n1");
    CHECK(DeviceSource(*found).read()->read_ios == 100U);
  }
  SECTION("device-mapper on a partition leads to the disk") {
    CHECK(machine.find("/d", always(253, 0))->name == "nvme0n1");
  }
  SECTION("a mirror counts for itself") {
    CHECK(machine.find("/d", always(9, 0))->name == "md0");
  }
  SECTION("a loop device is taken as it is") {
    CHECK(machine.find("/d", always(7, 3))->name == "loop3");
  }
  SECTION("an unknown number is an error that names it") {
    const auto found = machine.find("/d", always(8, 77));
    REQUIRE_FALSE(found);
    CHECK(found.error().message.find("8:77") != std::string::npos);
  }
}

TEST_CASE("file systems with an anonymous device", "[daemon][sources]") {
  const Machine machine;
  machine.mounts(
      "22 1 259:2 / / rw - ext4 /dev/nvme0n1p2 rw\n"
      "30 22 0:40 / /data rw shared:1 - btrfs /dev/nvme0n1p2 rw,subvol=/\n"
      "31 22 0:41 / /tmp rw - tmpfs tmpfs rw\n"
      "32 22 0:42 / /over\\040lay rw - overlay overlay rw,lowerdir=/l,upperdir=/up,workdir=/w\n");
  CHECK(machine.find("/data/db", always(0, 40))->name == "nvme0n1");

  const auto memory = machine.find("/tmp/db", always(0, 41));
  REQUIRE_FALSE(memory);
  CHECK(memory.error().message == "/tmp/db is on tmpfs, which has no block device of its own");

  const DeviceOfPath by_path = [](const std::string& path) -> Result<DeviceNumber> {
    return path == "/up" ? DeviceNumber{7, 3} : DeviceNumber{0, 42};
  };
  CHECK(machine.find("/over lay/db", by_path)->name == "loop3");
  CHECK_FALSE(machine.find("/over lay/db", always(0, 42)));
  // A name that only the mapper's device knows, and a link to a mount.
  machine.mounts(
      "22 1 259:2 / / rw - ext4 /dev/nvme0n1p2 rw\n"
      "30 22 0:40 / /data rw - btrfs /dev/mapper/luks-1 rw\n"
      "31 22 0:43 / " +
      machine.tree.path("loop") + " rw - btrfs /dev/loop3 rw\n");
  machine.tree.file("sys/devices/virtual/dm-0/dm/name", "luks-1\n");
  CHECK(machine.find("/data/db", always(0, 40))->name == "nvme0n1");
  machine.tree.directory("loop/db");
  machine.tree.link("db", machine.tree.path("loop/db"));
  CHECK(machine.find(machine.tree.path("db"), always(0, 43))->name == "loop3");
  // "/database" is not below "/data".
  CHECK_FALSE(machine.find("/database", always(0, 40)).value_or(FoundDevice{}).name == "btrfs");
}

TEST_CASE("an emulated device beside the database is taken first", "[daemon][sources]") {
  const Machine machine;
  const std::string database = machine.tree.directory("bench/db");
  machine.tree.file("bench/db.device/stat", kStat);
  const auto found = machine.find(database, always(259, 0));
  REQUIRE(found);
  CHECK(found->name == "emulated:db");
  CHECK(DeviceSource(*found).read()->write_sectors == 1600U);
}

TEST_CASE("counters that an emulated device left behind are not taken", "[daemon][sources]") {
  const Machine machine;
  const std::string database = machine.tree.directory("bench/db");
  machine.tree.file("bench/db.device/stat", kStat);
  const std::string stat_file = machine.tree.path("bench/db.device/stat");
  using std::chrono::minutes;
  std::filesystem::last_write_time(stat_file,
                                   std::filesystem::last_write_time(stat_file) - minutes(2));
  CHECK(machine.find(database, always(259, 0))->name == "nvme0n1");
}

TEST_CASE("a path is as the process sees it", "[daemon][sources]") {
  const Machine machine;
  const DeviceOfPath by_path = [](const std::string& path) -> Result<DeviceNumber> {
    return path.ends_with("/root/data/db") ? DeviceNumber{0, 50} : DeviceNumber{259, 0};
  };
  machine.tree.file("proc/42/mountinfo", "40 1 0:50 / /data rw - btrfs /dev/loop3 rw\n");
  const auto find_as = [&](const std::string& process) {
    return find_device("/data/db", machine.tree.path("proc"), machine.tree.path("sys"), by_path,
                       process);
  };
  CHECK(find_as("self")->name == "nvme0n1");
  CHECK(find_as("42")->name == "loop3");
}

TEST_CASE("what a process with other mounts sees goes first", "[daemon][sources]") {
  const Machine machine;
  const std::string database = machine.tree.directory("db");
  machine.tree.file("db.device/stat", kStat);
  machine.tree.file("proc/42/root" + database + ".device/stat", "7" + std::string(kStat));
  machine.tree.link("proc/self/ns/mnt", "mnt:[1]");
  const bool other = GENERATE(true, false);
  machine.tree.link("proc/42/ns/mnt", other ? "mnt:[2]" : "mnt:[1]");
  MachineSource source({machine.tree.path("proc"), machine.tree.path("sys")}, {database, 42, ""},
                       Nanoseconds(0));
  Sample sample;
  source.read(sample);
  REQUIRE(sample.device);
  CHECK((sample.device->read_ios == 7U) == other);
}

TEST_CASE("the stat file is parsed strictly", "[daemon][sources]") {
  const auto reading = parse_device_stat(kStat);
  REQUIRE(reading);
  CHECK(reading->read_ios == 100U);
  CHECK(reading->read_ms == 50U);
  CHECK(reading->write_ios == 200U);
  CHECK(reading->write_ms == 90U);
  CHECK(reading->in_flight == 3U);
  CHECK(reading->busy_ms == 70U);
  CHECK(reading->queue_ms == 140U);
  CHECK_FALSE(parse_device_stat("1 2 3 4 5 6 7 8 9 10"));
  CHECK_FALSE(parse_device_stat(""));
  CHECK_FALSE(parse_device_stat("1 2 3 4x 5 6 7 8 9 10 11"));
  CHECK_FALSE(parse_device_stat("1 2 3 -4 5 6 7 8 9 10 11"));
  const auto missing = DeviceSource({"sdz", "/nowhere/stat", ""}).read();
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == ErrorCode::kNotFound);
}
