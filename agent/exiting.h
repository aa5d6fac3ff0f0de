// Whether exit() has begun, as far as its handlers have told the agent. What RocksDB keeps in
// static objects (the tables by which it parses options, the clock of its LOG) may be gone from
// then on, on the thread of a static destructor that closes a database.
//
// Thread-safety: all functions.
#pragma once

#include <atomic>

namespace rocktune::agent {

inline std::atomic<bool>& exit_begun() noexcept {
  static constinit std::atomic<bool> begun{false};  // nothing destroys it
  return begun;
}

inline bool exiting() noexcept {
  return exit_begun().load();
}

}  // namespace rocktune::agent
