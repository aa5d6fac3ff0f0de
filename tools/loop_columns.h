// The figures of a simulation as columns: of tables, of JSON, of the results of sweeps. Pure.
#pragma once

#include <string>
#include <vector>

#include "sim/loop.h"

namespace rocktune::tools {

struct LoopColumn {
  const char* name;  // in tables
  const char* key;   // in JSON
  double (*figure)(const sim::LoopFigures&);
  std::string (*text)(double);
  bool absent_at_zero = false;  // not known, rather than nothing
};

const std::vector<LoopColumn>& loop_columns();

// Those of a column's values that are known.
std::vector<double> known_of(const LoopColumn& column, std::vector<double> values);

}  // namespace rocktune::tools
