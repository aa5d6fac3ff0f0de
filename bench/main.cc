// rocktune-bench: workloads on an embedded RocksDB with the rocktune agent linked in.
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "bench/cli/run_command.h"
#include "bench/compare/compare.h"
#include "bench/compare/standings.h"
#include "bench/demo/demo.h"
#include "bench/device/device_command.h"
#include "bench/experiment/command.h"
#include "bench/no_harm/no_harm.h"
#include "bench/overhead/host.h"
#include "bench/overhead/overhead.h"
#include "bench/replay_ops/command.h"
#include "bench/replay_ops/host.h"
#include "bench/replay_speed/replay_speed.h"
#include "bench/simulate/validate_order.h"

namespace {

// CLI::Range lets NaN pass, which is in no range.
CLI::Validator number_between(double low, double high) {
  const CLI::Range range(low, high);
  return CLI::Validator(
      [range](std::string& text) {
        return text.find_first_of("nN") == std::string::npos ? range(text) : text + " is no number";
      },
      range.get_description());
}

void add_common(CLI::App& app, rocktune::bench::RunSettings& settings) {
  auto* scenario =
      app.add_option("--scenario,-s", settings.scenario,
                     "Scenario: databases, workloads and a device; a built-in or a YAML file");
  app.add_flag("--full", settings.full, "The scenario at life size")->needs(scenario);
  app.add_option("--workload,-w", settings.workload,
                 "One database, instead of a scenario: a built-in (ycsb-a to ycsb-f, mixgraph, "
                 "demo) or a YAML file")
      ->excludes(scenario);
  app.add_option("--configuration", settings.configuration,
                 "How RocksDB is opened: a built-in (Baseline, ReadOpt-512MB, ReadOpt-1GB, "
                 "Mild-Pressure of source 000, ...), or FILE.yaml:NAME; of a scenario, every "
                 "database (default: ReadOpt-512MB, or the scenario's own)");
  app.add_option("--scale", settings.scale,
                 "Divides every size and rate of the configuration and of the device")
      ->excludes(scenario)
      ->check(number_between(0.001, 1e6))
      ->capture_default_str();
  app.add_option("--device-scale", settings.device_scale,
                 "Divides the device's sizes and rates (default: --scale)")
      ->check(number_between(0.001, 1e6));
  app.add_option("--config", settings.options,
                 "KEY=VALUE: one option of the configuration (not scaled), or any RocksDB option; "
                 "NAME:KEY=VALUE: of one of the scenario's databases")
      ->take_all();
  app.add_option("--records", settings.records, "Instead of the workload's record count")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{10'000'000'000}));
  app.add_option("--value-size", settings.value_size, "Instead of the workload's, in bytes")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{16 << 20}));
  app.add_option("--threads", settings.threads, "Instead of the workload's")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}));
  app.add_option("--progress", settings.progress, "auto, lines, json (on stdout) or none")
      ->capture_default_str();
}

void add_run(CLI::App& run, rocktune::bench::RunSettings& settings) {
  add_common(run, settings);
  run.add_option("--db", settings.database,
                 "The database's directory, or that of a scenario's databases; loaded when empty "
                 "(default: a temporary one)");
  run.add_option("--device", settings.device,
                 "none, an emulated device (a built-in such as nvme-p41, or a YAML file), or "
                 "loop:PROFILE; default: the scenario's, or none");
  run.add_option("--seconds", settings.seconds, "Stretch or shorten the phases to this in all")
      ->check(number_between(0.5, 1e6));
  run.add_flag("--agent,!--no-agent", settings.agent, "Attach the rocktune agent (default)");
  run.add_option("--json", settings.json, "Write the result here instead of stdout");
}

void add_demo(CLI::App& demo, rocktune::bench::DemoSettings& settings) {
  demo.add_option("--seconds", settings.seconds,
                  "Length of each of the two runs (default: as the workload says)")
      ->check(number_between(2.0, 3600.0));
  demo.add_option("--scale", settings.scale, "What the source's sizes and rates are divided by")
      ->check(number_between(1.0, 1e4))
      ->capture_default_str();
  demo.add_option("--records", settings.records,
                  "Instead of the workload's 625000: fewer make a smaller demo, not a faithful one")
      ->check(CLI::Range(std::int64_t{1000}, std::int64_t{10'000'000'000}));
  demo.add_flag("--clean", settings.clean,
                "Remove everything at the end, the alert log and the trace too");
}

void add_compare(CLI::App& compare, rocktune::bench::CompareSettings& settings) {
  compare.add_option("--scenario,-s", settings.scenario, "A built-in scenario or a YAML file")
      ->required();
  compare
      .add_option("--policies,-p", settings.policies,
                  "Separated by commas: static, best-static (a search, recorded), "
                  "native-auto-tuned, static@CONFIGURATION, or a policy of rocktuned's")
      ->capture_default_str();
  compare
      .add_option("--repeat,-n", settings.repeat, "Runs of each policy; a later call may add more")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{10000}))
      ->capture_default_str();
  compare.add_option("--output,-o", settings.output,
                     "Where runs and reports are kept and extended (default: compare-SCENARIO)");
  compare.add_flag("--full", settings.full, "The scenario at life size");
  compare.add_option("--device", settings.device,
                     "Instead of the scenario's: NAME, FILE.yaml, loop:NAME or none");
  compare.add_option("--seconds", settings.seconds, "Stretch or shorten each run to this")
      ->check(number_between(0.5, 1e6));
  compare.add_option("--seed", settings.seed, "Of the order of the runs and of the bootstrap")
      ->capture_default_str();
  compare.add_flag("--traces", settings.traces,
                   "Traces of all runs: beside a policy that needs no rocktuned one observes");
}

void add_replay_ops(CLI::App& replay, rocktune::bench::ReplayOpsSettings& settings) {
  replay.add_option("recording", settings.recording, "A directory of rocktune record-ops")
      ->required()
      ->type_name("DIR");
  replay
      .add_option("--policies,-p", settings.policies,
                  "Separated by commas: static, or a policy of rocktuned's")
      ->capture_default_str();
  replay
      .add_option("--repeat,-n", settings.repeat, "Runs of each policy; a later call may add more")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{10000}))
      ->capture_default_str();
  replay.add_option("--speed", settings.speed, "Of the recorded pace: 2 is twice as fast")
      ->check(number_between(0.01, 1000.0))
      ->capture_default_str();
  replay.add_option("--threads", settings.threads, "Threads (default: 8 for each CPU)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}));
  replay.add_option("--output,-o", settings.output,
                    "Where runs and reports are kept and extended (default: replay-ops-DIR)");
  replay.add_flag("--json", settings.json, "The summary on stdout, and nothing else");
  replay.add_option("--seed", settings.seed, "Of the order of the runs and of the bootstrap")
      ->capture_default_str();
}

// What `replay-ops` starts: not for people.
void add_replay_ops_host(CLI::App& host, rocktune::bench::ReplayOpsHost& settings) {
  host.group("");
  host.add_option("--recording", settings.recording)->required();
  host.add_option("--db", settings.database)->required();
  host.add_option("--json", settings.json)->required();
  host.add_option("--speed", settings.speed);
  host.add_option("--threads", settings.threads)->required();
  host.add_option("--progress", settings.progress);
}

void add_standings(CLI::App& standings, rocktune::bench::StandingsSettings& settings) {
  standings.add_option("directories", settings.directories, "Outputs of `rocktune-bench compare`")
      ->required();
  standings.add_option("--policy,-p", settings.policy, "Where it is behind is listed")
      ->capture_default_str();
}

void add_validate_order(CLI::App& order, rocktune::bench::ValidateOrderSettings& settings) {
  order.add_option("directories", settings.directories, "Outputs of `rocktune-bench compare`")
      ->required();
  order.add_option(
      "--calibrate-on", settings.source,
      "The policy whose trace calibrates, or `scenario`: nothing but its text (default: "
      "the first policy that has a trace)");
  order.add_option("--seeds", settings.seeds, "Simulations of each policy")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  order.add_flag("--json", settings.json, "One JSON document, with every run and seed");
}

void add_no_harm(CLI::App& no_harm, rocktune::bench::NoHarmSettings& settings) {
  no_harm.add_option("--scenarios", settings.scenarios, "How many; a later call may add more")
      ->check(CLI::Range(std::int64_t{1}, rocktune::bench::kMostRandomScenarios))
      ->capture_default_str();
  no_harm.add_option("--seconds", settings.seconds, "Length of each run")
      ->check(number_between(1.0, 3600.0))
      ->capture_default_str();
  no_harm.add_option("--seed", settings.seed, "Of the scenarios and of the order of the runs")
      ->check(CLI::Range(std::uint64_t{0}, rocktune::bench::kMostNoHarmSeed))
      ->capture_default_str();
  no_harm.add_option("--policy,-p", settings.policy, "What is compared with static")
      ->capture_default_str();
  no_harm
      .add_option("--confirm", settings.confirm,
                  "More pairs of runs of a scenario in which the policy fell behind")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100}))
      ->capture_default_str();
  no_harm.add_option("--output,-o", settings.output,
                     "Where everything is kept and extended (default: no-harm-POLICY)");
}

void add_overhead(CLI::App& overhead, rocktune::bench::OverheadSettings& settings) {
  overhead.add_option("--rounds", settings.rounds, "Rounds, each with every arm in random order")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000}))
      ->capture_default_str();
  overhead.add_option("--seconds", settings.seconds, "How long each arm runs in a round, in turns")
      ->check(number_between(0.5, 3600.0))
      ->capture_default_str();
  overhead.add_option("--workload,-w", settings.workload, "Only this one (default: both)")
      ->check(CLI::IsMember({"mix", "cached-reads"}));
  overhead.add_flag("--op-trace", settings.op_trace,
                    "Instead: what it costs to record operations (rocktune record-ops)");
  overhead.add_option("--threads", settings.threads, "Threads (default: one for each CPU)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}));
  overhead.add_option("--records", settings.records, "Records (default: 200000)")
      ->check(CLI::Range(std::int64_t{1000}, std::int64_t{1'000'000'000}));
  overhead
      .add_option("--families", settings.families,
                  "Column families of the database whose poll is measured")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{64}))
      ->capture_default_str();
  overhead.add_option("--seed", settings.seed, "Of the random order")->capture_default_str();
  overhead.add_option(
      "--json", settings.json,
      "Write the result to this file as well; \"-\": to stdout instead of the table");
}

void add_experiment(CLI::App& experiment, rocktune::bench::ExperimentSettings& settings) {
  experiment
      .add_option("name", settings.name,
                  "read-latency, write-path, sst-size, compaction-style, mixed-io, or a YAML file")
      ->required();
  experiment.add_flag("--full", settings.full, "The document's own size (hours, and much disk)");
  experiment.add_option("--part", settings.part, "Only this part of the experiment");
  experiment
      .add_option("--repeat", settings.repeat, "Rounds, each with every case in random order")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000}));
  experiment.add_option("--seconds", settings.seconds, "Length of each run")
      ->check(number_between(0.5, 86400.0));
  experiment.add_option("--output", settings.output,
                        "Where runs and tables stay; what is finished there is not run again");
  experiment.add_option("--seed", settings.seed, "Of the random order")->capture_default_str();
  experiment.add_flag("--json", settings.json, "The tables as JSON on stdout");
  experiment.add_flag("--report", settings.report_only, "Run nothing: the tables of --output");
  experiment.add_option("--progress", settings.progress, "auto or none")
      ->check(CLI::IsMember({"auto", "none"}))
      ->capture_default_str();
}

void add_replay_speed(CLI::App& speed, rocktune::bench::ReplaySpeedSettings& settings) {
  speed.add_option("--samples", settings.day.samples, "Polls of the day, one every half second")
      ->check(CLI::Range(std::int64_t{2400}, std::int64_t{10'000'000}))
      ->capture_default_str();
  speed.add_option("--families", settings.day.families, "Column families of its database")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{64}))
      ->capture_default_str();
  speed.add_option("--repeat", settings.repeats, "How often each is timed, in turns")
      ->check(CLI::Range(1, 99))
      ->capture_default_str();
  speed.add_option("--keep", settings.keep, "A directory in which the trace stays: day.sqlite")
      ->type_name("DIR");
  speed.add_flag("--json", settings.json, "Print JSON");
}

// What `overhead` starts: not for people.
void add_overhead_host(CLI::App& host, rocktune::bench::OverheadHost& settings) {
  host.group("");
  host.add_option("--db", settings.database)->required();
  host.add_option("--workload", settings.workload);
  host.add_option("--threads", settings.threads);
  host.add_option("--records", settings.records);
  host.add_option("--families", settings.families);
  host.add_flag("--agent,!--no-agent", settings.agent);
  host.add_flag("--statistics,!--no-statistics", settings.statistics);
}

// Subcommands of `device`.
struct DeviceCommands {
  rocktune::bench::DeviceFitSettings fit_settings;
  rocktune::bench::DeviceCostSettings cost_settings;
  CLI::App* fit = nullptr;
  CLI::App* cost = nullptr;
  CLI::App* clean = nullptr;

  void add(CLI::App& device) {
    device.require_subcommand(1);
    fit =
        device.add_subcommand("fit", "Fit a profile to measured points; prints it with its error");
    fit->add_option("points", fit_settings.points, "A CSV file: a row for each fio run")
        ->required();
    fit->add_option("--name", fit_settings.name, "The profile's name")->capture_default_str();
    fit->add_option("--description", fit_settings.description, "What stands in the profile");
    fit->add_option("--write-buffer", fit_settings.write_buffer,
                    "The profile's, which is not fitted: bytes, or 32MiB")
        ->capture_default_str();
    fit->add_option("--parts", fit_settings.parts, "One of so many parts is held out")
        ->check(CLI::Range(2, 20))
        ->capture_default_str();
    fit->add_option("--seed", fit_settings.seed, "Of the draw of the points held out")
        ->capture_default_str();
    fit->add_flag("--json", fit_settings.json, "Print JSON");
    cost = device.add_subcommand("cost", "What the emulated device itself costs for each I/O");
    cost->add_option("--device", cost_settings.profile, "A built-in profile or a YAML file")
        ->capture_default_str();
    cost->add_option("--requests", cost_settings.requests, "Requests of each thread")
        ->check(CLI::Range(std::int64_t{1000}, std::int64_t{1'000'000'000}))
        ->capture_default_str();
    cost->add_flag("--json", cost_settings.json, "Print JSON");
    clean =
        device.add_subcommand("clean", "Remove what killed runs left of throttled loop devices");
  }

  [[nodiscard]] int run() const {
    if (fit->parsed()) return rocktune::bench::device_fit_command(fit_settings);
    if (cost->parsed()) return rocktune::bench::device_cost_command(cost_settings);
    return rocktune::bench::device_clean_command();
  }
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Workloads on a RocksDB of its own, with the rocktune agent linked in.",
               "rocktune-bench"};
  app.footer(
      "Exit codes: 0 ok, 1 failed (no-harm: or there is harm), 2 usage, 130 stopped.\n"
      "`rocktune-bench COMMAND --help` says more.");
  app.require_subcommand(1);
  app.set_version_flag("--version", ROCKTUNE_VERSION);

  rocktune::bench::RunSettings run_settings;
  auto* run = app.add_subcommand("run", "Run a workload or a scenario; prints one JSON document");
  add_run(*run, run_settings);

  rocktune::bench::RunSettings load_settings;
  load_settings.load_only = true;
  auto* load =
      app.add_subcommand("load", "Only load the records of a workload or a scenario into --db");
  add_common(*load, load_settings);
  load->add_option("--db", load_settings.database, "The database's directory")->required();

  rocktune::bench::DemoSettings demo_settings;
  auto* demo = app.add_subcommand(
      "demo", "Mild-Pressure of source 000 on an emulated NVMe: static, then with rocktuned");
  add_demo(*demo, demo_settings);

  rocktune::bench::ExperimentSettings experiment_settings;
  auto* experiment =
      app.add_subcommand("experiment", "An experiment of a source document, beside its figures");
  add_experiment(*experiment, experiment_settings);

  rocktune::bench::CompareSettings compare_settings;
  auto* compare = app.add_subcommand(
      "compare", "Policies side by side on one scenario, on copies of one loaded database");
  add_compare(*compare, compare_settings);

  rocktune::bench::ReplayOpsSettings replay_settings;
  auto* replay = app.add_subcommand(
      "replay-ops", "Recorded operations done again, with each policy live on a copy of its own");
  add_replay_ops(*replay, replay_settings);
  rocktune::bench::ReplayOpsHost replay_host_settings;
  auto* replay_host = app.add_subcommand("replay-ops-host", "");
  add_replay_ops_host(*replay_host, replay_host_settings);

  rocktune::bench::StandingsSettings standings_settings;
  auto* standings = app.add_subcommand(
      "standings", "Several comparisons in one table for each figure, as Markdown");
  add_standings(*standings, standings_settings);

  rocktune::bench::ValidateOrderSettings order_settings;
  auto* order = app.add_subcommand(
      "validate-order", "The order of policies in the simulator against that of real runs");
  add_validate_order(*order, order_settings);

  rocktune::bench::NoHarmSettings no_harm_settings;
  auto* no_harm = app.add_subcommand(
      "no-harm", "A policy against doing nothing, on random scenarios: is it ever behind?");
  add_no_harm(*no_harm, no_harm_settings);

  rocktune::bench::OverheadSettings overhead_settings;
  auto* overhead = app.add_subcommand(
      "overhead", "What the agent costs: the same host with and without it, round by round");
  add_overhead(*overhead, overhead_settings);
  rocktune::bench::OverheadHost host_settings;
  auto* host = app.add_subcommand("overhead-host", "");
  add_overhead_host(*host, host_settings);

  rocktune::bench::ReplaySpeedSettings speed_settings;
  auto* speed = app.add_subcommand(
      "replay-speed", "A day's trace: how large it is, and how fast policies are judged on it");
  add_replay_speed(*speed, speed_settings);

  DeviceCommands device_commands;
  auto* device = app.add_subcommand("device", "Fit, measure and clean up devices");
  device_commands.add(*device);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    if (demo->parsed()) return rocktune::bench::demo_command(demo_settings);
    if (compare->parsed()) return rocktune::bench::compare_command(compare_settings);
    if (replay->parsed()) return rocktune::bench::replay_ops_command(replay_settings);
    if (replay_host->parsed()) {
      return rocktune::bench::replay_ops_host_command(replay_host_settings);
    }
    if (standings->parsed()) return rocktune::bench::standings_command(standings_settings);
    if (order->parsed()) return rocktune::bench::validate_order_command(order_settings);
    if (no_harm->parsed()) return rocktune::bench::no_harm_command(no_harm_settings);
    if (overhead->parsed()) return rocktune::bench::overhead_command(overhead_settings);
    if (speed->parsed()) return rocktune::bench::replay_speed_command(speed_settings);
    if (device->parsed()) return device_commands.run();
    if (experiment->parsed()) return rocktune::bench::experiment_command(experiment_settings);
    if (host->parsed()) return rocktune::bench::overhead_host_command(host_settings);
    return rocktune::bench::run_command(run->parsed() ? run_settings : load_settings);
  } catch (const std::exception& error) {
    std::cerr << "rocktune-bench: " << error.what() << '\n';
    return 1;
  }
}
