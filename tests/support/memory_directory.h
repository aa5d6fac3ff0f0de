// A directory for the whole run of a program that opens databases all the time: in memory where
// there is room, since opening one is mostly waiting for the disk.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace rocktune::tests {

// What is free there: the largest of these programs asks for 64 MiB at a time, several run at once,
// and a container has 64 MiB of /dev/shm in all unless it is told otherwise.
constexpr std::uint64_t kLeastMemory = std::uint64_t{1} << 30;

inline bool has_room(const char* directory) {
  struct statvfs space{};
  return ::access(directory, W_OK) == 0 && ::statvfs(directory, &space) == 0 &&
         std::uint64_t{space.f_bavail} * space.f_frsize >= kLeastMemory;
}

// "NAME.123.Ab3dEf" -> 123, for that NAME; 0 for any other name.
inline pid_t maker_of(std::string_view directory, std::string_view name) {
  constexpr std::size_t kRandom = 7;  // ".XXXXXX"
  if (!directory.starts_with(name) || directory.size() <= name.size() + 1 + kRandom) return 0;
  directory.remove_prefix(name.size());
  if (directory.front() != '.' || directory[directory.size() - kRandom] != '.') return 0;
  const char* const end = directory.data() + directory.size() - kRandom;
  pid_t pid = 0;
  const auto read = std::from_chars(directory.data() + 1, end, pid);
  return read.ec == std::errc() && read.ptr == end && pid > 0 ? pid : 0;
}

// Removes this user's directories of that name whose program was killed. Both must hold: no process
// has that pid, and nobody holds the lock (a process of another container has another number here).
inline void remove_abandoned(const std::filesystem::path& parent, std::string_view name) {
  std::error_code error;
  std::filesystem::directory_iterator it(parent, error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    const pid_t maker = maker_of(it->path().filename().string(), name);
    if (maker == 0 || ::kill(maker, 0) == 0 || errno != ESRCH) continue;
    const int fd = ::open(it->path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) continue;
    struct stat info{};
    const bool own = ::fstat(fd, &info) == 0 && info.st_uid == ::geteuid();
    std::error_code ignored;
    if (own && ::flock(fd, LOCK_EX | LOCK_NB) == 0) {
      std::filesystem::remove_all(it->path(), ignored);
    }
    ::close(fd);
  }
}

// Made, and locked to the end of the process where the file system has locks; empty where it cannot
// be made. Those of killed runs are removed.
inline std::string make_memory_directory(const std::string& name) {
  std::error_code error;
  const std::filesystem::path memory = "/dev/shm";
  const auto on_disk = std::filesystem::temp_directory_path(error);
  remove_abandoned(memory, name);
  if (!error) remove_abandoned(on_disk, name);
  const auto parent = has_room(memory.c_str()) ? memory : on_disk;
  std::string path = parent / (name + "." + std::to_string(::getpid()) + ".XXXXXX");
  if (::mkdtemp(path.data()) == nullptr) return {};
  const int held = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (held >= 0) static_cast<void>(::flock(held, LOCK_EX | LOCK_NB));
  return path;
}

}  // namespace rocktune::tests
