#include "tools/reasons.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <sstream>
#include <system_error>

namespace rocktune::tools {
namespace {

constexpr std::string_view kPrefix = "agent.";
constexpr std::string_view kSuffix = ".why";
// The library writes at most 16 lines of 1 KiB.
constexpr std::size_t kMostBytes = 16 << 10;

std::optional<pid_t> writer_of(const std::string& name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  const char* const begin = name.data() + kPrefix.size();
  const char* const end = name.data() + name.size() - kSuffix.size();
  pid_t pid = 0;
  const auto read = std::from_chars(begin, std::max(begin, end), pid);
  if (read.ec != std::errc() || read.ptr != end || pid <= 0) return std::nullopt;
  return pid;
}

// A file left by kill -9 says nothing of today. (A process of another user cannot be signalled, and
// lives.)
bool lives(pid_t pid) {
  return ::kill(pid, 0) == 0 || errno == EPERM;
}

// Neither through a link nor from something that would block.
std::string beginning_of(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return {};
  struct stat info{};
  std::string text(kMostBytes, '\0');
  const bool plain = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  const ssize_t length = plain ? ::read(fd, text.data(), text.size()) : 0;
  ::close(fd);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  return text;
}

}  // namespace

std::vector<std::string> unseen_processes(const std::string& directory, std::int64_t pid) {
  std::vector<std::string> sentences;
  std::error_code error;
  for (auto it = std::filesystem::directory_iterator(directory, error);
       !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    const auto writer = writer_of(it->path().filename().string());
    if (!writer || (pid > 0 && *writer != pid) || !lives(*writer)) continue;
    std::istringstream lines(beginning_of(it->path().string()));
    for (std::string line; std::getline(lines, line);) {
      if (line.empty()) continue;
      sentences.push_back("process " + std::to_string(*writer) + " is not seen: " + line);
    }
  }
  std::ranges::sort(sentences);
  return sentences;
}

}  // namespace rocktune::tools
