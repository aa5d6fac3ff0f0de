// The time series of every run of a comparison as charts with one x axis. Pure.
#pragma once

#include <vector>

#include "bench/report/run.h"
#include "page/page.h"

namespace rocktune::bench::report {

// Of each database: throughput, latencies with the objective's limits, stalls, level-0 files,
// pending compaction, knobs; and of the device what it did each second. Phases are the bands,
// events of the runs the marks.
page::ChartGroup run_charts(const std::vector<Run>& runs);

}  // namespace rocktune::bench::report
