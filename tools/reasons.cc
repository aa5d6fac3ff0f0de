#include "tools/reasons.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

namespace rocktune::tools {
namespace {

constexpr std::string_view kPrefix = "agent.";
constexpr std::string_view kSuffix = ".why";
// The library writes at most 16 lines of 1 KiB.
constexpr std::size_t kMostReasonBytes = 16 << 10;

std::optional<pid_t> writer_of(const std::string& name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  const char* const begin = name.data() + kPrefix.size();
  const char* const end = name.data() + name.size() - kSuffix.size();
  pid_t pid = 0;
  const auto read = std::from_chars(begin, std::max(begin, end), pid);
  if (read.ec != std::errc() || read.ptr != end || pid <= 0) return std::nullopt;
  return pid;
}

// The effective one. (Not the owner of /proc/<pid>, which is root once a process has changed its
// user.) nullopt: there is no such process any more; what kill -9 left says nothing of today.
std::optional<uid_t> user_of(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("Uid:")) continue;
    std::istringstream numbers(line.substr(4));
    uid_t real = 0;
    uid_t effective = 0;
    if (numbers >> real >> effective) return effective;
  }
  return std::nullopt;
}

// Neither through a link nor from something that would block. Where all may write, as in /tmp,
// anybody may have made it: it must be root's or that user's, who would not link to it elsewhere.
std::string beginning_of(const std::string& path, uid_t user) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return {};
  struct stat info{};
  std::string text(kMostReasonBytes, '\0');
  const bool plain = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1;
  const bool theirs = plain && (info.st_uid == user || info.st_uid == 0);
  const ssize_t length = theirs ? ::read(fd, text.data(), text.size()) : 0;
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
    if (!writer || (pid > 0 && *writer != pid)) continue;
    const auto user = user_of(*writer);
    if (!user) continue;
    std::istringstream lines(beginning_of(it->path().string(), *user));
    for (std::string line; std::getline(lines, line);) {
      if (line.empty()) continue;
      sentences.push_back("process " + std::to_string(*writer) + ": " + line);
    }
  }
  std::ranges::sort(sentences);
  return sentences;
}

}  // namespace rocktune::tools
