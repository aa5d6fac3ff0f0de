// The charts of one recorded database. Pure.
#pragma once

#include "page/page.h"
#include "tools/report/recording.h"

namespace rocktune::tools {

// Every chart that the recording has values for, with what happened marked on it: alerts,
// decisions, outcomes. Knobs that moved come last.
page::ChartGroup trace_charts(const Recording& recording);

}  // namespace rocktune::tools
