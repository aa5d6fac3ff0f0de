// A process that a command starts: in a process group of its own (Ctrl-C reaches the command alone,
// which then ends its children in order), killed by the kernel should the command die, and ended by
// the destructor at the latest.
//
// Not thread-safe; start children from the main thread only (the kernel ties "parent died" to it).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/result.h"

namespace rocktune::bench {

struct ChildCommand {
  std::vector<std::string> arguments;              // [0] is the program's path
  std::map<std::string, std::string> environment;  // added to our own, without ROCKTUNED_...
  std::string log;                                 // stderr goes here
};

class Child {
 public:
  static Result<Child> start(const ChildCommand& command);
  ~Child();
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Waits up to `timeout` for output on stdout; returns the whole lines that have come.
  std::vector<std::string> read_lines(std::chrono::milliseconds timeout);
  // The exit code (128 + signal when a signal ended it); nothing while it runs.
  std::optional<int> exit_code();
  // User and system time of the process and of those it waited for; nothing while it runs.
  [[nodiscard]] std::optional<double> cpu_seconds() const { return cpu_seconds_; }
  // SIGTERM, and SIGKILL if it has not ended within `patience`; returns the exit code.
  int stop(std::chrono::milliseconds patience);

 private:
  Child(pid_t pid, int output) : pid_(pid), output_(output) {}
  bool reap(int options);
  pid_t pid_ = -1;
  int output_ = -1;  // the reading end of its stdout; -1 once it is closed
  std::string partial_;
  std::optional<int> exit_code_;
  std::optional<double> cpu_seconds_;
};

}  // namespace rocktune::bench
