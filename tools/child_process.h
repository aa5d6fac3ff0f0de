// Runs another program to its end and keeps what it wrote. For programs that take seconds.
//
// The child is in a process group of its own, so that Ctrl-C reaches this process alone, which then
// ends the child in order; the kernel kills it should this process die. Not thread-safe; call from
// the main thread (the kernel ties "parent died" to it).
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include "model/result.h"

namespace rocktune::tools {

struct ChildRequest {
  std::vector<std::string> arguments;  // [0]: the program's path
  int file = -1;                       // an open file that the child gets as descriptor 3; -1: none
  double seconds = 60;                 // then it is ended
};

struct ChildOutput {
  int exit_code = 0;  // 128 + signal when a signal ended it
  std::string out, err;
};

// `stop` not zero: the child is ended (SIGTERM, after 3 s SIGKILL). kUnavailable: it was stopped or
// took too long. Output beyond 4 MiB is dropped.
Result<ChildOutput> run_child(const ChildRequest& request, const volatile std::sig_atomic_t& stop);

}  // namespace rocktune::tools
