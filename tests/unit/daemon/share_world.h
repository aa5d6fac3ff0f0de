// Two targets, "front" and "back", that share a host and an emulated device, as the main loop
// drives them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "daemon/share_groups.h"
#include "tests/unit/daemon/target_world.h"

namespace rocktune::daemon::test {

struct ShareWorld : TargetWorld {
  ShareWorld() {
    tree.file("proc/stat", "cpu  1 0 1 9 0 0 0 0 0 0\ncpu0 1 0 1 9 0\ncpu1 1 0 1 9 0\nintr 5\n");
    tree.file("front.device/stat", "0 0 0 0 0 0 0 0 0 0 0\n");
    tree.link("back.device", tree.path("front.device"));
    for (const char* name : {"front", "back"}) open(name);
  }

  TargetRule rule(const std::string& name) const {
    TargetRule rule;
    rule.path = tree.path(name);
    rule.name = name;
    rule.mode = Mode::kAct;
    return rule;
  }

  void open(const std::string& name, uid_t user = 0) {
    const Roots roots{tree.path("proc"), tree.path("sys")};
    auto made = Target::create(targets.size() + 1, tree.path(name), rule(name), roots, journal,
                               counters, learnt);
    REQUIRE(made);
    targets[tree.path(name)] = *std::move(made);
    at(name).opened(opening_of(name, user));
  }

  Opening opening_of(const std::string& name, uid_t user = 0) const {
    Opening with = opening(name);
    with.database.path = tree.path(name);
    with.user = user;
    return with;
  }

  // Its engine asks for no other number of jobs.
  void leave_jobs(const std::string& name) {
    TargetRule frozen = rule(name);
    frozen.freeze = {"max_background_jobs"};
    REQUIRE(at(name).reconfigure(++serial, frozen));
  }

  wire::Sample sample_of(const std::string& name) {
    wire::Sample sample = squeezed(n);
    const auto [value, found] = jobs.try_emplace(name, std::pair{2, 2}).first->second;
    sample.knobs.push_back({"max_background_jobs", "", value, found,
                            value == found ? "found" : "rocktune", true, "", 1, 64});
    sample.lease = lease;
    return sample;
  }

  void poll_all() {
    ++n;
    now.tick += 500ms;
    now.wall += 500ms;
    groups.update(now.tick, host, all_users, targets);
    for (const auto& [path, target] : targets) {
      const std::string name = path.substr(path.rfind('/') + 1);
      Result<wire::Sample> sample = fail(ErrorCode::kUnavailable, "no answer");
      if (!silent.contains(name)) sample = sample_of(name);
      for (Decision& decision : target->poll(now, sample)) {
        target->sent({decision});
        decided[name] = std::move(decision);
      }
    }
  }
  void poll_for(double seconds) {
    for (int i = 0; i < static_cast<int>(2 * seconds); ++i) poll_all();
  }

  // Until those who share are told of.
  void poll_until_told() { poll_for(12); }

  Target& at(const std::string& name) { return *targets.at(tree.path(name)); }
  std::uint64_t jobs_slice(const std::string& name) {
    const auto shared = at(name).status().shared;
    return shared ? shared->jobs_max.value_or(0) : 0;
  }

  Targets targets;
  HostBudget host;
  bool all_users = false;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> jobs;  // as read, and as found
  std::optional<wire::Lease> lease;                                   // in each sample
  std::set<std::string> silent;                                       // who does not answer
  std::map<std::string, Decision> decided;                            // last
  ShareGroups groups{journal, tree.path("proc")};
  std::uint64_t n = 0, serial = 100;
};

}  // namespace rocktune::daemon::test
