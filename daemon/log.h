// Log: the daemon's own log, for people: what it found, what it could not do. What it saw and did
// to databases is in the alert log. Writes to stderr (journald) or to a file, without control
// characters; never throws. Not thread-safe: the daemon has one thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "model/result.h"

namespace rocktune::daemon {

class Log {
 public:
  Log();  // level info, to stderr
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // `file` is "stderr" or a path. Called again it closes and opens anew (after logrotate).
  // On an error the old destination stays in use.
  Result<void> open(std::string_view level, const std::string& file);

  void debug(std::string_view message);
  void info(std::string_view message);
  void warn(std::string_view message);
  void error(std::string_view message);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rocktune::daemon
