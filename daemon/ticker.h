// Ticker: what the main loop waits with. Injected, so that tests decide when time has come.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>

#include "model/clock.h"

namespace rocktune::daemon {

class Ticker {
 public:
  virtual ~Ticker() = default;
  // Calls `wake` once the monotonic clock has reached `tick`; a second call replaces the first.
  virtual void wake_at(Nanoseconds tick, std::function<void()> wake) = 0;
  virtual void cancel() = 0;
};

// CLOCK_MONOTONIC (what std::chrono::steady_clock is on Linux) and CLOCK_REALTIME.
Instant system_now();

class AsioTicker : public Ticker {
 public:
  explicit AsioTicker(const boost::asio::any_io_executor& executor) : timer_(executor) {}
  void wake_at(Nanoseconds tick, std::function<void()> wake) override;
  void cancel() override;

 private:
  boost::asio::steady_timer timer_;
};

}  // namespace rocktune::daemon
