// What a whole sweep came to, for people: of each policy the best parameters. Pure.
#pragma once

#include <string>
#include <vector>

#include "tools/sweep_plan.h"

namespace rocktune::tools {

// `results`: the lines of all units, in order.
std::vector<std::string> sweep_lines(const SweepPlan& plan,
                                     const std::vector<std::string>& results);

}  // namespace rocktune::tools
