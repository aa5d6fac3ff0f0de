// Measures what a poll costs the agent, and how much memory the agent takes, on one database with
// many column families that does nothing else (families.h).
//
// CPU: of the agent's threads, over polls that follow each other at 20 ms. Memory: of a process
// with the agent, after those polls, less that of the same process with ROCKTUNE_AGENT_MODE=off,
// in pairs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "bench/overhead/report.h"
#include "model/result.h"

namespace rocktune::bench {

Result<PollCost> measure_poll_cost(const std::string& directory, std::int64_t families,
                                   const std::function<void(const std::string&)>& say);

}  // namespace rocktune::bench
