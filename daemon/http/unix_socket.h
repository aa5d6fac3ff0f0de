// The control socket's file: only one daemon per path, mode 0600, a stale one is replaced.
#pragma once

#include <sys/un.h>

#include <cstdint>
#include <string>

#include "model/result.h"

namespace rocktune::daemon {

// A listening socket, closed and removed with this object unless released.
class UnixSocket {
 public:
  // kConflict: somebody answers on `path` already; kIo: not possible, with the reason.
  static Result<UnixSocket> listen(const std::string& path);
  // Where somebody has removed the file of before: whatever a trusted user has put there instead
  // stays (kIo). The directory has to be there.
  static Result<UnixSocket> listen_again(const std::string& path);
  ~UnixSocket();
  UnixSocket(UnixSocket&& other) noexcept;
  UnixSocket& operator=(UnixSocket&&) = delete;

  [[nodiscard]] int descriptor() const { return fd_; }
  int release();  // the descriptor is the caller's now, and so is the file
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  UnixSocket(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  static Result<UnixSocket> bind(const std::string& path, const sockaddr_un& address);
  std::string path_;
  int fd_;
};

std::uint64_t inode_of(const std::string& path);  // 0 when there is none
// Another daemon may have replaced it meanwhile: then it stays.
void remove_if_ours(const std::string& path, std::uint64_t inode);

}  // namespace rocktune::daemon
