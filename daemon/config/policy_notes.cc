#include "daemon/config/policy_notes.h"

#include <set>

#include "policy/policy.h"

namespace rocktune::daemon {

std::vector<std::string> policy_notes(const Config& config) {
  std::set<std::string> acting;
  if (config.mode == Mode::kAct) acting.insert(config.engine.policy);
  for (const TargetRule& rule : config.targets) {
    if (rule.mode == Mode::kAct) acting.insert(rule.engine.policy);
  }
  std::vector<std::string> notes;
  for (const std::string& name : acting) {
    const auto policy = make_policy(name, {});
    if (!policy || (*policy)->guard_scope() == GuardScope::kAll) continue;
    notes.push_back("policy " + name +
                    " is there to be compared with: it changes knobs at the pace it was published "
                    "with; the guard keeps ranges and relations, but no steps, pauses or budget of "
                    "changes, and nothing of it is rolled back (docs/control.md)");
  }
  return notes;
}

}  // namespace rocktune::daemon
