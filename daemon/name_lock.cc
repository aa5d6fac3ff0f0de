#include "daemon/name_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "daemon/agents/session.h"
#include "files/make_way.h"

namespace rocktune::daemon {
namespace {

// Each user's own: what one cannot reach another may turn.
std::string file_of(const std::string& directory, const std::string& name) {
  return directory + "/" + url_escape(name) + "." + std::to_string(::geteuid()) + ".lock";
}

Error cannot_lock(const std::string& path, const std::string& why) {
  return {ErrorCode::kIo, "cannot lock " + path + ": " + why +
                              "; a second rocktuned of this name would not be noticed"};
}

Error taken(const std::string& directory, const std::string& name, pid_t by) {
  const std::string who = by > 0 ? "pid " + std::to_string(by) : "in another PID namespace";
  return {ErrorCode::kConflict, "another rocktuned (" + who + ") is called '" + name +
                                    "' and looks after the agents in " + directory +
                                    ": stop it, or give one of them another daemon.name"};
}

}  // namespace

Result<NameLock> NameLock::take(const std::string& directory, const std::string& name) {
  const std::string path = file_of(directory, name);
  make_way(path);
  constexpr mode_t kOwnerOnly = 0600;  // who cannot open it cannot lock it
  const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  NameLock lock(::open(path.c_str(), flags, kOwnerOnly));
  struct stat info{};
  if (lock.fd_ < 0 || ::fstat(lock.fd_, &info) != 0) {
    return tl::unexpected<Error>(cannot_lock(path, std::strerror(errno)));
  }
  // Whoever it belongs to could hold it without being a rocktuned.
  if (info.st_uid != ::geteuid() || !S_ISREG(info.st_mode)) {
    return tl::unexpected<Error>(cannot_lock(
        path, "it is no file of this user (uid " + std::to_string(info.st_uid) + "): remove it"));
  }
  struct flock wanted{};
  wanted.l_type = F_WRLCK;
  while (::fcntl(lock.fd_, F_SETLK, &wanted) != 0) {
    struct flock held = wanted;
    const bool busy = errno == EAGAIN || errno == EACCES;
    if (!busy || ::fcntl(lock.fd_, F_GETLK, &held) != 0) {
      return tl::unexpected<Error>(cannot_lock(path, std::strerror(errno)));
    }
    if (held.l_type == F_UNLCK) continue;  // it has just ended
    return tl::unexpected<Error>(taken(directory, name, held.l_pid));
  }
  return lock;
}

NameLock::NameLock(NameLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

NameLock& NameLock::operator=(NameLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

bool NameLock::is_in(const std::string& directory, const std::string& name) const {
  struct stat here{}, there{};
  return ::fstat(fd_, &here) == 0 && ::lstat(file_of(directory, name).c_str(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

NameLock::~NameLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace rocktune::daemon
