#include "daemon/alert_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "daemon/trace_directory.h"

namespace rocktune::daemon {

namespace {

// Whether the file ends in mid-line: after a crash, or a full disk.
bool ends_torn(int fd) {
  const off_t end = ::lseek(fd, 0, SEEK_END);
  char last = '\n';
  return end > 0 && ::pread(fd, &last, 1, end - 1) == 1 && last != '\n';
}

// Not renamed, as a rotation does, but gone: nobody would ever read what still goes to it.
bool is_removed(int fd) {
  struct stat info{};
  return ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 0;
}

}  // namespace

void AlertLog::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Result<void> AlertLog::open() {
  // Not blocking: a pipe that nobody empties costs its lines, not the daemon.
  const int flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK;
  const int fd = ::open(file_.c_str(), flags, 0640);
  if (fd < 0) {
    const int error = errno;
    return fail(ErrorCode::kIo, "cannot open the alert log " + file_ + ": " + std::strerror(error) +
                                    read_only_advice(error));
  }
  close();
  fd_ = fd;
  torn_ = ends_torn(fd);
  return {};
}

Result<void> AlertLog::open(const std::string& file) {
  std::string before = std::exchange(file_, file);
  Result<void> opened = open();
  if (!opened) file_ = std::move(before);
  return opened;
}

Result<void> AlertLog::write(std::string_view line) {
  if (fd_ < 0 || is_removed(fd_)) {
    if (Result<void> opened = open(); !opened) return opened;
  }
  std::string text;
  text.reserve(line.size() + 2);
  if (torn_) text += '\n';
  text += line;
  text += '\n';
  ssize_t wrote = 0;
  do {
    wrote = ::write(fd_, text.data(), text.size());
  } while (wrote < 0 && errno == EINTR);
  if (wrote == static_cast<ssize_t>(text.size())) {
    torn_ = false;
    return {};
  }
  const int error = wrote < 0 ? errno : ENOSPC;
  close();
  return fail(ErrorCode::kIo, "cannot write the alert log " + file_ + ": " + std::strerror(error));
}

}  // namespace rocktune::daemon
