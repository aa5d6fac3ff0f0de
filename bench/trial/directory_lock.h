// A directory that one process at a time works in: a locked file named "lock" in it. The kernel
// lets go of the lock when the process ends, however it ends.
#pragma once

#include <string>
#include <utility>

#include "model/result.h"

namespace rocktune::bench {

inline constexpr const char* kLockFile = "lock";

class DirectoryLock {
 public:
  // `who` is told to work there when the lock is taken: "rocktune-bench compare".
  static Result<DirectoryLock> take(const std::string& directory, const std::string& who);
  ~DirectoryLock();
  DirectoryLock(DirectoryLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  DirectoryLock& operator=(DirectoryLock&&) = delete;

 private:
  explicit DirectoryLock(int file) : file_(file) {}
  int file_ = -1;
};

}  // namespace rocktune::bench
