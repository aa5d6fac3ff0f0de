#include "daemon/http/unix_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "files/make_way.h"

namespace rocktune::daemon {
namespace {

int new_socket() {
  return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

const sockaddr* as_sockaddr(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

const char* advice(int error) {
  if (error != EACCES) return "";
  return "; run rocktuned as root, or set daemon.control_socket to a path of your own "
         "(docs/operate.md, \"Who may do what\")";
}

// Of a file that was removed while rocktuned runs.
const char* advice_again(int error) {
  switch (error) {
    case ENOENT:
      return "; make its directory anew, or restart rocktuned, which does";
    case EROFS:  // under the systemd unit, whose sandbox lets nothing else be written
      return "; restart rocktuned";
    default:
      return "";
  }
}

Error problem(const std::string& path, const char* what) {
  const int error = errno;
  return {ErrorCode::kIo, "cannot " + std::string(what) + " the control socket " + path + ": " +
                              std::strerror(error) + advice(error)};
}

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return fail(ErrorCode::kInvalidArgument, path + ": too long for a Unix socket's path");
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

// Removes a socket that nobody listens on; an error when somebody does, or when it is no socket.
Result<void> clear_stale(const std::string& path, const sockaddr_un& address) {
  make_way(path);
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) return {};
  if (!S_ISSOCK(info.st_mode)) {
    return fail(ErrorCode::kIo, path +
                                    " is there and is no socket: remove it, or set "
                                    "daemon.control_socket to another path");
  }
  const int probe = new_socket();
  if (probe < 0) return tl::unexpected<Error>(problem(path, "probe"));
  const int connected = ::connect(probe, as_sockaddr(address), sizeof address);
  const int error = errno;
  ::close(probe);
  if (connected == 0 || error == EAGAIN) {
    return fail(ErrorCode::kConflict,
                "another rocktuned answers on " + path +
                    ": stop it, or set daemon.control_socket to another path");
  }
  errno = error;
  if (error != ECONNREFUSED) return tl::unexpected<Error>(problem(path, "probe"));
  if (::unlink(path.c_str()) != 0) return tl::unexpected<Error>(problem(path, "replace"));
  return {};
}

}  // namespace

Result<UnixSocket> UnixSocket::listen(const std::string& path) {
  const Result<sockaddr_un> address = address_of(path);
  if (!address) return tl::unexpected<Error>(address.error());
  if (const Result<void> clear = clear_stale(path, *address); !clear) {
    return tl::unexpected<Error>(clear.error());
  }
  return bind(path, *address);
}

Result<UnixSocket> UnixSocket::listen_again(const std::string& path) {
  const Result<sockaddr_un> address = address_of(path);
  if (!address) return tl::unexpected<Error>(address.error());
  make_way(path);
  Result<UnixSocket> socket = bind(path, *address);
  if (socket) return socket;
  Error error = socket.error();
  error.message += advice_again(errno);
  return tl::unexpected<Error>(std::move(error));
}

Result<UnixSocket> UnixSocket::bind(const std::string& path, const sockaddr_un& address) {
  const int fd = new_socket();
  if (fd < 0) return tl::unexpected<Error>(problem(path, "make"));
  const mode_t before = ::umask(0177);
  const bool bound = ::bind(fd, as_sockaddr(address), sizeof address) == 0;
  const bool listening = bound && ::listen(fd, SOMAXCONN) == 0;
  const int error = errno;
  ::umask(before);
  if (listening) return UnixSocket(path, fd);
  if (bound) ::unlink(path.c_str());
  ::close(fd);
  errno = error;
  Error problem_here = problem(path, "bind");
  errno = error;
  return tl::unexpected<Error>(std::move(problem_here));
}

UnixSocket::UnixSocket(UnixSocket&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

UnixSocket::~UnixSocket() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(path_.c_str());
}

int UnixSocket::release() {
  return std::exchange(fd_, -1);
}

std::uint64_t inode_of(const std::string& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_ino) : 0;
}

void remove_if_ours(const std::string& path, std::uint64_t inode) {
  if (inode != 0 && inode_of(path) == inode) ::unlink(path.c_str());
}

}  // namespace rocktune::daemon
