#include "daemon/share_groups.h"

#include <utility>
#include <vector>

#include "daemon/sources/host_source.h"
#include "files/text_file.h"

namespace rocktune::daemon {
namespace {

const std::string kTheHost = "the host";

std::optional<double> read_host_cpus(const std::string& proc_root, Log& log) {
  const Result<std::string> text = read_text_file(proc_root + "/stat");
  const Result<std::uint64_t> cpus =
      text ? parse_host_cpus(*text) : tl::unexpected<Error>(text.error());
  if (cpus) return static_cast<double>(*cpus);
  log.warn(
      "how many CPUs the host has cannot be read, so that background jobs are divided only if "
      "shared.jobs_max is set: " +
      cpus.error().message);
  return std::nullopt;
}

std::string list_of(const std::set<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

}  // namespace

void ShareGroups::say(const std::string& message) {
  journal_.event("", 0, "daemon", "share", message);
}

void ShareGroups::say_members(const Groups& groups) {
  for (const auto& [what, members] : groups) {
    const auto before = groups_.find(what);
    if (before != groups_.end() && before->second == members) continue;
    say(std::to_string(members.size()) + " databases share " + what + ": " + list_of(members));
  }
  for (const auto& [what, members] : groups_) {
    if (!groups.contains(what)) say(what + " is shared no longer by " + list_of(members));
  }
}

void ShareGroups::say_divided(const std::set<std::string>& divided) {
  for (const std::string& device : divided) {
    if (divided_.contains(device)) continue;
    say("background writing on " + device +
        " is divided by need and weight from now on: one of its databases suffers from the "
        "others'");
  }
  for (const std::string& device : divided_) {
    if (!divided.contains(device)) say("background writing on " + device + " is free again");
  }
}

void ShareGroups::update(Nanoseconds now, const HostBudget& host, const Targets& targets) {
  std::vector<ShareMember> members;
  Groups groups;
  // Databases on one emulated device have names of their own for it: the first one's counts.
  std::map<std::string, std::string> device_names;
  std::map<std::string, std::string> device_of;  // names, by path
  for (const auto& [path, target] : targets) {
    std::optional<ShareMember> member = target->share_member();
    if (!member) {
      target->share(std::nullopt);
      continue;
    }
    groups[kTheHost].insert(target->name());
    if (!member->device.empty()) {
      const std::string& device =
          device_names.try_emplace(member->device, target->device_name()).first->second;
      device_of[path] = device;
      groups[device].insert(target->name());
    }
    members.push_back(*std::move(member));
  }
  std::erase_if(groups, [](const auto& group) { return group.second.size() < 2; });
  if (members.size() > 1 && !host_cpus_ && !groups_.contains(kTheHost)) {
    host_cpus_ = read_host_cpus(proc_root_, journal_.log());
  }
  const Sharing::Slices slices = sharing_.update(now, host, host_cpus_, members);
  std::set<std::string> divided;
  for (const auto& [path, slice] : slices) {
    targets.at(path)->share(slice);
    if (slice.background_max_bytes_per_second) divided.insert(device_of[path]);
  }
  for (const ShareMember& member : members) {
    if (!slices.contains(member.name)) targets.at(member.name)->share(std::nullopt);
  }
  say_members(groups);
  say_divided(divided);
  groups_ = std::move(groups);
  divided_ = std::move(divided);
}

}  // namespace rocktune::daemon
