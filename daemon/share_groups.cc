#include "daemon/share_groups.h"

#include <algorithm>
#include <utility>

#include "daemon/sources/host_source.h"
#include "files/peer_process.h"
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

void ShareGroups::say_members(Nanoseconds now, const SettledGroups::Groups& groups) {
  groups_.update(now, groups, [&](const auto& what, const auto& told, const auto& members) {
    if (members.empty()) {
      say(what + " is shared no longer by " + list_of(told));
    } else {
      say(std::to_string(members.size()) + " databases share " + what + ": " + list_of(members));
    }
  });
}

void ShareGroups::say_divided(Nanoseconds now, const SettledGroups::Groups& divided) {
  divided_.update(now, divided, [&](const auto& device, const auto&, const auto& members) {
    say("background writing on " + device +
        (members.empty() ? " is free again"
                         : " is divided by need and weight: one of its databases suffers from the "
                           "others'"));
  });
}

ShareGroups::Gathered ShareGroups::gather(bool all_users, const Targets& targets) {
  Gathered gathered;
  for (const auto& [path, target] : targets) {
    std::optional<ShareMember> member = target->share_member();
    if (!member) {
      target->share(std::nullopt);
      continue;
    }
    if (!member->device.empty()) {
      gathered.device_names.try_emplace(member->device, target->device_name());
    }
    const uid_t user = target->share_user();
    const bool trusted = all_users || is_trusted(user);
    Circle& circle = gathered.circles[trusted ? 0 : user];
    if (!trusted) circle.suffix = " of uid " + std::to_string(user);
    circle.members.push_back(*std::move(member));
  }
  return gathered;
}

void ShareGroups::update(Nanoseconds now, const HostBudget& host, bool all_users,
                         const Targets& targets) {
  const auto [circles, device_names] = gather(all_users, targets);
  std::erase_if(sharing_, [&](const auto& known) { return !circles.contains(known.first); });
  const bool shares = std::ranges::any_of(
      circles, [](const auto& circle) { return circle.second.members.size() > 1; });
  if (shares && !host_cpus_ && !shares_) {
    host_cpus_ = read_host_cpus(proc_root_, journal_.log());
  }
  shares_ = shares;
  SettledGroups::Groups groups, divided;
  for (const auto& [user, circle] : circles) {
    const Sharing::Slices slices = sharing_[user].update(now, host, host_cpus_, circle.members);
    for (const ShareMember& member : circle.members) {
      Target& target = *targets.at(member.name);
      const auto slice = slices.find(member.name);
      target.share(slice == slices.end() ? std::nullopt : std::optional(slice->second));
      groups[kTheHost + circle.suffix].insert(target.name());
      if (member.device.empty()) continue;
      const std::string device = device_names.at(member.device) + circle.suffix;
      groups[device].insert(target.name());
      if (slice != slices.end() && slice->second.background_max_bytes_per_second) {
        divided[device] = {device};
      }
    }
  }
  std::erase_if(groups, [](const auto& group) { return group.second.size() < 2; });
  say_members(now, groups);
  say_divided(now, divided);
}

}  // namespace rocktune::daemon
