// What `rocktune validate` prints: the simulator against what was recorded, run by run.
#pragma once

#include <string>
#include <vector>

#include "sim/validation.h"
#include "tools/claims.h"
#include "trace/json_text.h"

namespace rocktune::tools {

struct ValidatedRun {
  std::string name;
  sim::ValidationResult result;
};

std::vector<std::string> validation_lines(const std::vector<ValidatedRun>& runs);
// "schema": "rocktune-validate/1"
trace::Json validation_json(const std::vector<ValidatedRun>& runs);

}  // namespace rocktune::tools
