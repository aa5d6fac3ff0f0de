// Starts the agent's threads: named, and with every signal blocked, since the handlers of the
// host's signals must not run on them.
#pragma once

#include <signal.h>

#include <cstddef>
#include <functional>
#include <thread>

namespace rocktune::agent {

// `name` has at most 15 characters. Throws when there is no thread to be had.
std::thread start_thread(const char* name, std::function<void()> run);

// Whether so many more threads can be had at once: starts them, and ends them again.
bool threads_to_be_had(std::size_t count);

// While it lives, a thread of the agent's blocks what the host's thread blocked that began the
// first of them: for calls in which RocksDB starts threads, which take that over for good. On the
// host's own threads it does nothing.
class HostsSignals {
 public:
  HostsSignals();
  ~HostsSignals();
  HostsSignals(const HostsSignals&) = delete;
  HostsSignals& operator=(const HostsSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace rocktune::agent
