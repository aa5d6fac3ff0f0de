// An event of a database, as GET /v1/dbs/{id}/events gives it, as one line for people.
#pragma once

#include <string>

#include "tools/control.h"

namespace rocktune::tools {

// "2026-01-31 12:00:00.250Z  compaction_end    default  job 12: ...". Fields that are not known
// here follow as name=value.
std::string event_text(const Json& event);

}  // namespace rocktune::tools
