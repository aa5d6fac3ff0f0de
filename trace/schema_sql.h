// The tables, indexes and views of a trace, as SQL. docs/trace.md documents them.
#pragma once

#include <string>

namespace rocktune::trace {

std::string schema_sql();

}  // namespace rocktune::trace
