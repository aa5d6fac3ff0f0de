// What a reader of replayed operations (`rocktune-bench replay-ops`) must know beside the figures:
// how many threads wrote, and what was not replayed. Pure.
#pragma once

#include <string>
#include <vector>

#include "bench/report/run.h"

namespace rocktune::bench::report {

// Nothing of runs that are no replays. All of a comparison are of one recording: the first tells.
std::vector<std::string> replay_remarks(const std::vector<Run>& runs);

}  // namespace rocktune::bench::report
