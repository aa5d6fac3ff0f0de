// Options of the commands that compare policies.
#include <memory>

#include "bench/cli/commands.h"
#include "bench/compare/compare.h"
#include "bench/compare/standings.h"
#include "bench/demo/demo.h"
#include "bench/no_harm/no_harm.h"
#include "bench/replay_ops/command.h"
#include "bench/replay_ops/host.h"
#include "bench/simulate/validate_order.h"

namespace rocktune::bench {

void add_demo(CLI::App& root, Action& chosen) {
  CLI::App* command = root.add_subcommand(
      "demo", "Mild-Pressure of Park and Kim on an emulated NVMe: static, then with rocktuned");
  auto settings = std::make_shared<DemoSettings>();
  command
      ->add_option("--seconds", settings->seconds,
                   "Length of each of the two runs (default: as the workload says)")
      ->check(number_between(2.0, 3600.0));
  command
      ->add_option("--scale", settings->scale, "What the source's sizes and rates are divided by")
      ->check(number_between(1.0, 1e4))
      ->capture_default_str();
  command
      ->add_option(
          "--records", settings->records,
          "Instead of the workload's 625000: fewer make a smaller demo, not a faithful one")
      ->check(CLI::Range(std::int64_t{1000}, std::int64_t{10'000'000'000}));
  command->add_flag("--clean", settings->clean,
                    "Remove everything at the end, the alert log and the trace too");
  command->callback(
      [settings, &chosen] { chosen = [settings] { return demo_command(*settings); }; });
}

void add_compare(CLI::App& root, Action& chosen) {
  CLI::App* command = root.add_subcommand(
      "compare", "Policies side by side on one scenario, on copies of one loaded database");
  auto settings = std::make_shared<CompareSettings>();
  command->add_option("--scenario,-s", settings->scenario, "A built-in scenario or a YAML file")
      ->required();
  command
      ->add_option("--policies,-p", settings->policies,
                   "Separated by commas: static, best-static (a search, recorded), "
                   "native-auto-tuned, static@CONFIGURATION, or a policy of rocktuned's, "
                   "NAME or NAME:param=value:param=value")
      ->capture_default_str();
  command
      ->add_option("--repeat,-n", settings->repeat,
                   "Runs of each policy; a later call may add more")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{10000}))
      ->capture_default_str();
  command->add_option("--output,-o", settings->output,
                      "Where runs and reports are kept and extended (default: compare-SCENARIO)");
  command->add_flag("--full", settings->full, "The scenario at life size");
  command->add_option("--device", settings->device,
                      "Instead of the scenario's: NAME, FILE.yaml, loop:NAME or none");
  command->add_option("--seconds", settings->seconds, "Stretch or shorten each run to this")
      ->check(number_between(0.5, 1e6));
  command->add_option("--seed", settings->seed, "Of the order of the runs and of the bootstrap")
      ->capture_default_str();
  command->add_flag("--traces", settings->traces,
                    "Traces of all runs: beside a policy that needs no rocktuned one observes");
  command->callback(
      [settings, &chosen] { chosen = [settings] { return compare_command(*settings); }; });
}

void add_standings(CLI::App& root, Action& chosen) {
  CLI::App* command = root.add_subcommand(
      "standings", "Several comparisons in one table for each figure, as Markdown");
  auto settings = std::make_shared<StandingsSettings>();
  command->add_option("directories", settings->directories, "Outputs of `rocktune-bench compare`")
      ->required();
  command->add_option("--policy,-p", settings->policy, "Where it is behind is listed")
      ->capture_default_str();
  command->callback(
      [settings, &chosen] { chosen = [settings] { return standings_command(*settings); }; });
}

void add_no_harm(CLI::App& root, Action& chosen) {
  CLI::App* command = root.add_subcommand(
      "no-harm", "A policy against doing nothing, on random scenarios: is it ever behind?");
  auto settings = std::make_shared<NoHarmSettings>();
  command->add_option("--scenarios", settings->scenarios, "How many; a later call may add more")
      ->check(CLI::Range(std::int64_t{1}, kMostRandomScenarios))
      ->capture_default_str();
  command->add_option("--seconds", settings->seconds, "Length of each run")
      ->check(number_between(1.0, 3600.0))
      ->capture_default_str();
  command->add_option("--seed", settings->seed, "Of the scenarios and of the order of the runs")
      ->check(CLI::Range(std::uint64_t{0}, kMostNoHarmSeed))
      ->capture_default_str();
  command->add_option("--policy,-p", settings->policy, "What is compared with static")
      ->capture_default_str();
  command
      ->add_option("--confirm", settings->confirm,
                   "More pairs of runs of a scenario in which the policy fell behind")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100}))
      ->capture_default_str();
  command->add_option("--output,-o", settings->output,
                      "Where everything is kept and extended (default: no-harm-POLICY)");
  command->callback(
      [settings, &chosen] { chosen = [settings] { return no_harm_command(*settings); }; });
}

void add_replay_ops(CLI::App& root, Action& chosen) {
  CLI::App* command = root.add_subcommand(
      "replay-ops", "Recorded operations done again, with each policy live on a copy of its own");
  auto settings = std::make_shared<ReplayOpsSettings>();
  command->add_option("recording", settings->recording, "A directory of rocktune record-ops")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("--policies,-p", settings->policies,
                   "Separated by commas: static, or a policy of rocktuned's")
      ->capture_default_str();
  command
      ->add_option("--repeat,-n", settings->repeat,
                   "Runs of each policy; a later call may add more")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{10000}))
      ->capture_default_str();
  command->add_option("--speed", settings->speed, "Of the recorded pace: 2 is twice as fast")
      ->check(number_between(0.01, 1000.0))
      ->capture_default_str();
  command->add_option("--threads", settings->threads, "Threads (default: 8 for each CPU)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}));
  command->add_option("--output,-o", settings->output,
                      "Where runs and reports are kept and extended (default: replay-ops-DIR)");
  command->add_flag("--json", settings->json, "The summary on stdout, and nothing else");
  command->add_option("--seed", settings->seed, "Of the order of the runs and of the bootstrap")
      ->capture_default_str();
  command->callback(
      [settings, &chosen] { chosen = [settings] { return replay_ops_command(*settings); }; });
}

// What `replay-ops` starts: not for people.
void add_replay_ops_host(CLI::App& root, Action& chosen) {
  CLI::App* command = root.add_subcommand("replay-ops-host", "");
  auto settings = std::make_shared<ReplayOpsHost>();
  command->group("");
  command->add_option("--recording", settings->recording)->required();
  command->add_option("--db", settings->database)->required();
  command->add_option("--json", settings->json)->required();
  command->add_option("--speed", settings->speed);
  command->add_option("--threads", settings->threads)->required();
  command->add_option("--progress", settings->progress);
  command->callback(
      [settings, &chosen] { chosen = [settings] { return replay_ops_host_command(*settings); }; });
}

void add_validate_order(CLI::App& root, Action& chosen) {
  CLI::App* command = root.add_subcommand(
      "validate-order", "The order of policies in the simulator against that of real runs");
  auto settings = std::make_shared<ValidateOrderSettings>();
  command->add_option("directories", settings->directories, "Outputs of `rocktune-bench compare`")
      ->required();
  command->add_option(
      "--calibrate-on", settings->source,
      "The policy whose trace calibrates, or `scenario`: nothing but its text (default: "
      "the first policy that has a trace)");
  command->add_option("--seeds", settings->seeds, "Simulations of each policy")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--json", settings->json, "One JSON document, with every run and seed");
  command->callback(
      [settings, &chosen] { chosen = [settings] { return validate_order_command(*settings); }; });
}

}  // namespace rocktune::bench
