// The page of a recorded run. Streams the trace; see tools/report/recording.h for what is kept.
#pragma once

#include <optional>
#include <string>

#include "model/result.h"
#include "page/page.h"
#include "tools/report/recording.h"
#include "tools/run_list.h"

namespace rocktune::tools {

struct TracePageRequest {
  std::string trace;                  // path
  std::optional<std::string> target;  // one database, by name or path; absent: all
  ReportWindow window;
};

// Errors: what trace::Reader says of a file that is no trace; kInvalidArgument for a target or a
// window that the trace does not have. A trace that cannot be read to its end gives what comes
// before, and the page says so. `progress` comes before each database is read.
Result<page::Page> trace_page(const TracePageRequest& request, const RunProgress& progress = {});

}  // namespace rocktune::tools
