// ShareGroups: who shares what with whom among the daemon's databases, and each one's slices, made
// anew at each poll from what the polls before it said. policy/sharing.h divides; this knows the
// targets, reads how many CPUs the host has, and says in the alert log when a group has formed,
// changed or ended for longer than a short visit. Not thread-safe: one strand with the targets.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/journal.h"
#include "daemon/settled_groups.h"
#include "daemon/target.h"
#include "policy/sharing.h"

namespace rocktune::daemon {

class ShareGroups {
 public:
  ShareGroups(Journal& journal, std::string proc_root)
      : journal_(journal), proc_root_(std::move(proc_root)) {}

  // Before the samples of a poll are taken: gives each target its slices for that sample. Who
  // belongs to a user that is not trusted (files/peer_process.h) shares with that user's only,
  // unless `all_users`: what an agent says of itself takes nothing from another user's database.
  void update(Nanoseconds now, const HostBudget& host, bool all_users, const Targets& targets);

 private:
  // Who share with each other, by path: of one user, or of all who trust each other.
  struct Circle {
    std::vector<ShareMember> members;
    std::string suffix;  // of its groups' names
  };
  struct Gathered {
    std::map<uid_t, Circle> circles;  // 0: the trusted
    // By device. Databases on one emulated device have names of their own for it: the first one's
    // counts.
    std::map<std::string, std::string> device_names;
  };
  static Gathered gather(bool all_users, const Targets& targets);
  void say_members(Nanoseconds now, const SettledGroups::Groups& groups);
  void say_divided(Nanoseconds now, const SettledGroups::Groups& divided);
  void say(const std::string& message);

  Journal& journal_;
  std::string proc_root_;
  std::map<uid_t, Sharing> sharing_;
  // "the host", or a device's name, with whose it is: the names of its members.
  SettledGroups groups_;
  SettledGroups divided_;  // devices whose background writing is divided; each its own member
  bool shares_ = false;    // at the last poll
  std::optional<double> host_cpus_;
};

}  // namespace rocktune::daemon
