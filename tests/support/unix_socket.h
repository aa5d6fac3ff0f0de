// Unix sockets by path, for tests that want a listener of their own.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "tests/support/catch.h"

namespace rocktune::tests {

// A descriptor that ends with it.
class UnixSocket {
 public:
  enum class End { kListens, kConnects };
  UnixSocket(const std::string& path, End end)
      : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    REQUIRE(fd_ >= 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    REQUIRE(path.size() < sizeof address.sun_path);
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    const auto* const at = reinterpret_cast<const sockaddr*>(&address);
    if (end == End::kConnects) {
      REQUIRE(::connect(fd_, at, sizeof address) == 0);
    } else {
      REQUIRE(::bind(fd_, at, sizeof address) == 0);
      REQUIRE(::listen(fd_, 8) == 0);
    }
  }
  ~UnixSocket() { ::close(fd_); }
  UnixSocket(const UnixSocket&) = delete;
  UnixSocket& operator=(const UnixSocket&) = delete;

  [[nodiscard]] int descriptor() const { return fd_; }

 private:
  int fd_;
};

}  // namespace rocktune::tests
