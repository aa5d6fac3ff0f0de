#include "daemon/settled_groups.h"

#include <utility>

namespace rocktune::daemon {
namespace {

SettledGroups::Members members_of(const SettledGroups::Groups& groups, const std::string& what) {
  const auto found = groups.find(what);
  return found == groups.end() ? SettledGroups::Members() : found->second;
}

}  // namespace

void SettledGroups::update(Nanoseconds now, const Groups& groups, const Tell& tell) {
  std::set<std::string> known;
  for (const auto& [what, members] : groups) known.insert(what);
  for (const auto& [what, members] : told_) known.insert(what);
  std::erase_if(unsettled_, [&](const auto& one) { return !known.contains(one.first); });
  for (const std::string& what : known) {
    const Members told = members_of(told_, what), members = members_of(groups, what);
    if (members == told) {
      unsettled_.erase(what);
      continue;
    }
    Unsettled& since = unsettled_.try_emplace(what, members, now).first->second;
    if (since.members != members) since = {members, now};
    if (now - since.since < kSettleTime) continue;
    tell(what, told, members);
    unsettled_.erase(what);
    if (members.empty()) {
      told_.erase(what);
    } else {
      told_[what] = members;
    }
  }
}

}  // namespace rocktune::daemon
