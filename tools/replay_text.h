// The results of a replay for people and for programs. Pure.
#pragma once

#include <string>
#include <vector>

#include "tools/control.h"
#include "tools/replay_run.h"

namespace rocktune::tools {

// One policy: each target with its agreement. Several: side by side, one row a target and policy.
std::vector<std::string> replay_lines(const std::string& trace,
                                      const std::vector<std::vector<ReplayResult>>& by_policy);

// One line of kind "replay" that ends the lines of a policy and target.
std::string replay_line(const ReplayResult& result);

}  // namespace rocktune::tools
