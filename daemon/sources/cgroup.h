// Where a process's control groups are, of version 2 and of version 1.
#pragma once

#include <functional>
#include <string>

#include "model/result.h"
#include "model/sample.h"

namespace rocktune::daemon {

// Directories under <sys_root>/fs/cgroup; empty where there is none, or it cannot be seen from
// here.
struct CgroupDirs {
  std::string v2, v2_root;
  std::string v1_memory, v1_memory_root;
  std::string v1_cpu, v1_cpu_root;
  std::string v1_io;
};

// From /proc/<pid>/cgroup (cgroups(7)). In a container the root may be the container's own group.
Result<CgroupDirs> find_cgroups(const std::string& proc_root, const std::string& sys_root,
                                std::int64_t pid);

// Calls `look` with the group's directory and each of its ancestors, the root included.
void upwards(const std::string& dir, const std::string& root,
             const std::function<void(const std::string&)>& look);

// CPUs that the quota allows (the least of the group and its ancestors); absent: no quota.
std::optional<double> cgroup_cpus(const CgroupDirs& dirs);

struct CgroupMemory {
  std::optional<std::uint64_t> limit_bytes;  // the least of the group and its ancestors
  // What the fullest of them leaves: its limit less its usage, in which pages of files, which the
  // kernel can have back, do not count.
  std::optional<std::uint64_t> available_bytes;
};
CgroupMemory cgroup_memory(const CgroupDirs& dirs);

}  // namespace rocktune::daemon
