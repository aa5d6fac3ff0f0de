#include "bench/device/block_throttle.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "bench/text_file.h"

namespace rocktune::bench {
namespace {

// One write(2) for each value, as the files of a control group want it.
Result<void> write_value(const std::string& path, const std::string& value) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const bool written =
      file >= 0 && ::write(file, value.data(), value.size()) == static_cast<ssize_t>(value.size());
  const int error = errno;
  if (file >= 0) ::close(file);
  if (written) return {};
  return fail(ErrorCode::kIo,
              path + ": '" + value + "' cannot be written: " + std::strerror(error));
}

std::vector<std::string> words(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

bool has_word(const std::string& list, char separator, const std::string& word) {
  std::istringstream in(list);
  for (std::string one; std::getline(in, one, separator);) {
    if (one == word) return true;
  }
  return false;
}

// The mount point of the hierarchy: cgroup v1's with the blkio controller, or cgroup v2's.
std::optional<std::string> mounted_at(const std::string& mountinfo, bool unified) {
  std::istringstream lines(mountinfo);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    const auto left = words(line.substr(0, dash));
    const auto right = words(line.substr(dash + 3));
    if (left.size() < 5 || right.size() < 3) continue;
    if (unified ? right[0] == "cgroup2"
                : right[0] == "cgroup" && has_word(right[2], ',', "blkio")) {
      return left[4];
    }
  }
  return std::nullopt;
}

// The process's path in that hierarchy: "7:blkio:/path", "0::/path".
std::string path_in(const std::string& cgroups, bool unified) {
  std::istringstream lines(cgroups);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (unified ? controllers.empty() : has_word(controllers, ',', "blkio")) {
      const std::string path = line.substr(second + 1);
      return path == "/" ? "" : path;
    }
  }
  return "";
}

// cgroup v2 lets no group have both processes and children with controllers, its root apart: the
// new group becomes a sibling of the one that the process is in.
Result<BlockGroup> unified_group(const std::string& mount, const std::string& path) {
  BlockGroup group{true, mount + path, mount + path.substr(0, path.rfind('/'))};
  const auto controllers = read_text_file(group.parent + "/cgroup.controllers");
  for (const std::string& word : words(controllers ? *controllers : "")) {
    if (word == "io") return group;
  }
  return fail(ErrorCode::kUnsupported,
              group.parent +
                  "/cgroup.controllers: the io controller is not there: boot with it, or mount "
                  "cgroup v1's blkio (mount -t cgroup -o blkio none /sys/fs/cgroup/blkio)");
}

std::string limit_text(std::uint64_t limit) {
  return limit == 0 ? "max" : std::to_string(limit);
}

}  // namespace

Result<BlockGroup> find_block_group(const std::string& proc_root) {
  const auto mountinfo = read_text_file(proc_root + "/self/mountinfo");
  if (!mountinfo) return tl::unexpected(mountinfo.error());
  const auto cgroups = read_text_file(proc_root + "/self/cgroup");
  if (!cgroups) return tl::unexpected(cgroups.error());
  if (const auto mount = mounted_at(*mountinfo, false)) {
    const std::string directory = *mount + path_in(*cgroups, false);
    return BlockGroup{false, directory, directory};
  }
  if (const auto mount = mounted_at(*mountinfo, true)) {
    return unified_group(*mount, path_in(*cgroups, true));
  }
  return fail(ErrorCode::kUnsupported,
              proc_root +
                  "/self/mountinfo: no control groups for block I/O are mounted: mount cgroup v1's "
                  "blkio (mount -t cgroup -o blkio none /sys/fs/cgroup/blkio) or cgroup v2");
}

BlockThrottle::BlockThrottle(BlockGroup group, std::string directory, std::string device)
    : group_(std::move(group)), directory_(std::move(directory)), device_(std::move(device)) {}

BlockThrottle::BlockThrottle(BlockThrottle&& other) noexcept
    : group_(std::move(other.group_)),
      directory_(std::exchange(other.directory_, "")),
      device_(std::move(other.device_)),
      entered_(std::exchange(other.entered_, false)) {}

Result<BlockThrottle> BlockThrottle::create(const BlockGroup& group, const std::string& name,
                                            const std::string& device) {
  if (group.unified) {
    const auto enabled = write_value(group.parent + "/cgroup.subtree_control", "+io");
    if (!enabled) return tl::unexpected(enabled.error());
  }
  const std::string directory = group.parent + "/" + name;
  if (::mkdir(directory.c_str(), 0755) != 0) {
    return fail(ErrorCode::kPermission,
                directory + ": the control group cannot be made: " + std::strerror(errno));
  }
  BlockThrottle throttle(group, directory, device);
  const std::string probe =
      directory + (group.unified ? "/io.max" : "/blkio.throttle.read_bps_device");
  if (::access(probe.c_str(), W_OK) != 0) {
    return fail(ErrorCode::kUnsupported,
                probe + ": " + std::strerror(errno) +
                    ": the kernel cannot throttle block devices (CONFIG_BLK_DEV_THROTTLING)");
  }
  return throttle;
}

BlockThrottle::~BlockThrottle() {
  if (directory_.empty()) return;
  // What fails here has no way out but the message; the group itself is found again by its marker.
  if (entered_) {
    const auto back = write_value(group_.directory + "/cgroup.procs", std::to_string(::getpid()));
    if (!back) std::fprintf(stderr, "rocktune-bench: %s\n", back.error().message.c_str());
  }
  remove_group(directory_);
}

Result<void> BlockThrottle::enter() {
  auto moved = write_value(directory_ + "/cgroup.procs", std::to_string(::getpid()));
  entered_ = moved.has_value();
  return moved;
}

std::vector<std::pair<std::string, std::string>> limit_values(bool unified,
                                                              const std::string& device,
                                                              const BlockLimits& limits) {
  if (unified) {
    return {{"io.max", device + " rbps=" + limit_text(limits.read_bytes_per_second) +
                           " wbps=" + limit_text(limits.write_bytes_per_second) +
                           " riops=" + limit_text(limits.read_iops) +
                           " wiops=" + limit_text(limits.write_iops)}};
  }
  // 0 takes a limit away.
  const auto line = [&](std::uint64_t limit) { return device + " " + std::to_string(limit); };
  return {{"blkio.throttle.read_bps_device", line(limits.read_bytes_per_second)},
          {"blkio.throttle.write_bps_device", line(limits.write_bytes_per_second)},
          {"blkio.throttle.read_iops_device", line(limits.read_iops)},
          {"blkio.throttle.write_iops_device", line(limits.write_iops)}};
}

Result<void> BlockThrottle::limit(const BlockLimits& limits) {
  for (const auto& [file, value] : limit_values(group_.unified, device_, limits)) {
    const auto written = write_value(directory_ + "/" + file, value);
    if (!written) return written;
  }
  return {};
}

void remove_group(const std::string& directory) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (::rmdir(directory.c_str()) == 0 || errno == ENOENT) return;
    if (errno != EBUSY) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::fprintf(stderr, "rocktune-bench: %s: cannot be removed: %s\n", directory.c_str(),
               std::strerror(errno));
}

}  // namespace rocktune::bench
