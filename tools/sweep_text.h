// What a whole sweep came to, for people: of each policy the best parameters. Pure.
#pragma once

#include <string>
#include <vector>

#include "tools/sweep_result.h"

namespace rocktune::tools {

std::vector<std::string> sweep_lines(const SweepResult& result);

}  // namespace rocktune::tools
