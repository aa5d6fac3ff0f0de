// EngineConfig: everything besides samples that decides what a target's engine does. It is written
// to the trace, so that a replay can run exactly what ran live.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "model/heads/learnt.h"
#include "model/objective.h"

namespace rocktune {

using PolicyParams = std::map<std::string, double>;

struct EngineConfig {
  std::string policy = "headroom";
  PolicyParams policy_params;
  Objective objective;
  Budget budget;
  std::shared_ptr<const Learnt> prior;  // what the forecasts begin with; null: with nothing

  bool operator==(const EngineConfig& other) const {
    const bool same_prior =
        prior == other.prior || (prior && other.prior && *prior == *other.prior);
    return policy == other.policy && policy_params == other.policy_params &&
           objective == other.objective && budget == other.budget && same_prior;
  }
};

}  // namespace rocktune
