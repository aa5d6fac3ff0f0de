// Advice as text for people and as JSON for programs ("schema": "rocktune-advice/1",
// docs/advise.md). Pure.
#pragma once

#include <string>
#include <vector>

#include "tools/advise_runs.h"
#include "tools/control.h"

namespace rocktune::tools {

std::vector<std::string> advice_lines(const std::vector<AdvisedDatabase>& databases);
Json advice_json(const std::vector<AdvisedDatabase>& databases);

}  // namespace rocktune::tools
