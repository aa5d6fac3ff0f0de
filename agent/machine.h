// What the machine, or the container that the process runs in, has: bounds for values.
//
// Thread-safety: all functions. Each is read once in a process, unless it says otherwise.
#pragma once

#include <cstdint>
#include <string>

#include "agent/catalogue.h"

namespace rocktune::agent {

// The physical memory, or the limit of the process's cgroup if that is lower.
std::int64_t memory_bytes();

// The least memory limit of the process's cgroup and those above it, as far as they are seen under
// `root` ("" for the machine's own /proc and /sys); INT64_MAX for none.
std::int64_t cgroup_memory_limit(const std::string& root);

// How many more threads the process's cgroup and those above it allow (pids.max); INT64_MAX where
// nothing limits them. Read at each call.
std::int64_t cgroup_threads_left(const std::string& root);

// The greatest value under a ceiling; INT64_MAX for none.
std::int64_t ceiling_of(Ceiling ceiling);

}  // namespace rocktune::agent
