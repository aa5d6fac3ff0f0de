// What `rocktune simulate` and `validate` say of recorded runs that they could not simulate.
#pragma once

#include <string>
#include <vector>

#include "model/result.h"
#include "tools/run_list.h"

namespace rocktune::tools {

struct RefusedRun {
  std::string name;
  double seconds = 0;  // from its first sample to its last
  Error error;         // of sim::RunCalibration, or of its trace
};
RefusedRun refused_run(const RecordedRun& run, Error error);

struct Refusals {
  std::vector<Error> errors;  // one for each run
  bool failed = false;
};
// Beside runs that were simulated, one that is merely too short is left out, and nothing failed.
// `in_parts`: the first part calibrates, and may be made shorter.
Refusals refusals(const std::vector<RefusedRun>& refused, bool any_simulated, bool in_parts);

// Prints them; the exit code. `command`: "simulate".
int report_refusals(const char* command, const Refusals& refusals);

}  // namespace rocktune::tools
