#include "daemon/sources/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace rocktune::daemon {
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

std::vector<std::string_view> split_at(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  std::size_t begin = text.find_first_not_of(separators);
  while (begin != std::string_view::npos) {
    const std::size_t end = text.find_first_of(separators, begin);
    parts.push_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    begin = text.find_first_not_of(separators, end);
  }
  return parts;
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

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  std::uint64_t value = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (text.empty() || error != std::errc{} || rest != end) return std::nullopt;
  return value;
}

std::vector<std::string_view> split_words(std::string_view text) {
  return split_at(text, " \t\n");
}
std::vector<std::string_view> split_lines(std::string_view text) {
  return split_at(text, "\n");
}

}  // namespace rocktune::daemon
