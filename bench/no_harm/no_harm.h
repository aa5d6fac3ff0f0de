// `rocktune-bench no-harm`: the property test that a policy does no harm. Random scenarios
// (random_scenario.h), each under static and under the policy as `rocktune-bench compare` runs
// them; one in which the policy falls behind runs again before it is called harm (verdict.h).
//
//   DIR/no-harm.json, .md     the report (report.h)
//   DIR/scenario-007.yaml     what `compare -s` takes
//   DIR/scenario-007/         its runs, as of a comparison (bench/compare/directory.h); the loaded
//                             database is removed once the scenario is judged
//   DIR/comparison.json       what all of them share
#pragma once

#include <cstdint>
#include <string>

#include "model/result.h"

namespace rocktune::bench {

// A scenario's own seed, of the order of its runs, is made of both: see order_seed().
inline constexpr std::int64_t kMostRandomScenarios = 99'999;
inline constexpr std::uint64_t kMostNoHarmSeed = 100'000'000'000;

struct NoHarmSettings {
  std::int64_t scenarios = 50;
  double seconds = 10;
  std::uint64_t seed = 1;
  std::string policy = "headroom";
  std::int64_t confirm = 3;
  std::string output;  // empty: "no-harm-<policy>" in the current directory
};

// What `compare --seed` must be to go on with a scenario's directory. One for each scenario, so
// that static does not come first in all of them.
std::uint64_t order_seed(std::uint64_t seed, std::int64_t number);

// --policy as parse_policies() calls it: one, and not static.
Result<std::string> policy_to_judge(const std::string& policy);

// Returns the exit code: 0 no confirmed harm; 1 some, or a run failed; 2 usage; 130 stopped, with
// what was measured kept and reported.
int no_harm_command(const NoHarmSettings& settings);

}  // namespace rocktune::bench
