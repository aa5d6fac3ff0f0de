// The results of a replay for people and for programs. Pure.
#pragma once

#include <string>
#include <vector>

#include "tools/control.h"
#include "tools/replay_watch.h"

namespace rocktune::tools {

inline constexpr const char* kReplaySchema = "rocktune-replay/1";

// One policy: each target with its agreement. Several: side by side, one row a target and policy.
// Then the alarms of each target, which no policy changes.
std::vector<std::string> replay_lines(const std::string& trace,
                                      const std::vector<std::vector<ScoredReplay>>& by_policy);

// One line of kind "replay" that ends the lines of a policy and target.
std::string replay_line(const ScoredReplay& scored);

}  // namespace rocktune::tools
