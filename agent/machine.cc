#include "agent/machine.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <thread>
#include <vector>

namespace rocktune::agent {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

std::int64_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return kNoLimit;
  return static_cast<std::int64_t>(pages) * page;
}

std::int64_t limit_in(const std::string& path) {
  std::ifstream file(path);
  std::int64_t bytes = 0;
  return file >> bytes && bytes > 0 ? bytes : kNoLimit;  // "max" is no number
}

std::int64_t most_jobs() {
  constexpr std::int64_t kForEachCpu = 4;
  const auto cpus = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  return std::clamp<std::int64_t>(kForEachCpu * cpus, 16, 128);
}

// The host needs descriptors for its own files and connections: an eighth, at least 64.
std::int64_t most_open_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kNoLimit;
  const auto files = static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, kNoLimit));
  return std::max<std::int64_t>(64, files - std::max<std::int64_t>(64, files / 8));
}

// Of the process's cgroup and those above it, by version 2 and by this controller of version 1. In
// a container the cgroup of its own is what is mounted; of a service of systemd's it is below that,
// at the path that /proc tells: "0::/system.slice/db.service", or "9:memory:/db" (version 1).
std::vector<std::string> own_cgroups(const std::string& root, const std::string& controller) {
  const std::string v2 = root + "/sys/fs/cgroup";
  const std::string v1 = v2 + "/" + controller;
  std::vector<std::string> directories{v2, v1};
  std::ifstream own(root + "/proc/self/cgroup");
  for (std::string line; std::getline(own, line);) {
    const auto colon = line.find(":/");
    if (colon == std::string::npos) continue;
    const bool is_v2 = line.starts_with("0::");
    if (!is_v2 && !line.substr(0, colon).ends_with(":" + controller)) continue;
    for (auto path = line.substr(colon + 1); path.size() > 1; path.erase(path.rfind('/'))) {
      directories.push_back((is_v2 ? v2 : v1) + path);
    }
  }
  return directories;
}

}  // namespace

std::int64_t cgroup_memory_limit(const std::string& root) {
  std::int64_t least = kNoLimit;
  for (const auto& directory : own_cgroups(root, "memory")) {
    least = std::min({least, limit_in(directory + "/memory.max"),
                      limit_in(directory + "/memory.limit_in_bytes")});
  }
  return least;
}

std::int64_t cgroup_threads_left(const std::string& root) {
  std::int64_t least = kNoLimit;
  for (const auto& directory : own_cgroups(root, "pids")) {
    const std::int64_t most = limit_in(directory + "/pids.max");
    const std::int64_t now = limit_in(directory + "/pids.current");
    if (most != kNoLimit && now != kNoLimit) least = std::min(least, most - now);
  }
  return least;
}

std::int64_t memory_bytes() {
  static const std::int64_t bytes = std::min(physical_memory(), cgroup_memory_limit(""));
  return bytes;
}

std::int64_t ceiling_of(Ceiling ceiling) {
  static const std::int64_t jobs = most_jobs();
  static const std::int64_t files = most_open_files();
  switch (ceiling) {
    case Ceiling::kMemory:
      return memory_bytes();
    case Ceiling::kQuarterOfMemory:
      return memory_bytes() / 4;
    case Ceiling::kJobs:
      return jobs;
    case Ceiling::kOpenFiles:
      return files;
    case Ceiling::kNone:
      break;
  }
  return kNoLimit;
}

}  // namespace rocktune::agent
