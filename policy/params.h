// Parameters of a policy by name, from the config: each has a default and a range. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "model/engine_config.h"
#include "model/result.h"

namespace rocktune {

struct ParamSpec {
  std::string_view name;
  double* target;  // holds the default; takes the value
  double min;
  double max;
};

// Writes `params` to the targets; every unknown name and every value out of range is named in one
// error, with the known names.
Result<void> read_params(std::string_view policy, const PolicyParams& params,
                         const std::vector<ParamSpec>& specs);

}  // namespace rocktune
