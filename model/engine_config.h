// EngineConfig: everything besides samples that decides what a target's engine does. It is written
// to the trace, so that a replay can run exactly what ran live.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "model/heads/learnt.h"
#include "model/objective.h"

namespace rocktune {

using PolicyParams = std::map<std::string, double>;
// Knobs that the operator pinned: set to this value and held there, in every column family that
// has the knob; no policy moves them.
using Pins = std::map<std::string, std::int64_t>;

struct EngineConfig {
  std::string policy = "headroom";
  PolicyParams policy_params;
  Objective objective;
  Budget budget;
  Pins pins;
  std::shared_ptr<const Learnt> prior;  // what the forecasts begin with; null: with nothing

  bool operator==(const EngineConfig& other) const {
    const bool same_prior =
        prior == other.prior || (prior && other.prior && *prior == *other.prior);
    return policy == other.policy && policy_params == other.policy_params &&
           objective == other.objective && budget == other.budget && pins == other.pins &&
           same_prior;
  }
};

}  // namespace rocktune
