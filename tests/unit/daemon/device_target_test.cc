// The device under a database that is not there when the database is opened, or goes and comes
// back.
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>

#include "tests/unit/daemon/target_world.h"

using namespace rocktune;
using namespace rocktune::daemon;

namespace {

struct DeviceWorld : test::TargetWorld {
  // The file system of the test's own directory lies on sdz.
  void plug_in() const {
    const std::string path = tree.directory("db");
    struct stat status{};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    tree.file("sys/devices/sdz/stat", "100 1 800 50 200 2 1600 90 3 70 140\n");
    tree.link("sys/dev/block/" + std::to_string(major(status.st_dev)) + ":" +
                  std::to_string(minor(status.st_dev)),
              "../../devices/sdz");
    tree.link("sys/class/block/sdz", "../../devices/sdz");
  }
  void poll_for(Target& target, int seconds) {
    for (int i = 0; i < 2 * seconds; ++i) poll(target, ++polls);
  }
  [[nodiscard]] bool said(const std::string& words) const {
    for (const std::string& line : alert_lines("source")) {
      if (line.find(words) != std::string::npos) return true;
    }
    return false;
  }
  std::uint64_t polls = 0;
};

}  // namespace

TEST_CASE("a device that comes later than the database is found", "[daemon][target]") {
  DeviceWorld world;
  world.tree.directory("db");
  const auto target = world.target(Mode::kObserve);
  target->opened(world.opening());
  world.poll_for(*target, 2);
  CHECK(target->device_name().empty());
  CHECK(world.said("device: "));
  world.plug_in();
  world.poll_for(*target, 22);
  CHECK(target->device_name() == "sdz");
  CHECK(world.said("device: read again"));
  CHECK(world.recorded().back().sample.device);
}

TEST_CASE("a device that goes is said, and so is its return", "[daemon][target]") {
  DeviceWorld world;
  world.plug_in();
  const auto target = world.target(Mode::kObserve);
  target->opened(world.opening());
  world.poll_for(*target, 1);
  CHECK(world.recorded().back().sample.device);
  std::filesystem::remove_all(world.tree.path("sys"));
  world.poll_for(*target, 2);
  CHECK_FALSE(world.recorded().back().sample.device);
  CHECK(world.said("sdz"));
  CHECK_FALSE(world.said("read again"));
  world.plug_in();
  world.poll_for(*target, 1);
  CHECK(world.recorded().back().sample.device);
  world.poll_for(*target, 11);
  CHECK(world.said("device: read again"));
}
