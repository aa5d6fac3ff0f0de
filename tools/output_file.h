// What a command writes may not be what it reads.
#pragma once

#include <string>
#include <vector>

#include "model/result.h"

namespace rocktune::tools {

// Errors: kInvalidArgument where `output`, or the file beside it that is written first
// (files/replace_file.h), is one of the files `inputs`, whatever either is called.
Result<void> check_output(const std::string& output, const std::vector<std::string>& inputs);

}  // namespace rocktune::tools
