// rocktune simulate: what policies would have come to in a recorded run, in closed loop.
#include <algorithm>
#include <iostream>
#include <memory>

#include "files/device_profile.h"
#include "policy/policy_choice.h"
#include "sim/together.h"
#include "tools/command.h"
#include "tools/run_list.h"
#include "tools/run_simulation.h"
#include "tools/simulate_text.h"
#include "tools/status_line.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

struct SimulateOptions {
  std::string trace, target, device;
  std::vector<std::string> policies = {"static", "headroom"};
  SimulationSource source;
  std::size_t seeds = 20;
  bool json = false;
};

// Databases of the trace that can be simulated, and what came of it.
struct Databases {
  std::vector<RecordedRun> runs;
  std::vector<sim::SimulationInput> inputs;
  std::vector<Simulation> results;
};

int failed(const Error& error, const RecordedRun& run) {
  return report_error(error.within("simulate: run " + run.name),
                      error.code == ErrorCode::kInvalidArgument ? kUsage : kFailed);
}

// Those on one device, under each policy: `group` are indices.
Result<void> simulate_group(const std::vector<std::size_t>& group,
                            const std::vector<PolicyChoice>& policies, std::size_t seeds,
                            Databases& databases) {
  const StatusLine line;
  const auto inputs = sim::begun_together(databases.inputs, group);
  for (const PolicyChoice& policy : policies) {
    std::vector<EngineConfig> engines;
    for (const std::size_t i : group) {
      engines.push_back(engine_of(databases.runs[i].engine, policy));
      databases.results[i].policies.push_back({policy.label, {}});
    }
    for (std::size_t seed = 0; seed < seeds; ++seed) {
      line.show_run("simulating " + policy.label + ",", seed + 1, seeds,
                    databases.runs[group.front()].name);
      auto figures = sim::simulate(inputs, engines, seed);
      if (!figures) return tl::unexpected(figures.error());
      for (std::size_t i = 0; i < group.size(); ++i) {
        auto& by_seed = databases.results[group[i]].policies.back().by_seed;
        by_seed.push_back(std::move((*figures)[i]));
      }
    }
  }
  return {};
}

void name_neighbours(const std::vector<std::size_t>& group, Databases& databases) {
  for (const std::size_t i : group) {
    for (const std::size_t other : group) {
      if (other != i) databases.results[i].together_with.push_back(databases.runs[other].name);
    }
  }
}

void print_simulation(const Simulation& run, bool as_json) {
  if (as_json) {
    std::cout << trace::json_text(simulation_json(run)) << '\n';
    return;
  }
  for (const std::string& line : simulation_lines(run)) std::cout << printable(line) << '\n';
}

int simulate_databases(const std::vector<PolicyChoice>& policies, const SimulateOptions& options,
                       Databases& databases) {
  for (const auto& group : sim::on_one_device(databases.inputs)) {
    const bool wanted = std::any_of(group.begin(), group.end(), [&](std::size_t i) {
      return options.target.empty() || options.target == databases.runs[i].target_name;
    });
    if (!wanted) continue;
    const auto done = simulate_group(group, policies, options.seeds, databases);
    if (!done) return failed(done.error(), databases.runs[group.front()]);
    name_neighbours(group, databases);
  }
  for (std::size_t i = 0; i < databases.runs.size(); ++i) {
    const std::string& target = databases.runs[i].target_name;
    if (options.target.empty() || options.target == target) {
      print_simulation(databases.results[i], options.json);
    }
  }
  return kOk;
}

Result<void> check_target(const std::vector<RecordedRun>& runs, const SimulateOptions& options) {
  std::string known;
  for (const RecordedRun& run : runs) {
    if (options.target.empty() || options.target == run.target_name) return {};
    known += (known.empty() ? "" : ", ") + run.target_name;
  }
  if (known.empty()) {
    return fail(ErrorCode::kNotFound, "no database was read in trace " + options.trace);
  }
  return fail(ErrorCode::kInvalidArgument, "trace " + options.trace + " has no target \"" +
                                               options.target + "\"; it has: " + known);
}

int simulate_all(SimulateOptions options) {
  const auto usage = [](const Error& error) {
    return report_error(error.within("simulate"), kUsage);
  };
  const auto policies = parse_policy_choices(options.policies);
  if (!policies) return usage(policies.error());
  if (!options.device.empty()) {
    const auto device = load_device_profile(options.device);
    if (!device) return usage(device.error());
    options.source.device = *device;
  }
  const auto recorded = list_recorded_runs({options.trace});
  if (!recorded) return report_error(recorded.error().within("simulate"));
  if (const auto known = check_target(*recorded, options); !known) {
    const bool none = known.error().code == ErrorCode::kNotFound;
    return report_error(known.error().within("simulate"), none ? kFailed : kUsage);
  }
  Databases databases;
  int code = kOk;
  for (const RecordedRun& run : *recorded) {
    auto input = simulation_input(run, options.source);
    if (!input) {
      if (options.target.empty() || options.target == run.target_name) {
        code = failed(input.error(), run);
      }
      continue;
    }
    databases.runs.push_back(run);
    databases.results.push_back({run.name, run.engine.objective.first, *input, {}, {}});
    databases.inputs.push_back(*std::move(input));
  }
  const int simulated = simulate_databases(*policies, options, databases);
  std::cout.flush();
  if (!std::cout) return kFailed;
  return simulated == kOk ? code : simulated;
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
      ->type_name("POLICY")
      ->capture_default_str();
  app->add_option("--target", options->target,
                  "one database, by name; default: each. Those on one device are simulated on one")
      ->type_name("NAME");
  app->add_option("--calibrate-until", options->source.calibrate_seconds,
                  "how much of the run, from its begin, calibrates; the rest is simulated")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS")
      ->capture_default_str();
  app->add_flag("--whole", options->source.whole,
                "all of the run calibrates, and all of it is simulated again");
  app->add_option(
         "--device", options->device,
         "a profile of `rocktune probe-device`; default: the one that the run was recorded "
         "with, or no device at all")
      ->type_name("FILE");
  app->add_option("--seeds", options->seeds, "simulations of each policy")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000}))
      ->type_name("NUMBER")
      ->capture_default_str();
  app->add_flag("--json", options->json, "one line of JSON for each database, with every seed");
  app->footer(
      std::string("Example: rocktune simulate run.sqlite --policies static,headroom,silk\n\n") +
      kPolicyChoiceHelp + "\n\n" + kSimulationClaims);
  app->callback([options, &chosen] { chosen = [options] { return simulate_all(*options); }; });
}

}  // namespace rocktune::tools
