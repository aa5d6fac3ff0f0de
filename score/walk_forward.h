// Which runs a threshold may be chosen on, for each run that is scored: earlier ones only. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/clock.h"
#include "model/result.h"

namespace rocktune::score {

struct RunSpan {
  std::string name;
  Nanoseconds begin_wall{0}, end_wall{0};
};

struct PlanRequest {
  // Runs with these in their name are for training alone, and the only ones for training, whatever
  // their date. None: walk-forward, where every run that ended before another began trains for it.
  std::vector<std::string> train;
  // Runs with these in their name never train, and they alone are scored: a device or a workload
  // that the thresholds have not seen.
  std::vector<std::string> hold_out;
};

struct Split {
  std::size_t run = 0;                // that is scored; a place in the list of runs
  std::vector<std::size_t> training;  // empty: there is no earlier run (see plan())
};

// Whether `name` contains `pattern`, in which * stands for anything.
bool name_matches(std::string_view pattern, std::string_view name);

// By begin of the scored runs. Where no run has an earlier one (a single trace), all runs are
// scored with nothing to train on: figures that need a threshold then do not exist. Errors: a
// pattern that no run has, nothing left to score, or nothing left to train on.
Result<std::vector<Split>> plan(const std::vector<RunSpan>& runs, const PlanRequest& request);

}  // namespace rocktune::score
