#include "bench/device/loop_control.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

namespace rocktune::bench {
namespace {

constexpr const char* kControl = "/dev/loop-control";
// In all for others to let go of a mount or a free loop device.
constexpr int kAttempts = 200;
constexpr auto kPause = std::chrono::milliseconds(10);

class File {
 public:
  File(const std::string& path, int flags)
      : number_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~File() {
    if (number_ >= 0) ::close(number_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool open() const { return number_ >= 0; }

 private:
  int number_;
};

std::string reason() {
  return std::strerror(errno);
}

// The full path of a program; administrators' directories may be missing in a user's PATH.
std::optional<std::string> find_program(const std::string& name) {
  for (const char* directory : {"/usr/sbin", "/sbin", "/usr/bin", "/usr/local/sbin"}) {
    std::string path = std::string(directory) + "/" + name;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return std::nullopt;
}

// Runs a program to its end; what it said, if it failed.
Result<void> run(const std::string& program, const std::vector<std::string>& arguments) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return fail(ErrorCode::kIo, "pipe: " + reason());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDERR_FILENO);
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t pid = -1;
  const int started = ::posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[1]);
  std::string said;
  std::array<char, 512> part{};
  for (ssize_t got = 0; (got = ::read(pipe[0], part.data(), part.size())) != 0;) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    said.append(part.data(), static_cast<std::size_t>(got));
  }
  ::close(pipe[0]);
  if (started != 0) return fail(ErrorCode::kIo, program + ": " + std::strerror(started));
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (status == 0) return {};
  return fail(ErrorCode::kIo, program + " failed: " + said);
}

}  // namespace

Result<void> check_loop_possible() {
  if (::geteuid() != 0) {
    return fail(ErrorCode::kPermission,
                "a loop device needs root: run as root, or take the profile without 'loop:' for "
                "the emulated device");
  }
  if (!File(kControl, O_RDWR).open()) {
    return fail(ErrorCode::kUnsupported, std::string(kControl) + ": " + reason() +
                                             ": load the kernel's loop module (modprobe loop), or "
                                             "let the container have the device");
  }
  if (!find_program("mkfs.ext4")) {
    return fail(ErrorCode::kUnsupported, "mkfs.ext4 was not found: install e2fsprogs");
  }
  return {};
}

Result<void> make_sparse_file(const std::string& path, std::int64_t bytes) {
  const File file(path, O_RDWR | O_CREAT | O_EXCL);
  if (file.open() && ::ftruncate(file.number(), bytes) == 0) return {};
  return fail(ErrorCode::kIo, path + ": a sparse file of " + std::to_string(bytes) +
                                  " bytes cannot be made: " + reason());
}

Result<LoopNumber> attach_loop(const std::string& image) {
  const File file(image, O_RDWR);
  if (!file.open()) return fail(ErrorCode::kIo, image + ": " + reason());
  const File control(kControl, O_RDWR);
  if (!control.open()) return fail(ErrorCode::kIo, std::string(kControl) + ": " + reason());
  loop_config config{};
  config.fd = static_cast<__u32>(file.number());
  config.block_size = 4096;  // what direct I/O to most disks below takes
  config.info.lo_flags = LO_FLAGS_DIRECT_IO;
  std::strncpy(reinterpret_cast<char*>(config.info.lo_file_name), image.c_str(), LO_NAME_SIZE - 1);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const LoopNumber loop{::ioctl(control.number(), LOOP_CTL_GET_FREE)};
    if (loop.number < 0) return fail(ErrorCode::kIo, "no free loop device: " + reason());
    const File device(loop.path(), O_RDWR);
    if (!device.open()) {
      return fail(ErrorCode::kIo, loop.path() + ": " + reason() +
                                      ": a container needs the loop devices' nodes and the right "
                                      "to them");
    }
    if (::ioctl(device.number(), LOOP_CONFIGURE, &config) == 0) {
      loop_info64 info{};
      if (::ioctl(device.number(), LOOP_GET_STATUS64, &info) == 0 &&
          (info.lo_flags & LO_FLAGS_DIRECT_IO) != 0) {
        return loop;
      }
      ::ioctl(device.number(), LOOP_CLR_FD);
      return fail(ErrorCode::kUnsupported,
                  image +
                      ": the file system below takes no direct I/O: set TMPDIR to a directory "
                      "on a disk (ext4, xfs, btrfs)");
    }
    // Somebody else was faster to take it.
    if (errno != EBUSY) return fail(ErrorCode::kIo, loop.path() + ": " + reason());
  }
  return fail(ErrorCode::kUnavailable, "no loop device could be had: others take them all");
}

void detach_loop(LoopNumber loop) {
  const File device(loop.path(), O_RDWR);
  if (!device.open() || (::ioctl(device.number(), LOOP_CLR_FD) != 0 && errno != ENXIO)) {
    std::fprintf(stderr, "rocktune-bench: %s: cannot be detached: %s\n", loop.path().c_str(),
                 reason().c_str());
  }
}

std::optional<std::string> backing_file(LoopNumber loop) {
  std::ifstream in("/sys/block/loop" + std::to_string(loop.number) + "/loop/backing_file");
  std::string path;
  if (!std::getline(in, path) || path.empty()) return std::nullopt;
  return path;
}

std::optional<LoopNumber> find_loop(const std::string& image) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/block", error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("loop")) continue;
    const LoopNumber loop{std::atoi(name.c_str() + 4)};
    if (backing_file(loop) == image) return loop;
  }
  return std::nullopt;
}

Result<std::string> device_number(LoopNumber loop) {
  struct stat info{};
  if (::stat(loop.path().c_str(), &info) != 0) {
    return fail(ErrorCode::kIo, loop.path() + ": " + reason());
  }
  return std::to_string(major(info.st_rdev)) + ":" + std::to_string(minor(info.st_rdev));
}

Result<void> make_ext4(LoopNumber loop) {
  const auto program = find_program("mkfs.ext4");
  if (!program) return fail(ErrorCode::kUnsupported, "mkfs.ext4 was not found");
  // Everything is written now, so that nothing is left for the background of a measurement; few
  // inodes and a small journal keep it to some megabytes.
  return run(*program, {"-q", "-F", "-m", "0", "-T", "largefile4", "-J", "size=16", "-E",
                        "lazy_itable_init=0,lazy_journal_init=0,nodiscard", loop.path()});
}

Result<void> mount_ext4(LoopNumber loop, const std::string& mount_point) {
  if (::mount(loop.path().c_str(), mount_point.c_str(), "ext4", MS_NOATIME | MS_NODEV | MS_NOSUID,
              nullptr) == 0) {
    return {};
  }
  return fail(ErrorCode::kIo,
              loop.path() + " cannot be mounted on " + mount_point + ": " + reason());
}

void unmount(const std::string& mount_point) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (::umount2(mount_point.c_str(), UMOUNT_NOFOLLOW) == 0) return;
    if (errno == EINVAL || errno == ENOENT) return;  // it is not mounted
    if (errno != EBUSY) break;
    std::this_thread::sleep_for(kPause);
  }
  ::umount2(mount_point.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
}

}  // namespace rocktune::bench
