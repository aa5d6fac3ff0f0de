// How the subcommands join the command line: each adds itself with its options, and when the user
// chose it, leaves what is to be run. Exit codes: 0 ok, 1 failed, 2 usage.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/result.h"

namespace rocktune::tools {

inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;

using Action = std::function<int()>;

void add_run(CLI::App& root, Action& chosen, const std::vector<std::string>& command);
void add_status(CLI::App& root, Action& chosen);
void add_watch(CLI::App& root, Action& chosen);
void add_release(CLI::App& root, Action& chosen);
void add_rollback(CLI::App& root, Action& chosen);
void add_freeze(CLI::App& root, Action& chosen);
void add_unfreeze(CLI::App& root, Action& chosen);
void add_events(CLI::App& root, Action& chosen);
void add_stats(CLI::App& root, Action& chosen);
void add_knobs(CLI::App& root, Action& chosen);
void add_alerts(CLI::App& root, Action& chosen);
void add_explain(CLI::App& root, Action& chosen);
void add_trace(CLI::App& root, Action& chosen);
void add_replay(CLI::App& root, Action& chosen);
void add_record_ops(CLI::App& root, Action& chosen);
void add_replay_ops(CLI::App& root, Action& chosen);
void add_score(CLI::App& root, Action& chosen);
void add_simulate(CLI::App& root, Action& chosen);
void add_validate(CLI::App& root, Action& chosen);
void add_sweep(CLI::App& root, Action& chosen);
void add_advise(CLI::App& root, Action& chosen);
void add_report(CLI::App& root, Action& chosen);
void add_train(CLI::App& root, Action& chosen);
void add_import(CLI::App& root, Action& chosen);
void add_probe_device(CLI::App& root, Action& chosen);

// What times of options may be given in, for CLI::AsNumberWithUnit.
inline std::map<std::string, double> time_units() {
  return {{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
}

// CLI::Range lets NaN pass, which is in no range.
inline CLI::Validator number_between(double low, double high) {
  const CLI::Range range(low, high);
  return CLI::Validator(
      [range](std::string& text) {
        const bool is_number = text.find_first_of("nN") == std::string::npos;
        return is_number ? range(text) : text + " is no number";
      },
      range.get_description());
}

// --socket, with its default and environment variable.
void add_socket_option(CLI::App& command, std::string& socket);

// Of names that go to rocktuned, whose JSON takes nothing else.
CLI::Validator utf8_name();

// --log, the alert log, with its default and environment variable.
inline constexpr const char* kDefaultAlertLog = "/var/log/rocktune/alerts.jsonl";
void add_log_option(CLI::App& command, std::string& log);

// Prints "rocktune: message" on stderr; returns the exit code.
int report_error(const Error& error, int exit_code = kFailed);

}  // namespace rocktune::tools
