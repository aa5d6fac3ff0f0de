// The answer to GET /v1/status for people: what `rocktune status` and `watch` print. Pure.
#pragma once

#include <string>
#include <vector>

#include "model/result.h"
#include "tools/control.h"

namespace rocktune::tools {

// Errors: the JSON is not what the daemon should answer.
Result<std::vector<std::string>> status_lines(const Json& status);

}  // namespace rocktune::tools
