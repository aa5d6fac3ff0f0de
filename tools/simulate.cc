// rocktune simulate: what policies would have come to in a recorded run, in closed loop.
#include <iostream>
#include <memory>

#include "policy/policy.h"
#include "sim/calibrate/run.h"
#include "tools/command.h"
#include "tools/run_list.h"
#include "tools/simulate_text.h"
#include "tools/status_line.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

struct SimulateOptions {
  std::string trace, target;
  std::vector<std::string> policies = {"static", "headroom"};
  double calibrate_seconds = 60;
  std::size_t seeds = 20;
  bool json = false;
};

// Everything that a policy is given but its own parameters, which are another policy's.
EngineConfig engine_of(const RecordedRun& run, const std::string& policy) {
  EngineConfig engine = run.engine;
  if (policy != engine.policy) engine.policy_params.clear();
  engine.policy = policy;
  return engine;
}

Result<Simulation> simulate_run(const RecordedRun& run, const SimulateOptions& options) {
  sim::RunCalibration calibration(options.calibrate_seconds);
  const auto read = for_each_sample(run, [&](const Sample& sample) { calibration.add(sample); });
  if (!read) return tl::unexpected(read.error());
  const Objective& objective = run.engine.objective;
  auto input =
      calibration.finish(run.rocksdb_version, objective.device_capacities, sim::KnobsAt::kFound);
  if (!input) return tl::unexpected(input.error());
  Simulation out{run.name, objective.first, *std::move(input), {}};
  const StatusLine line;
  for (const std::string& policy : options.policies) {
    sim::SimulatedPolicy simulated{policy, {}};
    for (std::size_t seed = 0; seed < options.seeds; ++seed) {
      line.show_run("simulating " + policy + ",", seed + 1, options.seeds, run.name);
      auto figures = sim::simulate(out.input, engine_of(run, policy), seed);
      if (!figures) return tl::unexpected(figures.error());
      simulated.by_seed.push_back(*std::move(figures));
    }
    out.policies.push_back(std::move(simulated));
  }
  return out;
}

int simulate_all(const SimulateOptions& options) {
  for (const std::string& policy : options.policies) {
    if (auto made = make_policy(policy, {}); !made) {
      return report_error(made.error().within("simulate"), kUsage);
    }
  }
  const auto recorded = list_recorded_runs({options.trace});
  if (!recorded) return report_error(recorded.error().within("simulate"));
  std::string known;
  bool found = false;
  int code = kOk;
  for (const RecordedRun& run : *recorded) {
    known += (known.empty() ? "" : ", ") + run.target_name;
    if (!options.target.empty() && options.target != run.target_name) continue;
    found = true;
    const auto simulated = simulate_run(run, options);
    if (!simulated) {
      const bool usage = simulated.error().code == ErrorCode::kInvalidArgument;
      code = report_error(simulated.error().within("simulate: run " + run.name),
                          usage ? kUsage : kFailed);
      continue;
    }
    if (options.json) {
      std::cout << trace::json_text(simulation_json(*simulated)) << '\n';
      continue;
    }
    for (const std::string& line : simulation_lines(*simulated)) {
      std::cout << printable(line) << '\n';
    }
  }
  if (!found) {
    return report_error({ErrorCode::kNotFound,
                         known.empty() ? "simulate: no database was read in trace " + options.trace
                                       : "simulate: trace " + options.trace + " has no target \"" +
                                             options.target + "\"; it has: " + known},
                        known.empty() ? kFailed : kUsage);
  }
  std::cout.flush();
  return std::cout ? code : kFailed;
}

}  // namespace

void add_simulate(CLI::App& root, Action& chosen) {
  CLI::App* app = root.add_subcommand(
      "simulate", "what policies would have come to in a recorded run, in closed loop");
  auto options = std::make_shared<SimulateOptions>();
  app->add_option("TRACE", options->trace, "the trace of a run")->required();
  app->add_option("--policies", options->policies, "what to compare, with commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME")
      ->capture_default_str();
  app->add_option("--target", options->target,
                  "one database, by name; default: each, on a machine of its own")
      ->type_name("NAME");
  app->add_option("--calibrate-until", options->calibrate_seconds,
                  "how much of the run, from its begin, calibrates; the rest is simulated")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS")
      ->capture_default_str();
  app->add_option("--seeds", options->seeds, "simulations of each policy")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000}))
      ->type_name("NUMBER")
      ->capture_default_str();
  app->add_flag("--json", options->json, "one line of JSON for each database, with every seed");
  app->footer(
      std::string("Example: rocktune simulate run.sqlite --policies static,headroom,silk\n\n") +
      kSimulationClaims);
  app->callback([options, &chosen] { chosen = [options] { return simulate_all(*options); }; });
}

}  // namespace rocktune::tools
