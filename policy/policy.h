// Policy: proposes changes. Pure and deterministic: no I/O, no clock of its own, no randomness.
//
// A policy sees what is (features with the knobs' values), what is coming (indicators) and what it
// may spend (objective, budget); it proposes, and never limits itself for safety: limits live in
// the Guard alone.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/decision.h"
#include "model/engine_config.h"
#include "model/result.h"
#include "policy/guard_scope.h"

namespace rocktune {

struct PolicyInput {
  const Features& features;
  const std::vector<Indicator>& indicators;
  const Objective& objective;
  const Budget& budget;
};

class Policy {
 public:
  virtual ~Policy() = default;
  // At most one proposal per knob and column family. Features that say `reset` are of another
  // database than those before, or of another opening of it: the histories are of what is gone.
  [[nodiscard]] virtual std::vector<Proposal> decide(const PolicyInput& input) = 0;
  // How much of the guard it is under. kHardLimits is for the peers, which are there to be compared
  // with at their own pace.
  [[nodiscard]] virtual GuardScope guard_scope() const { return GuardScope::kAll; }
};

// "static" (never changes anything), "headroom", and the peers of policy/peers/. Unknown names and
// parameters are errors that list the known ones.
Result<std::unique_ptr<Policy>> make_policy(std::string_view name, const PolicyParams& params);
std::vector<std::string> policy_names();

}  // namespace rocktune
