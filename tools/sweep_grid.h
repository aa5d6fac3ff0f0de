// What a sweep goes through, from GRID.yaml (docs/sweep.md): policies with every combination of
// their parameters, on one rung. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"
#include "policy/policy_choice.h"
#include "tools/run_simulation.h"

namespace rocktune::tools {

enum class SweepRung { kOpenLoop, kClosedLoop };
std::string_view to_string(SweepRung rung);  // "open_loop", "closed_loop"
const char* claims_of(SweepRung rung);       // of tools/claims.h

struct SweepGrid {
  SweepRung rung = SweepRung::kClosedLoop;
  // In the file's order; of a policy's combinations the last parameter changes fastest. Labels are
  // their shortest text, each once.
  std::vector<PolicyChoice> policies;
  std::vector<std::string> params;  // of any policy, sorted
  // As of rocktune simulate; open loop has neither luck nor a calibration.
  std::size_t seeds = 20;
  SimulationSource source;  // but for the device: device_file is to be read into it
  std::string device_file;  // empty: none is given. A relative path begins where `file` lies
};

// Every mistake, one on each line, as "file:line:col: what; what to do".
Result<SweepGrid> parse_sweep_grid(std::string_view text, const std::string& file);

}  // namespace rocktune::tools
