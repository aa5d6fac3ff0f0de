#include "daemon/unmatched.h"

#include <set>

#include "daemon/listed.h"

namespace rocktune::daemon {
namespace {

constexpr Nanoseconds kSettled = std::chrono::seconds(10);

}  // namespace

std::vector<UnmatchedEntry> unmatched_entries(const Config& config, const Targets& targets) {
  std::set<std::size_t> matched;
  for (const auto& [key, target] : targets) {
    if (const auto entry = config.entry_for(key)) matched.insert(*entry);
  }
  std::vector<UnmatchedEntry> entries;
  for (std::size_t i = 0; i < config.targets.size(); ++i) {
    if (!matched.contains(i)) entries.push_back({i, config.targets[i].path});
  }
  return entries;
}

std::optional<std::string> Unmatched::to_say(const Config& config, const Targets& targets,
                                             Nanoseconds now) {
  std::vector<std::string> databases;
  for (auto one = since_.begin(); one != since_.end();) {
    if (now - one->second < kSettled) {
      ++one;
      continue;
    }
    const auto target = targets.find(one->first);
    const bool open = target != targets.end() && target->second->live();
    if (open && !config.entry_for(one->first)) databases.push_back(one->first);
    one = since_.erase(one);
  }
  if (databases.empty()) return std::nullopt;
  std::vector<std::string> entries;
  for (const UnmatchedEntry& entry : unmatched_entries(config, targets)) {
    entries.push_back("targets[" + std::to_string(entry.index) + "] (" + entry.path + ")");
  }
  if (entries.empty()) return std::nullopt;
  return listed(databases) + ": no entry of targets names " +
         (databases.size() == 1 ? "it" : "them") + ", so the defaults hold, mode " +
         std::string(to_string(config.mode)) + "; " + listed(entries) +
         (entries.size() == 1 ? " matches" : " match") + " no database";
}

}  // namespace rocktune::daemon
