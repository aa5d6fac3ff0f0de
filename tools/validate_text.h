// What `rocktune validate` prints: the simulator against what was recorded, run by run.
#pragma once

#include <string>
#include <vector>

#include "sim/validation.h"
#include "trace/json_text.h"

namespace rocktune::tools {

struct ValidatedRun {
  std::string name;
  sim::ValidationResult result;
};

// What these figures can and cannot claim; part of every output.
inline constexpr const char* kValidationClaims =
    "Closed loop: the first part of each run calibrated the simulator, the rest was simulated "
    "under "
    "the demand that was recorded in it and under the options that the database had then. It shows "
    "how far the simulator's stalls, writes and compactions lie from what really came in these "
    "runs, "
    "without any policy at work. It does not show that it ranks policies rightly, and says nothing "
    "about latencies.";

std::vector<std::string> validation_lines(const std::vector<ValidatedRun>& runs);
// "schema": "rocktune-validate/1"
trace::Json validation_json(const std::vector<ValidatedRun>& runs);

}  // namespace rocktune::tools
