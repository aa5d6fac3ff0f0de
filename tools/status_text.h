// The answer to GET /v1/status for people: what `rocktune status` and `watch` print. Pure.
#pragma once

#include <string>
#include <vector>

#include "model/result.h"
#include "tools/control.h"

namespace rocktune::tools {

// Leaves one database of the answer, by name or path; empty: all. Errors: there is none of that
// name, or the JSON is not what the daemon should answer.
Result<void> keep_target(Json& status, const std::string& target);

// Errors: the JSON is not what the daemon should answer.
Result<std::vector<std::string>> status_lines(const Json& status);

}  // namespace rocktune::tools
