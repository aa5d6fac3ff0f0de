#include "daemon/sources/cgroup.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "files/text_file.h"
#include "files/words.h"

namespace rocktune::daemon {
namespace {

namespace fs = std::filesystem;

// Version 1 writes "no limit" as the largest multiple of the page size below 2^63.
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 60;

std::optional<std::uint64_t> number_in(const std::string& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return std::nullopt;
  const std::vector<std::string_view> words = split_words(*text);
  return words.size() == 1 ? parse_unsigned(words[0]) : std::nullopt;
}

// "name value" lines, as in memory.stat.
std::optional<std::uint64_t> named_number(const std::string& file, std::string_view name) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return std::nullopt;
  for (const std::string_view line : split_lines(*text)) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() == 2 && words[0] == name) return parse_unsigned(words[1]);
  }
  return std::nullopt;
}

// The directory of a group that is called so. In a container the root that is mounted there may be
// the container's own group, under the name that the machine has for it: then it is ours, too, and
// the process's where that is in it. A machine's own root has no limits.
std::string existing(const std::string& root, const std::string& path, const std::string& ours) {
  std::error_code error;
  if (path.size() > 1 && fs::is_directory(root + path, error)) return root + path;
  const bool in_ours = ours.size() > 1 && (path == ours || path.starts_with(ours + "/"));
  if (path != "/" && !in_ours) return {};
  const std::string there = in_ours ? root + path.substr(ours.size()) : root;
  return fs::is_directory(there, error) ? there : std::string();
}

bool lists(std::string_view controllers, std::string_view wanted) {
  std::size_t begin = 0;
  while (begin <= controllers.size()) {
    const std::size_t comma = std::min(controllers.find(',', begin), controllers.size());
    if (controllers.substr(begin, comma - begin) == wanted) return true;
    begin = comma + 1;
  }
  return false;
}

// Names of a process's groups, by controller; of version 2 by none.
using GroupNames = std::map<std::string, std::string>;

Result<GroupNames> read_names(const std::string& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return tl::unexpected<Error>(text.error());
  GroupNames names;
  for (const std::string_view line : split_lines(*text)) {  // "4:memory:/path", "0::/path"
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) {
      return fail(ErrorCode::kCorrupt, file + ": not a line of cgroups: " + std::string(line));
    }
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string path(line.substr(second + 1));
    if (path.find("..") != std::string::npos) continue;  // of another container: not seen from here
    if (line.substr(0, first) == "0" && controllers.empty()) names[""] = path;
    for (const char* one : {"memory", "blkio", "cpu"}) {
      if (lists(controllers, one)) names[one] = path;
    }
  }
  return names;
}

std::optional<double> v2_cpus(const std::string& dir) {
  const Result<std::string> text =
      read_text_file(dir + "/cpu.max");  // "max 100000", "50000 100000"
  if (!text) return std::nullopt;
  const std::vector<std::string_view> words = split_words(*text);
  if (words.size() != 2) return std::nullopt;
  const auto quota = parse_unsigned(words[0]);
  const auto period = parse_unsigned(words[1]);
  if (!quota || !period || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<double> v1_cpus(const std::string& dir) {
  const auto quota = number_in(dir + "/cpu.cfs_quota_us");  // "-1": none
  const auto period = number_in(dir + "/cpu.cfs_period_us");
  if (!quota || !period || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

void take_memory(CgroupMemory& memory, const std::string& dir, const char* limit_file,
                 const char* usage_file, const std::string& stat_prefix) {
  const auto limit = number_in(dir + limit_file);
  if (!limit || *limit >= kNoLimit) return;
  memory.limit_bytes = std::min(memory.limit_bytes.value_or(*limit), *limit);
  auto used = number_in(dir + usage_file);
  if (!used) return;
  // Pages of files can be had back, as in the machine's MemAvailable: what was read twice, too.
  for (const char* kind : {"inactive_file", "active_file"}) {
    const auto pages = named_number(dir + "/memory.stat", stat_prefix + kind);
    if (pages) used = *used - std::min(*used, *pages);
  }
  const std::uint64_t left = *limit - std::min(*limit, *used);
  memory.available_bytes = std::min(memory.available_bytes.value_or(left), left);
}

}  // namespace

void upwards(const std::string& dir, const std::string& root,
             const std::function<void(const std::string&)>& look) {
  if (dir.empty()) return;
  for (std::string at = dir; at.size() >= root.size(); at = fs::path(at).parent_path().string()) {
    look(at);
  }
}

Result<CgroupDirs> find_cgroups(const std::string& proc_root, const std::string& sys_root,
                                std::int64_t pid) {
  const Result<GroupNames> its = read_names(proc_root + "/" + std::to_string(pid) + "/cgroup");
  if (!its) return tl::unexpected<Error>(its.error());
  const GroupNames ours = read_names(proc_root + "/self/cgroup").value_or(GroupNames());
  const auto find = [&](const char* controller, const std::string& root) {
    const auto name = its->find(controller), own = ours.find(controller);
    if (name == its->end()) return std::string();
    return existing(root, name->second, own == ours.end() ? "" : own->second);
  };
  const std::string base = sys_root + "/fs/cgroup";
  std::error_code error;
  CgroupDirs dirs;
  dirs.v2_root = fs::is_directory(base + "/unified", error) ? base + "/unified" : base;
  dirs.v1_memory_root = base + "/memory";
  dirs.v1_cpu_root = base + "/cpu";
  dirs.v2 = find("", dirs.v2_root);
  dirs.v1_memory = find("memory", dirs.v1_memory_root);
  dirs.v1_cpu = find("cpu", dirs.v1_cpu_root);
  dirs.v1_io = find("blkio", base + "/blkio");
  return dirs;
}

std::optional<double> cgroup_cpus(const CgroupDirs& dirs) {
  std::optional<double> least;
  const auto take = [&least](std::optional<double> cpus) {
    if (cpus && (!least || *cpus < *least)) least = cpus;
  };
  upwards(dirs.v2, dirs.v2_root, [&](const std::string& dir) { take(v2_cpus(dir)); });
  upwards(dirs.v1_cpu, dirs.v1_cpu_root, [&](const std::string& dir) { take(v1_cpus(dir)); });
  return least;
}

CgroupMemory cgroup_memory(const CgroupDirs& dirs) {
  CgroupMemory memory;
  upwards(dirs.v2, dirs.v2_root, [&](const std::string& dir) {
    take_memory(memory, dir, "/memory.max", "/memory.current", "");
  });
  upwards(dirs.v1_memory, dirs.v1_memory_root, [&](const std::string& dir) {
    take_memory(memory, dir, "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_");
  });
  return memory;
}

}  // namespace rocktune::daemon
