// sd_notify(3) without libsystemd: one datagram to $NOTIFY_SOCKET. Does nothing where systemd is
// not the parent.
#pragma once

#include <string>

#include "model/clock.h"

namespace rocktune::daemon {

class Notifier {
 public:
  // `socket` is NOTIFY_SOCKET's value ("/path" or "@abstract"), empty: off. `watchdog_usec` is
  // WATCHDOG_USEC's.
  Notifier(std::string socket, const std::string& watchdog_usec);
  static Notifier from_environment();

  void ready(const std::string& status) const;  // READY=1
  void reloading(Nanoseconds monotonic) const;  // RELOADING=1
  void stopping() const;                        // STOPPING=1
  void alive() const;                           // WATCHDOG=1
  // How often systemd wants to hear that; 0: no watchdog.
  [[nodiscard]] Nanoseconds every() const { return every_; }

  [[nodiscard]] bool enabled() const { return !socket_.empty(); }

 private:
  bool send(const std::string& message) const;
  std::string socket_;
  Nanoseconds every_{0};  // half of the watchdog's period
};

}  // namespace rocktune::daemon
