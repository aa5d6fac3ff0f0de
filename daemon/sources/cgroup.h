// Where a process's control groups are, of version 2 and of version 1.
#pragma once

#include <functional>
#include <string>

#include "model/result.h"
#include "model/sample.h"

namespace rocktune::daemon {

// Directories under <sys_root>/fs/cgroup; empty where the process has none (or only the root's).
struct CgroupDirs {
  std::string v2, v2_root;
  std::string v1_memory, v1_memory_root;
  std::string v1_cpu, v1_cpu_root;
  std::string v1_io;
};

// From /proc/<pid>/cgroup (cgroups(7)). A process in the root group has empty directories.
Result<CgroupDirs> find_cgroups(const std::string& proc_root, const std::string& sys_root,
                                std::int64_t pid);

// Calls `look` with the group's directory and each of its ancestors below the root.
void upwards(const std::string& dir, const std::string& root,
             const std::function<void(const std::string&)>& look);

// CPUs that the quota allows (the least of the group and its ancestors); absent: no quota.
std::optional<double> cgroup_cpus(const CgroupDirs& dirs);

struct CgroupMemory {
  std::optional<std::uint64_t> limit_bytes;
  // Usage without what the kernel can drop at once (inactive file pages), of the limiting group.
  std::optional<std::uint64_t> working_set_bytes;
};
CgroupMemory cgroup_memory(const CgroupDirs& dirs);

}  // namespace rocktune::daemon
