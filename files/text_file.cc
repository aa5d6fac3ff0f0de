#include "files/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace rocktune {
namespace {

ErrorCode code_of(int error) {
  if (error == ENOENT || error == ENOTDIR || error == ESRCH) return ErrorCode::kNotFound;
  if (error == EACCES || error == EPERM) return ErrorCode::kPermission;
  return ErrorCode::kIo;
}

// A descriptor for reading; -1 with errno, ENOTSUP when it is no regular file. What is looked at is
// what is opened, whatever happens to the name meanwhile.
int open_regular(const std::string& path) {
  const int entry = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (entry < 0) return -1;
  struct stat info{};
  int fd = -1;
  int error = ENOTSUP;
  if (::fstat(entry, &info) == 0 && S_ISREG(info.st_mode)) {
    fd = ::open(("/proc/self/fd/" + std::to_string(entry)).c_str(), O_RDONLY | O_CLOEXEC);
    error = errno;
  }
  ::close(entry);
  errno = error;
  return fd;
}

}  // namespace

Result<std::string> read_text_file(const std::string& path, std::size_t limit) {
  const int fd = open_regular(path);
  if (fd < 0) {
    if (errno == ENOTSUP) return fail(ErrorCode::kIo, path + ": is no regular file");
    return fail(code_of(errno), path + ": " + std::strerror(errno));
  }
  std::string text;
  std::array<char, 4096> buffer{};
  ssize_t got = 0;
  while ((got = ::read(fd, buffer.data(), buffer.size())) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 || text.size() + static_cast<std::size_t>(got) > limit) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  const int error = got < 0 ? errno : 0;
  ::close(fd);
  if (error != 0) return fail(code_of(error), path + ": " + std::strerror(error));
  if (got > 0) {
    return fail(ErrorCode::kIo, path + ": larger than " + std::to_string(limit) + " bytes");
  }
  return text;
}

}  // namespace rocktune
