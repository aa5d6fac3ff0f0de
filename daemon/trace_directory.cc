#include "daemon/trace_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "model/text.h"

namespace rocktune::daemon {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTracePrefix = "rocktune-";
constexpr std::string_view kSuffix = ".sqlite";
constexpr std::array<const char*, 3> kParts{"", "-wal", "-shm"};
// What whoever has a database open in WAL mode holds a read lock on (sqlite.org/lockingv3.html).
constexpr off_t kSharedFirst = 0x40000002, kSharedBytes = 510;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::string trace_file_name(Nanoseconds wall, std::int64_t pid) {
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(wall).count();
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &utc);
  return std::string(kTracePrefix) + text.data() + "-" + std::to_string(pid) + std::string(kSuffix);
}

bool is_trace_file_name(std::string_view name) {
  if (!name.starts_with(kTracePrefix) || !name.ends_with(kSuffix)) return false;
  name.remove_prefix(kTracePrefix.size());
  constexpr std::string_view kTime = "00000000T000000Z-";
  if (name.size() <= kTime.size() + kSuffix.size()) return false;
  name.remove_suffix(kSuffix.size());
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char wanted = i < kTime.size() ? kTime[i] : '0';
    if (wanted == '0' ? !is_digit(name[i]) : name[i] != wanted) return false;
  }
  return true;
}

std::vector<TraceFile> expired_traces(std::vector<TraceFile> files, const std::string& keep,
                                      Nanoseconds now, Bytes max_size, Nanoseconds max_age) {
  std::sort(files.begin(), files.end(), [](const TraceFile& a, const TraceFile& b) {
    return std::pair(a.modified, a.path) < std::pair(b.modified, b.path);
  });
  std::int64_t total = 0;
  for (const TraceFile& file : files) total += file.size.value;
  std::vector<TraceFile> expired;
  for (const TraceFile& file : files) {
    if (file.path == keep) continue;
    if (now - file.modified <= max_age && total <= max_size.value) continue;
    total -= file.size.value;
    expired.push_back(file);
  }
  return expired;
}

Result<std::vector<TraceFile>> list_traces(const std::string& directory) {
  std::vector<TraceFile> files;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    const std::string path = it->path().string();
    if (!is_trace_file_name(it->path().filename().string())) continue;
    TraceFile file{path, {}, {}};
    for (const char* part : kParts) {
      struct stat info{};
      if (::lstat((path + part).c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
      file.size.value += static_cast<std::int64_t>(info.st_size);
      file.modified =
          std::max(file.modified, Nanoseconds(std::chrono::seconds(info.st_mtim.tv_sec)));
    }
    files.push_back(std::move(file));
  }
  if (error) return fail(ErrorCode::kIo, directory + ": " + error.message());
  return files;
}

bool is_open_elsewhere(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return false;
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kSharedFirst;
  lock.l_len = kSharedBytes;
  const bool held = ::fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  ::close(fd);
  return held;
}

Result<void> remove_trace(const TraceFile& file) {
  for (const char* part : kParts) {
    std::error_code error;
    fs::remove(file.path + part, error);
    if (error) return fail(ErrorCode::kIo, file.path + part + ": " + error.message());
  }
  return {};
}

Bytes trace_reserve(Bytes file_system) {
  return std::min(1_GiB, Bytes{file_system.value / 20});
}

std::optional<DiskSpace> disk_space(const std::string& directory) {
  struct statvfs space{};
  if (::statvfs(directory.c_str(), &space) != 0) return std::nullopt;
  const auto bytes = [&](fsblkcnt_t blocks) {
    return Bytes{static_cast<std::int64_t>(blocks * space.f_frsize)};
  };
  return DiskSpace{bytes(space.f_bavail), bytes(space.f_blocks)};
}

Result<void> check_room(const std::string& directory, const std::optional<DiskSpace>& space) {
  if (!space) return {};
  const Bytes reserve = trace_reserve(space->all);
  if (space->free.value >= reserve.value) return {};
  return fail(ErrorCode::kIo, directory + " has " +
                                  text::bytes(static_cast<double>(space->free.value)) +
                                  " free, and a trace leaves " +
                                  text::bytes(static_cast<double>(reserve.value)) + " of its disk");
}

Result<void> ensure_directory(const std::string& directory, const std::string& what, Log& log) {
  std::error_code error;
  if (fs::create_directories(directory, error)) {
    log.info("made the directory " + directory + " for " + what + ": there was none");
  }
  if (!error) return {};
  return fail(ErrorCode::kIo, "cannot make the directory of " + what + ", " + directory + ": " +
                                  error.message() + "; make it, or name another one in the config" +
                                  read_only_advice(error.value()));
}

Result<void> check_not_read_only(const std::string& directory) {
  if (::access(directory.c_str(), W_OK) == 0 || errno != EROFS) return {};
  return fail(ErrorCode::kPermission, directory + " cannot be written to: " + std::strerror(EROFS) +
                                          read_only_advice(EROFS));
}

std::string read_only_advice(int error) {
  return error == EROFS ? " (under systemd name it in ReadWritePaths= of a drop-in: "
                          "docs/operate.md, \"Files elsewhere\")"
                        : "";
}

}  // namespace rocktune::daemon
