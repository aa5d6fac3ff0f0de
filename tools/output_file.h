// What a command writes may not be what it reads.
#pragma once

#include <string>
#include <vector>

#include "model/result.h"

namespace rocktune::tools {

// Errors: kInvalidArgument where `output` is one of the files `inputs`, whatever either is called.
Result<void> check_output(const std::string& output, const std::vector<std::string>& inputs);

// Whether replace_file() could make `output` at the moment. Errors: kConflict where it is there,
// unless `force` says that it may go; kInvalidArgument for a directory; kIo where its directory may
// not be written to.
Result<void> check_new_output(const std::string& output, bool force);

}  // namespace rocktune::tools
