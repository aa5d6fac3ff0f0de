// What a trial came to, as a run of a comparison.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bench/compare/finished_run.h"
#include "bench/compare/order.h"
#include "bench/compare/policies.h"
#include "bench/trial/trial.h"
#include "model/result.h"

namespace rocktune::bench {

// A policy that no agent listened to was not measured.
Result<void> check_served(const nlohmann::json& run);

// `place`: the trial's directory, with the daemon's alert log.
FinishedRun finished_trial(const PlannedRun& planned, const PolicySetup& setup,
                           TrialOutcome outcome, const std::string& place);

}  // namespace rocktune::bench
