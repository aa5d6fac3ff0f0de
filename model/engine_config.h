// EngineConfig: everything besides samples that decides what a target's engine does. It is written
// to the trace, so that a replay can run exactly what ran live.
#pragma once

#include <map>
#include <string>

#include "model/objective.h"

namespace rocktune {

using PolicyParams = std::map<std::string, double>;

struct EngineConfig {
  std::string policy = "headroom";
  PolicyParams policy_params;
  Objective objective;
  Budget budget;
  bool operator==(const EngineConfig&) const = default;
};

}  // namespace rocktune
