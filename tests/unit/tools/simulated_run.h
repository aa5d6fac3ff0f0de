// A run of the daemon without a daemon: a database that falls behind a low rate limit, its engine,
// and the trace of both, written in the daemon's order.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "model/clock.h"

namespace rocktune::tools::test {

// When poll n of a run was: at kBegin + n * kPeriod.
inline constexpr Nanoseconds kBegin = std::chrono::seconds(1769860800);
inline constexpr Nanoseconds kPeriod = std::chrono::milliseconds(500);

struct SimulatedRun {
  std::string mode = "act";  // "act": decisions change the database
  int polls = 400;
  int fails_from = 0, fails_to = 0;  // polls that got no answer of the agent
  int lost_from = 0, lost_to = 0;    // polls that were not recorded at all
  int forged_poll = 0;               // whose first decision is recorded otherwise
};

// Returns the alert-log lines (alerts, outcomes, decisions) as the daemon would have written them.
std::vector<std::string> record_run(const std::string& path, const SimulatedRun& run);

}  // namespace rocktune::tools::test
