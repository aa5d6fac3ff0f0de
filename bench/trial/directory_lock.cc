#include "bench/trial/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace rocktune::bench {

Result<DirectoryLock> DirectoryLock::take(const std::string& directory, const std::string& who) {
  const std::string path = directory + "/" + kLockFile;
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return fail(ErrorCode::kIo, path + ": " + std::strerror(errno));
  DirectoryLock lock(file);
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return lock;
  return fail(ErrorCode::kConflict, directory + ": another " + who + " works in it");
}

DirectoryLock::~DirectoryLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace rocktune::bench
