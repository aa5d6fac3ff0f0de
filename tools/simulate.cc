// rocktune simulate: what policies would have come to in a recorded run, or would come to in a
// scenario, in closed loop.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <regex>
#include <sstream>
#include <thread>

#include "files/device_profile.h"
#include "policy/policy_choice.h"
#include "tools/command.h"
#include "tools/output_file.h"
#include "tools/refused_runs.h"
#include "tools/run_list.h"
#include "tools/run_simulation.h"
#include "tools/simulate_subject.h"
#include "tools/simulate_text.h"
#include "tools/simulated_log.h"
#include "tools/status_line.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

struct SimulateOptions {
  std::string trace, target, device, alert_log;
  std::vector<std::string> policies = {"static", "headroom"};
  SimulationSource source;
  ScenarioSource scenario;
  std::size_t seeds = 20;
  bool json = false;
};

int wrong_usage(const Error& error) {
  return report_error(error.within("simulate"), kUsage);
}

// A file's mistakes come all at once, one on each line.
int wrong_scenario(const Error& error) {
  const int code = error.code == ErrorCode::kUnsupported ? kFailed : kUsage;
  std::istringstream mistakes(error.message);
  for (std::string one; std::getline(mistakes, one);) {
    report_error({error.code, "simulate: " + one}, code);
  }
  return code;
}

bool is_wanted(const SimulateOptions& options, const std::string& target) {
  // "NAME#2": the second database of that name (trace/reader.h).
  return options.target.empty() || options.target == target ||
         target.starts_with(options.target + "#");
}

// Those on one device, under each policy. `log`: of the last simulation; null: none is wanted.
Result<void> simulate_group(const SimulationGroup& group, const std::vector<PolicyChoice>& policies,
                            std::size_t seeds, std::vector<SimulateSubject>& subjects,
                            SimulatedLog* log) {
  const StatusLine line;
  const auto& members = group.members;
  std::vector<std::string> targets;
  targets.reserve(members.size());
  for (const std::size_t i : members) targets.push_back(subjects[i].target);
  for (std::size_t policy = 0; policy < policies.size(); ++policy) {
    const std::string& label = policies[policy].label;
    std::vector<EngineConfig> engines;
    for (const std::size_t i : members) {
      engines.push_back(subjects[i].engines.at(policy));
      subjects[i].result.policies.push_back({label, {}});
    }
    for (std::size_t seed = 0; seed < seeds; ++seed) {
      line.show_run("simulating " + label + ",", seed + 1, seeds,
                    subjects[members.front()].result.name);
      const bool logged = log != nullptr && policy + 1 == policies.size() && seed + 1 == seeds;
      auto figures = sim::simulate(group.inputs, engines, seed,
                                   logged ? log->watch(targets) : sim::LoopWatch());
      if (!figures) return tl::unexpected(figures.error());
      for (std::size_t i = 0; i < members.size(); ++i) {
        auto& by_seed = subjects[members[i]].result.policies.back().by_seed;
        by_seed.push_back(std::move((*figures)[i]));
      }
    }
  }
  return {};
}

void name_neighbours(const std::vector<std::size_t>& group,
                     std::vector<SimulateSubject>& subjects) {
  for (const std::size_t i : group) {
    for (const std::size_t other : group) {
      if (other == i) continue;
      subjects[i].result.together_with.push_back(subjects[other].result.name);
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

int simulate_subjects(const std::vector<PolicyChoice>& policies, const SimulateOptions& options,
                      std::vector<SimulateSubject>& subjects) {
  std::vector<sim::SimulationInput> inputs;
  inputs.reserve(subjects.size());
  for (const SimulateSubject& subject : subjects) inputs.push_back(subject.result.input);
  SimulatedLog log;
  for (const SimulationGroup& group : simulation_groups(inputs)) {
    const auto& members = group.members;
    const bool wanted = std::any_of(members.begin(), members.end(), [&](std::size_t i) {
      return is_wanted(options, subjects[i].target);
    });
    if (!wanted) continue;
    const auto done = simulate_group(group, policies, options.seeds, subjects,
                                     options.alert_log.empty() ? nullptr : &log);
    if (!done) {
      return report_error(
          done.error().within("simulate: run " + subjects[members.front()].result.name));
    }
    name_neighbours(members, subjects);
  }
  for (const SimulateSubject& subject : subjects) {
    if (is_wanted(options, subject.target)) print_simulation(subject.result, options.json);
  }
  if (options.alert_log.empty()) return kOk;
  const auto written = log.write(options.alert_log);
  return written ? kOk : report_error(written.error().within("simulate"));
}

// `whose`: "trace FILE", "scenario NAME".
Result<void> check_target(const std::vector<std::string>& targets, const std::string& whose,
                          const SimulateOptions& options) {
  std::string known;
  for (const std::string& target : targets) {
    if (is_wanted(options, target)) return {};
    known += (known.empty() ? "" : ", ") + target;
  }
  return fail(ErrorCode::kInvalidArgument,
              whose + " has no target \"" + options.target + "\"; it has: " + known);
}

int simulate_scenario(const std::vector<PolicyChoice>& policies, const SimulateOptions& options) {
  auto subjects = scenario_subjects(options.scenario, policies);
  if (!subjects) return wrong_scenario(subjects.error());
  std::vector<std::string> targets;
  for (const SimulateSubject& subject : *subjects) targets.push_back(subject.target);
  const auto known = check_target(targets, "scenario " + options.scenario.name_or_path, options);
  if (!known) return wrong_usage(known.error());
  return simulate_subjects(policies, options, *subjects);
}

struct TraceSubjects {
  std::vector<SimulateSubject> subjects;
  std::vector<RefusedRun> refused;  // of those that are wanted
};

TraceSubjects read_subjects(const std::vector<RecordedRun>& recorded,
                            const std::vector<PolicyChoice>& policies,
                            const SimulateOptions& options) {
  TraceSubjects out;
  std::vector<const RecordedRun*> simulated, not_simulated;
  for (const RecordedRun& run : recorded) {
    auto input = simulation_input(run, options.source);
    (input ? simulated : not_simulated).push_back(&run);
    if (!input) {
      if (is_wanted(options, run.target_name)) {
        out.refused.push_back(refused_run(run, input.error()));
      }
      continue;
    }
    SimulateSubject subject;
    subject.target = run.target_name;
    subject.result.name = run.name;
    subject.result.first = run.engine.objective.first;
    subject.result.input = *std::move(input);
    for (const PolicyChoice& policy : policies) {
      subject.engines.push_back(engine_of(run.engine, policy));
    }
    out.subjects.push_back(std::move(subject));
  }
  for (std::size_t i = 0; i < out.subjects.size(); ++i) {
    out.subjects[i].result.missing_neighbours = missing_neighbours(*simulated[i], not_simulated);
  }
  return out;
}

int simulate_trace(const std::vector<PolicyChoice>& policies, const SimulateOptions& options) {
  const auto recorded = list_recorded_runs({options.trace});
  if (!recorded) return report_error(recorded.error().within("simulate"));
  std::vector<std::string> targets;
  for (const RecordedRun& run : *recorded) targets.push_back(run.target_name);
  if (targets.empty()) {
    return report_error(
        Error{ErrorCode::kNotFound, "simulate: no database was read in trace " + options.trace});
  }
  const auto known = check_target(targets, "trace " + options.trace, options);
  if (!known) return wrong_usage(known.error());
  TraceSubjects read = read_subjects(*recorded, policies, options);
  const bool any = std::any_of(read.subjects.begin(), read.subjects.end(),
                               [&](const auto& one) { return is_wanted(options, one.target); });
  const int refused =
      report_refusals("simulate", refusals(read.refused, any, !options.source.whole));
  if (!any) return refused;
  const int done = simulate_subjects(policies, options, read.subjects);
  return done == kOk ? refused : done;
}

int simulate_all(SimulateOptions options) {
  const auto policies = parse_policy_choices(options.policies);
  if (!policies) return wrong_usage(policies.error());
  if (!options.alert_log.empty()) {
    const auto writable =
        check_output(options.alert_log,
                     {options.trace, options.scenario.name_or_path, options.device})
            .and_then([&] { return check_new_output(options.alert_log, true); });
    if (!writable) return wrong_usage(writable.error());
  }
  if (!options.scenario.name_or_path.empty()) return simulate_scenario(*policies, options);
  if (options.trace.empty()) {
    return wrong_usage({ErrorCode::kInvalidArgument,
                        "give the trace of a run, or --scenario with a name or a file"});
  }
  if (!options.device.empty()) {
    const auto device = load_device_profile(options.device);
    if (!device) return wrong_usage(device.error());
    options.source.device = *device;
  }
  return simulate_trace(*policies, options);
}

// What a trace has, and a scenario says instead.
void add_trace_options(CLI::App& app, SimulateOptions& options, CLI::Option* scenario) {
  app.add_option("TRACE", options.trace, "the trace of a run")->excludes(scenario);
  CLI::Option* until =
      app.add_option("--calibrate-until", options.source.calibrate_seconds,
                     "how much of the run, from its begin, calibrates; the rest is simulated")
          ->check(number_between(1, 1e9))
          ->type_name("SECONDS")
          ->capture_default_str()
          ->excludes(scenario);
  app.add_flag("--whole", options.source.whole,
               "all of the run calibrates, and all of it is simulated again")
      ->excludes(scenario)
      ->excludes(until);
  app.add_option("--device", options.device,
                 "a profile of `rocktune probe-device`; default: the one that the run was recorded "
                 "with, else what the run has seen of a full device, else no device at all")
      ->type_name("FILE")
      ->excludes(scenario);
}

// "8.9", "7.8.3"; CLI11's contract: empty, or what is wrong.
std::string check_version(const std::string& text) {
  static const std::regex kVersion("[1-9][0-9]{0,2}[.][0-9]{1,3}([.][0-9]{1,3})?");
  return std::regex_match(text, kVersion) ? ""
                                          : "\"" + text + "\" is no version: write 8.9 or 7.8.3";
}

CLI::Option* add_scenario_options(CLI::App& app, ScenarioSource& source) {
  CLI::Option* scenario =
      app.add_option("--scenario", source.name_or_path,
                     "no trace, but a description of workload, options and device: a built-in of "
                     "rocktune-bench, or a file (docs/bench.md)")
          ->type_name("NAME|FILE");
  app.add_flag("--full", source.full, "the scenario at life size")->needs(scenario);
  source.cpus = std::max(1U, std::thread::hardware_concurrency());
  app.add_option("--cpus", source.cpus, "the scenario's machine has so many; default: this one's")
      ->check(CLI::Range(1, 4096))
      ->type_name("NUMBER")
      ->needs(scenario);
  source.memory_bytes = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  app.add_option("--memory", source.memory_bytes,
                 "...and so much memory, as 512MiB or 64GiB; default: this one's")
      ->transform(CLI::AsSizeValue(true))
      ->check(CLI::Range(std::int64_t{1} << 20, std::int64_t{1} << 50))
      ->type_name("SIZE")
      ->needs(scenario);
  app.add_option("--rocksdb", source.rocksdb_version,
                 "the scenario's RocksDB, whose rules are followed")
      ->check(check_version)
      ->type_name("VERSION")
      ->capture_default_str()
      ->needs(scenario);
  return scenario;
}

}  // namespace

void add_simulate(CLI::App& root, Action& chosen) {
  CLI::App* app = root.add_subcommand(
      "simulate",
      "what policies would have come to in a recorded run, or in a scenario, in closed loop");
  auto options = std::make_shared<SimulateOptions>();
  add_trace_options(*app, *options, add_scenario_options(*app, options->scenario));
  app->add_option("--policies,--policy", options->policies, "what to compare, with commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("POLICY")
      ->capture_default_str();
  app->add_option("--target", options->target,
                  "one database, by name; default: each. Those on one device are simulated on one")
      ->type_name("NAME");
  app->add_option("--seeds", options->seeds, "simulations of each policy")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000}))
      ->type_name("NUMBER")
      ->capture_default_str();
  app->add_option(
         "--alert-log", options->alert_log,
         "write what rocktuned would have logged under the last policy with the last seed, "
         "for `rocktune alerts` and `explain --log`; its clock begins in 1970")
      ->type_name("FILE");
  app->add_flag("--json", options->json, "one line of JSON for each database, with every seed");
  app->footer(
      std::string(
          "Examples: rocktune simulate run.sqlite --policies static,headroom,silk\n"
          "          rocktune simulate --scenario write-burst --policies static,headroom\n\n") +
      kPolicyChoiceHelp + "\n\n" + kSimulationClaims + "\n\n" + kScenarioClaims);
  app->callback([options, &chosen] { chosen = [options] { return simulate_all(*options); }; });
}

}  // namespace rocktune::tools
