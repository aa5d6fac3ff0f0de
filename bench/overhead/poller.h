// Asks an agent for the samples of its databases at a fixed interval, as a daemon does, from a
// thread of its own, until it is destroyed.
//
// Thread-safety: one thread makes and asks it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

namespace rocktune::bench {

class Poller {
 public:
  // Waits for the socket to come, for as long as it takes.
  Poller(std::string socket_path, std::chrono::milliseconds interval);
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  [[nodiscard]] std::uint64_t polls() const { return polls_.load(); }  // answered
  [[nodiscard]] std::uint64_t bytes() const { return bytes_.load(); }  // of samples, in all

 private:
  void run();
  void poll_until_it_fails();
  bool wait_until(std::chrono::steady_clock::time_point due) const;  // false: it is to stop

  const std::string socket_path_;
  const std::chrono::milliseconds interval_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> polls_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::thread thread_;
};

}  // namespace rocktune::bench
