// A run of the daemon without a daemon: a database that falls behind a low rate limit, its engine,
// and the trace of both, written in the daemon's order.
#pragma once

#include <string>
#include <vector>

namespace rocktune::tools::test {

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
