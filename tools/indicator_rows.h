// The early warnings as `rocktune status` lists them. Pure.
#pragma once

#include <string>
#include <vector>

#include "tools/control.h"

namespace rocktune::tools {

// A row for each of the status's `indicators`, below one that names the columns; none of none.
std::vector<std::vector<std::string>> indicator_rows(const Json& indicators);

}  // namespace rocktune::tools
