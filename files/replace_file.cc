#include "files/replace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace rocktune {
namespace {

tl::unexpected<Error> refused(const std::string& path, const char* what, int error) {
  const bool forbidden = error == EACCES || error == EPERM || error == EROFS;
  return fail(forbidden ? ErrorCode::kPermission : ErrorCode::kIo,
              path + ": " + what + ": " + std::generic_category().message(error));
}

// What a killed writer left gives way, and so does what another user put there, where the directory
// is open to all: nothing of theirs is opened.
int open_new(const std::string& path) {
  constexpr int kTries = 3;
  for (int i = 0; i < kTries; ++i) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return -1;
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

// 0, or errno.
int write_all(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = ::write(fd, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno;
    done += static_cast<std::size_t>(wrote);
  }
  return 0;
}

// Makes the new name itself durable. Where a directory cannot be synced (some network file
// systems), the name may be lost with the power, but never the old text.
void sync_directory(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  const int fd =
      ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

// Renamed over, a device would be gone for everybody.
Result<void> check_replaceable(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  // /dev/stdout, whatever it stands for at the moment.
  const bool open_file =
      std::filesystem::read_symlink(path, ignored).native().starts_with("/proc/");
  const bool file = !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
  if (file && !open_file) return {};
  const bool directory = std::filesystem::is_directory(status);
  return fail(ErrorCode::kInvalidArgument, path + ": cannot be replaced: it is " +
                                               (directory ? "a directory" : "a device or a pipe") +
                                               ", no file");
}

}  // namespace

Result<void> replace_file(const std::string& path, const std::string& text, Sync sync) {
  if (auto free = check_replaceable(path); !free) return free;
  const std::string beside = path + kBeside;
  const int fd = open_new(beside);
  if (fd < 0) return refused(beside, "cannot be written", errno);
  int error = write_all(fd, text);
  if (error == 0 && sync == Sync::kYes && ::fsync(fd) != 0) error = errno;
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error != 0) {
    ::unlink(beside.c_str());
    return refused(beside, "cannot be written", error);
  }
  if (std::rename(beside.c_str(), path.c_str()) != 0) {
    error = errno;
    ::unlink(beside.c_str());
    return refused(path, "cannot be replaced", error);
  }
  if (sync == Sync::kYes) sync_directory(path);
  return {};
}

}  // namespace rocktune
