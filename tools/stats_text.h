// What an agent answers to GET /v1/dbs/{id}/statistics, for people: derived figures with their
// formulas, memory by part, levels, and the largest counters and histograms.
#pragma once

#include <string>
#include <vector>

#include "model/result.h"
#include "tools/control.h"

namespace rocktune::tools {

// At most `top` counters and histograms. Errors: the answer is not what it should be.
Result<std::vector<std::string>> statistics_lines(const Json& answer, std::size_t top);

}  // namespace rocktune::tools
