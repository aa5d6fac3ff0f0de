// One run of a comparison as a file keeps it: what a report needs, and how the run came about.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/report/run.h"
#include "model/result.h"

namespace rocktune::bench {

struct FinishedRun {
  report::Run run;
  std::int64_t sequence = 0;         // its place in the order in which they were made, from 1
  std::vector<std::string> options;  // that the policy set
  std::string daemon_configuration;  // the policy's part of rocktuned's; empty: there was none
};

// {"schema": "rocktune-compare-run/1", "policy", "repeat", "sequence", "partial", "options",
//  "daemon": {"configuration", "cpu_seconds", "changes"} or null,
//  "events": [{"seconds", "text"}], "run": as `rocktune-bench run` wrote it}
nlohmann::json finished_run_json(const FinishedRun& run);
Result<FinishedRun> parse_finished_run(const nlohmann::json& document);

// What rocktuned's alert log says happened, in seconds since `first_phase` (RFC 3339): changes,
// alerts, outcomes. What came before counts as at 0.
std::vector<report::Event> events_of(const std::string& alert_log_text,
                                     const std::string& first_phase);

}  // namespace rocktune::bench
