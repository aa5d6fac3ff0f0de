#include <sys/file.h>
#include <sys/stat.h>

#include <filesystem>

#include "bench/device/block_throttle.h"
#include "bench/device/loop_device.h"
#include "bench/device/loop_traces.h"
#include "bench/device/target_device.h"
#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"

namespace fs = std::filesystem;
using namespace rocktune::bench;
using namespace rocktune::scenario;
using rocktune::tests::TempDirectory;

namespace {

// A /proc of a process in the control groups that `mountinfo` and `cgroup` say.
std::string proc_tree(const TempDirectory& directory, const std::string& mountinfo,
                      const std::string& cgroup) {
  fs::create_directories(directory.path() / "proc/self");
  (void)directory.write("proc/self/mountinfo", mountinfo);
  (void)directory.write("proc/self/cgroup", cgroup);
  return directory.file("proc");
}

}  // namespace

TEST_CASE("the control group of cgroup v1 is where blkio is", "[bench][device]") {
  const TempDirectory directory;
  const auto proc =
      proc_tree(directory,
                "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                "38 31 0:35 / /sys/fs/cgroup/blkio rw,relatime - cgroup cgroup rw,blkio\n"
                "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n",
                "8:memory:/elsewhere\n7:blkio:/user/shell\n0::/\n");
  const auto group = find_block_group(proc);
  REQUIRE(group);
  CHECK_FALSE(group->unified);
  CHECK(group->directory == "/sys/fs/cgroup/blkio/user/shell");
  CHECK(group->parent == group->directory);
}

TEST_CASE("in cgroup v2 the new group is a sibling, and needs the io controller",
          "[bench][device]") {
  const TempDirectory directory;
  const std::string mount = directory.file("cgroup");
  fs::create_directories(mount + "/user/shell");
  const auto proc =
      proc_tree(directory, "41 31 0:38 / " + mount + " rw,relatime - cgroup2 cgroup2 rw\n",
                "0::/user/shell\n");
  const auto without = find_block_group(proc);
  REQUIRE_FALSE(without);
  CHECK(without.error().message.find("cgroup/user/cgroup.controllers: the io controller is not") !=
        std::string::npos);

  (void)directory.write("cgroup/user/cgroup.controllers", "cpu io memory\n");
  const auto group = find_block_group(proc);
  REQUIRE(group);
  CHECK(group->unified);
  CHECK(group->directory == mount + "/user/shell");
  CHECK(group->parent == mount + "/user");

  // The root group itself may have both.
  (void)directory.write("proc/self/cgroup", "0::/\n");
  (void)directory.write("cgroup/cgroup.controllers", "io\n");
  const auto root = find_block_group(proc);
  REQUIRE(root);
  CHECK(root->parent == mount);
}

TEST_CASE("without control groups it says what to mount", "[bench][device]") {
  const TempDirectory directory;
  const auto group =
      find_block_group(proc_tree(directory, "23 1 254:0 / / rw - ext4 /dev/vda rw\n", "0::/\n"));
  REQUIRE_FALSE(group);
  CHECK(group.error().message.find("mount -t cgroup -o blkio") != std::string::npos);
}

TEST_CASE("a kernel that cannot throttle is told from its missing file, and no group stays",
          "[bench][device]") {
  const TempDirectory directory;
  const BlockGroup group{false, directory.path().string(), directory.path().string()};
  const auto throttle = BlockThrottle::create(group, "rocktune-bench.1.2", "7:0");
  REQUIRE_FALSE(throttle);
  CHECK(throttle.error().message.find("CONFIG_BLK_DEV_THROTTLING") != std::string::npos);
  CHECK_FALSE(fs::exists(directory.path() / "rocktune-bench.1.2"));
}

TEST_CASE("limits as each version of the control groups wants them", "[bench][device]") {
  using Values = std::vector<std::pair<std::string, std::string>>;
  CHECK(limit_values(true, "7:3", {100, 0, 5, 6}) ==
        Values{{"io.max", "7:3 rbps=100 wbps=max riops=5 wiops=6"}});
  CHECK(limit_values(false, "7:3", {100, 0, 5, 6}) ==
        Values{{"blkio.throttle.read_bps_device", "7:3 100"},
               {"blkio.throttle.write_bps_device", "7:3 0"},
               {"blkio.throttle.read_iops_device", "7:3 5"},
               {"blkio.throttle.write_iops_device", "7:3 6"}});

  DeviceProfile profile;
  profile.read_bytes_per_second = 1000;
  profile.write_bytes_per_second = 500;
  profile.read_iops = 10;
  profile.write_iops = 1;
  const BlockLimits half = limits_of(profile, 0.5);
  CHECK(half.read_bytes_per_second == 500);
  CHECK(half.write_bytes_per_second == 250);
  CHECK(half.read_iops == 5);
  CHECK(limits_of(profile, 0.1).write_iops == 1);  // 0 would be no limit
}

TEST_CASE("what a dead process noted is taken down, a living one's is left", "[bench][device]") {
  const TempDirectory directory;
  const std::string notes = directory.file("notes");
  const LoopTraces living{directory.file("rocktune-loop.1.1"), ""};
  const LoopTraces dead{directory.file("rocktune-loop.2.2"), directory.file("rocktune-bench.2.2")};
  for (const LoopTraces& traces : {living, dead}) {
    fs::create_directories(traces.mount_point());
    (void)directory.write(fs::path(traces.directory).filename().string() + "/image", "x");
  }
  fs::create_directory(dead.group);
  {
    const auto note = LoopNote::write(notes, living);
    REQUIRE(note);
    (void)directory.write(
        "notes/rocktune-loop.2.2.json",
        R"({"directory": ")" + dead.directory + R"(", "group": ")" + dead.group + "\"}\n");
    const auto removed = take_down_leftovers(notes);
    REQUIRE(removed.size() == 1);
    CHECK(removed[0].traces.directory == dead.directory);
    CHECK(removed[0].removed);
    CHECK_FALSE(fs::exists(dead.directory));
    CHECK_FALSE(fs::exists(dead.group));
    CHECK_FALSE(fs::exists(directory.file("notes/rocktune-loop.2.2.json")));
    CHECK(fs::exists(living.image()));
    CHECK(fs::exists(directory.file("notes/rocktune-loop.1.1.json")));
  }
  CHECK_FALSE(fs::exists(directory.file("notes/rocktune-loop.1.1.json")));
  CHECK(take_down_leftovers(directory.file("nowhere")).empty());
}

TEST_CASE("a note stays as long as something of it does", "[bench][device]") {
  const TempDirectory directory;
  const LoopTraces traces{directory.file("rocktune-loop.3.3"), ""};
  fs::create_directories(traces.directory + "/somebody-elses");
  const std::string note = directory.file("notes/rocktune-loop.3.3.json");
  fs::create_directory(directory.file("notes"));
  (void)directory.write("notes/rocktune-loop.3.3.json",
                        R"({"directory": ")" + traces.directory + R"(", "group": ""})");
  auto found = take_down_leftovers(directory.file("notes"));
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found[0].removed);
  CHECK(fs::exists(note));
  fs::remove(traces.directory + "/somebody-elses");
  found = take_down_leftovers(directory.file("notes"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].removed);
  CHECK_FALSE(fs::exists(note));
  {
    auto kept = LoopNote::write(directory.file("notes"), traces);
    REQUIRE(kept);
    kept->keep();
  }
  CHECK(fs::exists(note));
}

TEST_CASE("a note that names what is not ours takes nothing down", "[bench][device]") {
  const TempDirectory directory;
  fs::create_directories(directory.file("precious/mnt"));
  (void)directory.write("precious/image", "x");
  fs::create_directory(directory.file("notes"));
  (void)directory.write("notes/a.json",
                        R"({"directory": ")" + directory.file("precious") + R"(", "group": ""})");
  (void)directory.write("notes/b.json", "no JSON");
  (void)directory.write("notes/c.json",
                        R"({"directory": "rocktune-loop.1", "group": "/sys/fs/cgroup/blkio"})");
  (void)directory.write("notes/d.json", "");
  CHECK(take_down_leftovers(directory.file("notes")).empty());
  CHECK(fs::exists(directory.file("precious/image")));
  CHECK(fs::is_empty(directory.file("notes")));
}

TEST_CASE("which device a run gets", "[bench][device]") {
  const auto none = parse_device_spec("none", 16);
  REQUIRE(none);
  CHECK(none->kind == DeviceKind::kReal);
  const auto emulated = parse_device_spec("nvme-p41", 16);
  REQUIRE(emulated);
  CHECK(emulated->kind == DeviceKind::kEmulated);
  CHECK(emulated->profile.read_bytes_per_second == Approx(7e9 / 16));
  const auto loop = parse_device_spec("loop:nvme-p41", 16);
  REQUIRE(loop);
  CHECK(loop->kind == DeviceKind::kLoop);
  CHECK(loop->profile.write_bytes_per_second == Approx(6.5e9 / 16));
  const auto unknown = parse_device_spec("loop:floppy", 1);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message.find("--device loop:floppy: 'floppy' is no built-in") !=
        std::string::npos);
}

TEST_CASE("a device's degradation from the command line or a scenario", "[bench][device]") {
  const auto spec = parse_device_spec("loop:nvme-p41@60:0.5@90:1", 16);
  REQUIRE(spec);
  CHECK(spec->kind == DeviceKind::kLoop);
  CHECK(spec->profile.degradation == std::vector<Degradation>{{60, 0.5}, {90, 1}});
  CHECK(parse_device_spec("nvme-p41", 1)->profile.degradation.empty());
  for (const char* wrong :
       {"nvme-p41@", "nvme-p41@60", "nvme-p41@60:0.5@", "nvme-p41@90:1@60:0.5"}) {
    INFO(wrong);
    const auto bad = parse_device_spec(wrong, 1);
    REQUIRE_FALSE(bad);
    CHECK(bad.error().message.find(wrong) != std::string::npos);
  }
  const TempDirectory directory;
  fs::create_directory(directory.file("a@b"));
  const std::string file = directory.write(
      "a@b/d.yaml",
      "name: d\nread_bytes_per_second: 1GB\nwrite_bytes_per_second: 1GB\nread_iops: 1000\n"
      "write_iops: 1000\n");
  CHECK(parse_device_spec(file, 1));
  CHECK(parse_device_spec(file + "@5:0.1", 1)->profile.degradation.size() == 1);
}

TEST_CASE("on the real device nothing of a killed emulated one stays", "[bench][device]") {
  const TempDirectory directory;
  for (const char* name : {"a.device", "theirs.device"}) fs::create_directory(directory.file(name));
  (void)directory.write("a.device/stat", "0\n");
  (void)directory.write("a.device/model", "# An emulated device\n");
  (void)directory.write("theirs.device/stat", "0\n");  // somebody else's: it has no model
  fs::create_directory_symlink(directory.file("a.device"), directory.file("b.device"));
  const auto real = make_device({}, {});
  REQUIRE(real);
  for (const char* name : {"b", "a", "theirs"}) REQUIRE((*real)->announce(directory.file(name)));
  CHECK_FALSE(fs::exists(fs::symlink_status(directory.file("b.device"))));
  CHECK_FALSE(fs::exists(directory.file("a.device")));
  CHECK(fs::exists(directory.file("theirs.device/stat")));
}

TEST_CASE("databases on one emulated device all find its counters", "[bench][device]") {
  const TempDirectory directory;
  const auto spec = parse_device_spec("nvme-p41", 16);
  REQUIRE(spec);
  {
    const auto device = make_device(*spec, {directory.file("a.device"), "", 0});
    REQUIRE(device);
    CHECK((*device)->label() == "emulated device");
    CHECK((*device)->stat_path() == directory.file("a.device/stat"));
    CHECK_FALSE((*device)->directory());
    CHECK_FALSE((*device)->direct_io());
    REQUIRE((*device)->announce(directory.file("a")));
    REQUIRE((*device)->announce(directory.file("b")));
    CHECK(fs::equivalent(directory.file("b.device/stat"), directory.file("a.device/stat")));
    CHECK_FALSE(fs::is_symlink(directory.file("a.device")));
  }
  CHECK_FALSE(fs::exists(fs::symlink_status(directory.file("b.device"))));
  CHECK_FALSE(fs::exists(directory.file("a.device")));
  const auto real = make_device({}, {});
  REQUIRE(real);
  CHECK((*real)->label() == "real device");
  CHECK((*real)->file_system() == nullptr);
  CHECK_FALSE((*real)->stat_path());
}
