// The results of a replay for people and for programs. Pure.
#pragma once

#include <string>
#include <vector>

#include "replay/run.h"
#include "tools/control.h"

namespace rocktune::tools {

// One policy: each target with its agreement. Several: side by side, one row a target and policy.
std::vector<std::string> replay_lines(
    const std::string& trace, const std::vector<std::vector<replay::ReplayResult>>& by_policy);

// One line of kind "replay" that ends the lines of a policy and target.
std::string replay_line(const replay::ReplayResult& result);

}  // namespace rocktune::tools
