// What a process and the agent's threads in it have used, from /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "model/result.h"

namespace rocktune::bench {

// CPU time of the agent's threads, known by their names (schedstat, in nanoseconds; a thread that
// has ended is not in it). `process` is the directory: "/proc/4711".
Result<std::uint64_t> agent_cpu_ns(const std::string& process);

// Bytes in memory (smaps_rollup): all of the process, and the part that no file backs.
struct Memory {
  std::uint64_t resident = 0;
  std::uint64_t anonymous = 0;
};
Result<Memory> memory_of(const std::string& process);

// User and system time of this whole process, in seconds.
double own_cpu_seconds();

}  // namespace rocktune::bench
