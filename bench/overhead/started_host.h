// A host process that was started to be measured, and its agent's socket.
//
// Not thread-safe; start it from the main thread, and no Poller may be running then (child.h).
#pragma once

#include <map>
#include <string>

#include "bench/overhead/host.h"
#include "bench/trial/child.h"
#include "model/result.h"

namespace rocktune::bench {

class StartedHost {
 public:
  // The agent's directory and the log lie in `directory`.
  static Result<StartedHost> start(const OverheadHost& settings, const std::string& directory,
                                   const std::map<std::string, std::string>& environment);

  [[nodiscard]] const std::string& socket() const { return socket_; }
  [[nodiscard]] const std::string& process() const { return process_; }  // "/proc/4711"
  // Its next line on stdout. An Error when it ends without one, or a signal asks us to stop.
  Result<std::string> wait_for_line();
  // All of its threads, RocksDB's and the agent's too, stand still until resume().
  void pause() const;
  void resume() const;
  // Asks it to print its last line.
  void finish() const;

 private:
  StartedHost(Child child, const std::string& directory);
  Child child_;
  std::string log_;
  std::string process_;
  std::string socket_;
};

}  // namespace rocktune::bench
