// NameLock: one rocktuned of a name, user and directory of agents. Two would hold the same leases:
// neither would see the other, and no pace that the guard sets would hold any more. The kernel
// lets go of it with the process, however that ends.
#pragma once

#include <string>

#include "model/result.h"

namespace rocktune::daemon {

class NameLock {
 public:
  // By a file there, which stays. kConflict: another process has it, which the message names; any
  // other error: nobody can tell.
  static Result<NameLock> take(const std::string& directory, const std::string& name);
  ~NameLock();
  NameLock(NameLock&& other) noexcept;
  NameLock& operator=(NameLock&& other) noexcept;
  // Whether that name there is this one's: taken once more it would be free, as a process loses its
  // locks of a file with the first descriptor of it that it closes.
  [[nodiscard]] bool is_in(const std::string& directory, const std::string& name) const;

 private:
  explicit NameLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace rocktune::daemon
