// How the subcommands of rocktune-bench join its command line: each adds itself with its options,
// and when the user chose it, leaves what is to be run, which returns the process's exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace rocktune::bench {

using Action = std::function<int()>;

// `chosen` has to outlive the parse.
void add_run(CLI::App& root, Action& chosen);
void add_load(CLI::App& root, Action& chosen);
void add_demo(CLI::App& root, Action& chosen);
void add_experiment(CLI::App& root, Action& chosen);
void add_compare(CLI::App& root, Action& chosen);
void add_replay_ops(CLI::App& root, Action& chosen);
void add_standings(CLI::App& root, Action& chosen);
void add_validate_order(CLI::App& root, Action& chosen);
void add_no_harm(CLI::App& root, Action& chosen);
void add_overhead(CLI::App& root, Action& chosen);
void add_replay_speed(CLI::App& root, Action& chosen);
void add_device(CLI::App& root, Action& chosen);

// What `replay-ops` and `overhead` start: not for people, and not in the help.
void add_replay_ops_host(CLI::App& root, Action& chosen);
void add_overhead_host(CLI::App& root, Action& chosen);

// CLI::Range lets NaN pass, which is in no range.
inline CLI::Validator number_between(double low, double high) {
  const CLI::Range range(low, high);
  return CLI::Validator(
      [range](std::string& text) {
        return text.find_first_of("nN") == std::string::npos ? range(text) : text + " is no number";
      },
      range.get_description());
}

}  // namespace rocktune::bench
