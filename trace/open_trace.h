// Opens a trace file read-only, and says in one sentence what is wrong with one that it cannot.
#pragma once

#include <string>

#include "trace/sqlite.h"

namespace rocktune::trace {

// A connection within a read transaction: what it sees does not change while a daemon writes on.
Result<Connection> open_trace(const std::string& path);

}  // namespace rocktune::trace
