#include "files/replace_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <system_error>
#include <utility>

namespace rocktune {
namespace {

tl::unexpected<Error> refused(const std::string& path, const char* what, int error) {
  const bool forbidden = error == EACCES || error == EPERM || error == EROFS;
  return fail(forbidden ? ErrorCode::kPermission : ErrorCode::kIo,
              path + ": " + what + ": " + std::generic_category().message(error));
}

std::string directory_of(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  return directory.empty() ? "." : directory;
}

// The file beside `path` that its text is written to first: under a name that no other writer has,
// and locked for as long as this one lives.
struct Beside {
  std::string name;
  int fd = -1;
};

// Whether nobody took it for a left one between its making and its lock. Where nothing can be
// locked (some network file systems), nothing is taken.
bool is_kept(int fd) {
  struct stat info{};
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  return ::fstat(fd, &info) == 0 && info.st_nlink > 0;
}

// What another user put there, where the directory is open to all, is not opened.
Beside open_beside(const std::string& path) {
  constexpr int kTries = 10;
  std::random_device random;
  for (int i = 0; i < kTries; ++i) {
    Beside beside{.name = path + kBeside + std::to_string(random())};
    beside.fd = ::open(beside.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (beside.fd < 0 && errno == EEXIST) continue;
    if (beside.fd < 0 || is_kept(beside.fd)) return beside;
    ::unlink(beside.name.c_str());
    ::close(beside.fd);
  }
  errno = EEXIST;
  return {};
}

// What killed writers left: nobody holds its lock.
void remove_left(const std::string& path) {
  const std::filesystem::path whole(path);
  const std::string prefix = whole.filename().native() + kBeside;
  std::error_code error;
  std::filesystem::directory_iterator it(directory_of(path), error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    std::error_code unknown;
    const std::filesystem::path& left = it->path();
    if (!left.filename().native().starts_with(prefix)) continue;
    if (!std::filesystem::is_regular_file(it->symlink_status(unknown))) continue;
    const int fd = ::open(left.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlink(left.c_str());
    ::close(fd);
  }
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

// 0, or errno: some network file systems say only at a close what could not be written, and a close
// of the file itself would end its lock.
int close_copy(int fd) {
  const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  return copy >= 0 && ::close(copy) == 0 ? 0 : errno;
}

// Makes the new name itself durable. Where a directory cannot be synced (some network file
// systems), the name may be lost with the power, but never the old text.
void sync_directory(const std::string& path) {
  const int fd = ::open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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
  remove_left(path);
  const Beside beside = open_beside(path);
  if (beside.fd < 0) return refused(path, "cannot be written", errno);
  const char* what = "cannot be written";
  int error = write_all(beside.fd, text);
  if (error == 0 && sync == Sync::kYes && ::fsync(beside.fd) != 0) error = errno;
  if (error == 0) error = close_copy(beside.fd);
  if (error == 0 && std::rename(beside.name.c_str(), path.c_str()) != 0) {
    error = errno;
    what = "cannot be replaced";
  }
  if (error != 0) ::unlink(beside.name.c_str());
  ::close(beside.fd);
  if (error != 0) return refused(path, what, error);
  if (sync == Sync::kYes) sync_directory(path);
  return {};
}

}  // namespace rocktune
