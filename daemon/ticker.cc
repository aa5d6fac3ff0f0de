#include "daemon/ticker.h"

namespace rocktune::daemon {

Instant system_now() {
  return {std::chrono::system_clock::now().time_since_epoch(),
          std::chrono::steady_clock::now().time_since_epoch()};
}

void AsioTicker::wake_at(Nanoseconds tick, std::function<void()> wake) {
  timer_.expires_at(std::chrono::steady_clock::time_point(tick));
  timer_.async_wait([wake = std::move(wake)](const boost::system::error_code& error) {
    if (!error) wake();
  });
}

void AsioTicker::cancel() {
  timer_.cancel();
}

}  // namespace rocktune::daemon
