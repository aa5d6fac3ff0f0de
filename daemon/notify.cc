#include "daemon/notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "files/words.h"

namespace rocktune::daemon {

Notifier::Notifier(std::string socket, const std::string& watchdog_usec)
    : socket_(std::move(socket)) {
  if (const auto period = parse_unsigned(watchdog_usec)) {
    every_ = std::chrono::microseconds(*period / 2);
  }
}

Notifier Notifier::from_environment() {
  const char* socket = std::getenv("NOTIFY_SOCKET");
  const char* watchdog = std::getenv("WATCHDOG_USEC");
  return {socket == nullptr ? "" : socket, watchdog == nullptr ? "" : watchdog};
}

bool Notifier::send(const std::string& message) const {
  sockaddr_un address{};
  if (socket_.empty() || socket_.size() >= sizeof address.sun_path) return false;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_.front() == '@') address.sun_path[0] = '\0';  // an abstract name
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  const ssize_t sent = ::sendto(fd, message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                                reinterpret_cast<const sockaddr*>(&address), length);
  ::close(fd);
  return sent == static_cast<ssize_t>(message.size());
}

void Notifier::ready(const std::string& status) const {
  send("READY=1\nSTATUS=" + status);
}
void Notifier::stopping() const {
  send("STOPPING=1");
}
void Notifier::reloading(Nanoseconds monotonic) const {
  send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(monotonic.count() / 1000));
}

void Notifier::alive() const {
  send("WATCHDOG=1");
}

}  // namespace rocktune::daemon
