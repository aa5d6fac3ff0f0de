// Options of the commands that run a workload or a scenario, and of those of devices.
#include <memory>

#include "bench/cli/commands.h"
#include "bench/cli/run_command.h"
#include "bench/device/device_command.h"

namespace rocktune::bench {
namespace {

void add_common(CLI::App& app, RunSettings& settings) {
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
                 "Mild-Pressure of Park and Kim, ...), or FILE.yaml:NAME; of a scenario, every "
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

void add_device_fit(CLI::App& device, Action& chosen) {
  CLI::App* fit =
      device.add_subcommand("fit", "Fit a profile to measured points; prints it with its error");
  auto settings = std::make_shared<DeviceFitSettings>();
  fit->add_option("points", settings->points, "A CSV file: a row for each fio run")->required();
  fit->add_option("--name", settings->name, "The profile's name")->capture_default_str();
  fit->add_option("--description", settings->description, "What stands in the profile");
  fit->add_option("--write-buffer", settings->write_buffer,
                  "The profile's, which is not fitted: bytes, or 32MiB")
      ->capture_default_str();
  fit->add_option("--parts", settings->parts, "One of so many parts is held out")
      ->check(CLI::Range(2, 20))
      ->capture_default_str();
  fit->add_option("--seed", settings->seed, "Of the draw of the points held out")
      ->capture_default_str();
  fit->add_flag("--json", settings->json, "Print JSON");
  fit->callback(
      [settings, &chosen] { chosen = [settings] { return device_fit_command(*settings); }; });
}

void add_device_cost(CLI::App& device, Action& chosen) {
  CLI::App* cost =
      device.add_subcommand("cost", "What the emulated device itself costs for each I/O");
  auto settings = std::make_shared<DeviceCostSettings>();
  cost->add_option("--device", settings->profile, "A built-in profile or a YAML file")
      ->capture_default_str();
  cost->add_option("--requests", settings->requests, "Requests of each thread")
      ->check(CLI::Range(std::int64_t{1000}, std::int64_t{1'000'000'000}))
      ->capture_default_str();
  cost->add_flag("--json", settings->json, "Print JSON");
  cost->callback(
      [settings, &chosen] { chosen = [settings] { return device_cost_command(*settings); }; });
}

void add_device_clean(CLI::App& device, Action& chosen) {
  CLI::App* clean =
      device.add_subcommand("clean", "Remove what killed runs left of throttled loop devices");
  clean->callback([&chosen] { chosen = device_clean_command; });
}

}  // namespace

void add_run(CLI::App& root, Action& chosen) {
  CLI::App* command =
      root.add_subcommand("run", "Run a workload or a scenario; prints one JSON document");
  auto settings = std::make_shared<RunSettings>();
  add_common(*command, *settings);
  command->add_option(
      "--db", settings->database,
      "The database's directory, or that of a scenario's databases; loaded when empty "
      "(default: a temporary one)");
  command->add_option("--device", settings->device,
                      "none, an emulated device (a built-in such as nvme-p41, or a YAML file), or "
                      "loop:PROFILE; default: the scenario's, or none");
  command
      ->add_option("--seconds", settings->seconds, "Stretch or shorten the phases to this in all")
      ->check(number_between(0.5, 1e6));
  command->add_flag("--agent,!--no-agent", settings->agent, "Attach the rocktune agent (default)");
  command->add_option("--json", settings->json, "Write the result here instead of stdout");
  command->callback(
      [settings, &chosen] { chosen = [settings] { return run_command(*settings); }; });
}

void add_load(CLI::App& root, Action& chosen) {
  CLI::App* command =
      root.add_subcommand("load", "Only load the records of a workload or a scenario into --db");
  auto settings = std::make_shared<RunSettings>();
  settings->load_only = true;
  add_common(*command, *settings);
  command->add_option("--db", settings->database, "The database's directory")->required();
  command->callback(
      [settings, &chosen] { chosen = [settings] { return run_command(*settings); }; });
}

void add_device(CLI::App& root, Action& chosen) {
  CLI::App* device = root.add_subcommand("device", "Fit, measure and clean up devices");
  device->require_subcommand(1);
  add_device_fit(*device, chosen);
  add_device_cost(*device, chosen);
  add_device_clean(*device, chosen);
}

}  // namespace rocktune::bench
