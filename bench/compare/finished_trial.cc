#include "bench/compare/finished_trial.h"

#include <utility>

#include "bench/text_file.h"

namespace rocktune::bench {

using nlohmann::json;

Result<void> check_served(const json& run) {
  for (const json& database : run.value("databases", json::array())) {
    const std::string agent = database.value("agent", "");
    if (!agent.starts_with("serving on ")) {
      return fail(ErrorCode::kIo, "the agent of database '" + database.value("name", "") +
                                      "' did not serve: " + agent);
    }
  }
  return {};
}

FinishedRun finished_trial(const PlannedRun& planned, const PolicySetup& setup,
                           TrialOutcome outcome, const std::string& place) {
  FinishedRun finished;
  finished.options = setup.options;
  if (setup.daemon) finished.daemon_configuration = setup.daemon->sections;
  finished.run.policy = planned.policy;
  finished.run.repeat = planned.repeat;
  finished.run.partial = outcome.partial;
  finished.run.result = std::move(outcome.run);
  if (outcome.daemon) {
    finished.run.daemon_cpu_seconds = outcome.daemon->cpu_seconds;
    finished.run.changes = outcome.daemon->changes;
    if (const auto alerts = read_text_file(place + "/alerts.jsonl")) {
      finished.run.events = events_of(*alerts, outcome.first_phase);
    }
  }
  return finished;
}

}  // namespace rocktune::bench
