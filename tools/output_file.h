// What a command writes may not be what it reads.
#pragma once

#include <string>
#include <vector>

#include "model/result.h"

namespace rocktune::tools {

// Errors: kInvalidArgument where `output` is one of the files `inputs`, whatever either is called.
Result<void> check_output(const std::string& output, const std::vector<std::string>& inputs);

}  // namespace rocktune::tools
