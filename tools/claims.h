// What an answer about policies can and cannot claim, rung by rung (docs/evaluation.md); part of
// every output that gives one.
#pragma once

namespace rocktune::tools {

inline constexpr const char* kOpenLoopRung = "open_loop";

inline constexpr const char* kReplayClaims =
    "Open loop: the samples are those of what was really done in the recorded run. A replay shows "
    "what a policy would have warned and decided at each moment of that run. It does not show what "
    "would have followed: from its first decision that was not also carried out then, the later "
    "samples belong to another course of events, and it says nothing about whether that policy "
    "would have made the database faster.";

// Of rocktune score, and of what a replay says of its alarms.
inline constexpr const char* kScoreClaims =
    "Open loop: the warnings are judged on what was recorded. A score shows which events of these "
    "runs were warned of, how early, and how often a warning came for nothing. It does not show "
    "how good the same warnings would be on other runs, nor whether acting on them would have "
    "helped; where a policy acted on one and so prevented the event, it counts as false.";

inline constexpr const char* kSimulationClaims =
    "Closed loop, simulated: the policies tuned a model of the database that this run "
    "calibrated, as far as it showed how fast the database is, under the demand that it had. It "
    "ranks policies, as far as the seeds agree on their order. It does not foretell a P99 or a "
    "throughput, and knows nothing of what it does not simulate (docs/evaluation.md).";

// Seeds draw what calibration does not know; how far the model itself is off they do not show.
// Measured by `rocktune-bench validate-order` over nine scenarios and six policies
// (docs/evaluation.md).
inline constexpr const char* kRunP99Error =
    "Beside real runs on a known device, simulated read P99s were off by a factor of 1.4 in the "
    "middle, of 5.6 in nine of ten and of 55 at most.";
inline constexpr const char* kLearntP99Error =
    "How far simulated P99s are off on a device that was learnt from the run was not measured.";
inline constexpr const char* kScenarioP99Error =
    "Beside real runs, read P99s simulated from nothing but a scenario were off by a factor of 1.7 "
    "in the middle, of 37 in nine of ten and of 290 at most.";

inline constexpr const char* kScenarioClaims =
    "Of a scenario: nothing was calibrated on a run. The policies tuned a model of a database "
    "whose "
    "rates are assumed, and drawn widely by the seeds, under the demand that the scenario "
    "describes. It ranks policies for what is described, as far as the seeds agree on their order. "
    "It says nothing of any database that runs, foretells no P99 and no throughput, and knows "
    "nothing of what it does not simulate (docs/evaluation.md).";

inline constexpr const char* kValidationClaims =
    "Closed loop: the first part of each run calibrated the simulator, the rest was simulated "
    "under the demand that was recorded in it and under the options that the database had then. "
    "It shows how far the simulator's stalls, writes and compactions lie from what really came in "
    "these runs, without any policy at work. It does not show that it ranks policies rightly, and "
    "says nothing about latencies.";

// Of what was recorded, as it was.
inline constexpr const char* kRecordingClaims =
    "This page shows what was recorded. An outcome compares the time after a change with the time "
    "before it: what would have come without the change, nobody saw.";

// Of the section of a page that has them.
inline constexpr const char* kClaimsHeading = "What this page can and cannot claim";
inline constexpr const char* kWhichAnswer =
    "docs/evaluation.md says which answer to believe for which question.";

}  // namespace rocktune::tools
