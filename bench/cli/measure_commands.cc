// Options of the commands that measure: experiments, what the agent costs, how fast replays are.
#include <memory>

#include "bench/cli/commands.h"
#include "bench/experiment/command.h"
#include "bench/overhead/host.h"
#include "bench/overhead/overhead.h"
#include "bench/replay_speed/replay_speed.h"

namespace rocktune::bench {

void add_experiment(CLI::App& root, Action& chosen) {
  CLI::App* command =
      root.add_subcommand("experiment", "An experiment of a source document, beside its figures");
  auto settings = std::make_shared<ExperimentSettings>();
  command
      ->add_option("name", settings->name,
                   "read-latency, write-path, sst-size, compaction-style, mixed-io, or a YAML file")
      ->required();
  command->add_flag("--full", settings->full, "The document's own size (hours, and much disk)");
  command->add_option("--part", settings->part, "Only this part of the experiment");
  command->add_option("--repeat", settings->repeat, "Rounds, each with every case in random order")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000}));
  command->add_option("--seconds", settings->seconds, "Length of each run")
      ->check(number_between(0.5, 86400.0));
  command->add_option("--output", settings->output,
                      "Where runs and tables stay; what is finished there is not run again");
  command->add_option("--seed", settings->seed, "Of the random order")->capture_default_str();
  command->add_flag("--json", settings->json, "The tables as JSON on stdout");
  command->add_flag("--report", settings->report_only, "Run nothing: the tables of --output");
  command->add_option("--progress", settings->progress, "auto or none")
      ->check(CLI::IsMember({"auto", "none"}))
      ->capture_default_str();
  command->callback(
      [settings, &chosen] { chosen = [settings] { return experiment_command(*settings); }; });
}

void add_overhead(CLI::App& root, Action& chosen) {
  CLI::App* command = root.add_subcommand(
      "overhead", "What the agent costs: the same host with and without it, round by round");
  auto settings = std::make_shared<OverheadSettings>();
  command->add_option("--rounds", settings->rounds, "Rounds, each with every arm in random order")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000}))
      ->capture_default_str();
  command->add_option("--seconds", settings->seconds, "How long each arm runs in a round, in turns")
      ->check(number_between(0.5, 3600.0))
      ->capture_default_str();
  command->add_option("--workload,-w", settings->workload, "Only this one (default: both)")
      ->check(CLI::IsMember({"mix", "cached-reads"}));
  command->add_flag("--op-trace", settings->op_trace,
                    "Instead: what it costs to record operations (rocktune record-ops)");
  command->add_option("--threads", settings->threads, "Threads (default: one for each CPU)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}));
  command->add_option("--records", settings->records, "Records (default: 200000)")
      ->check(CLI::Range(std::int64_t{1000}, std::int64_t{1'000'000'000}));
  command
      ->add_option("--families", settings->families,
                   "Column families of the database whose poll is measured")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{64}))
      ->capture_default_str();
  command->add_option("--seed", settings->seed, "Of the random order")->capture_default_str();
  command->add_option(
      "--json", settings->json,
      "Write the result to this file as well; \"-\": to stdout instead of the table");
  command->callback(
      [settings, &chosen] { chosen = [settings] { return overhead_command(*settings); }; });
}

// What `overhead` starts: not for people.
void add_overhead_host(CLI::App& root, Action& chosen) {
  CLI::App* command = root.add_subcommand("overhead-host", "");
  auto settings = std::make_shared<OverheadHost>();
  command->group("");
  command->add_option("--db", settings->database)->required();
  command->add_option("--workload", settings->workload);
  command->add_option("--threads", settings->threads);
  command->add_option("--records", settings->records);
  command->add_option("--families", settings->families);
  command->add_flag("--agent,!--no-agent", settings->agent);
  command->add_flag("--statistics,!--no-statistics", settings->statistics);
  command->callback(
      [settings, &chosen] { chosen = [settings] { return overhead_host_command(*settings); }; });
}

void add_replay_speed(CLI::App& root, Action& chosen) {
  CLI::App* command = root.add_subcommand(
      "replay-speed", "A day's trace: how large it is, and how fast policies are judged on it");
  auto settings = std::make_shared<ReplaySpeedSettings>();
  command->add_option("--samples", settings->day.samples, "Polls of the day, one every half second")
      ->check(CLI::Range(std::int64_t{2400}, std::int64_t{10'000'000}))
      ->capture_default_str();
  command->add_option("--families", settings->day.families, "Column families of its database")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{64}))
      ->capture_default_str();
  command->add_option("--repeat", settings->repeats, "How often each is timed, in turns")
      ->check(CLI::Range(1, 99))
      ->capture_default_str();
  command->add_option("--keep", settings->keep, "A directory in which the trace stays: day.sqlite")
      ->type_name("DIR");
  command->add_flag("--json", settings->json, "Print JSON");
  command->callback(
      [settings, &chosen] { chosen = [settings] { return replay_speed_command(*settings); }; });
}

}  // namespace rocktune::bench
