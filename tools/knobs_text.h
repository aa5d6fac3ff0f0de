// What an agent answers to GET /v1/dbs/{id}/knobs, for people.
#pragma once

#include <string>
#include <vector>

#include "model/result.h"
#include "tools/control.h"

namespace rocktune::tools {

struct KnobsView {
  std::string column_family;  // only this one's, and the database's own; empty: all
  bool details = false;       // relations, cost and side effects below each
};

// A table of the knobs. Errors: kNotFound where there is no such column family, with those that
// there are; the answer is not what it should be.
Result<std::vector<std::string>> knob_lines(const Json& answer, const KnobsView& view);

}  // namespace rocktune::tools
