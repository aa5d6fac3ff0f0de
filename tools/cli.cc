#include "tools/cli.h"

#include <algorithm>
#include <exception>
#include <iostream>
#include <optional>

#include "tools/command.h"
#include "tools/control.h"
#include "tools/text.h"
#include "tools/version.h"

namespace rocktune::tools {
namespace {

constexpr const char* kExamples = R"(Examples:
  rocktune run -- db_bench --benchmarks=fillrandom   start a program with the agent in it
  rocktune status                                    what rocktuned sees and does
  rocktune watch                                     the same, live
  rocktune stats                                     what RocksDB counts, and what follows from it
  rocktune knobs                                     what can be changed while a database runs
  rocktune events --follow                           flushes, compactions, stalls, changes
  rocktune alerts /var/log/rocktune/alerts.jsonl -f  warnings and decisions as they come
  rocktune explain 261128-085511.628-1               why a change was made, and what came of it
  rocktune release max_background_jobs               let rocktuned tune a knob again
  rocktune rollback 261128-085511.628-1              take back one change; --all: every one
  rocktune freeze --for 10m                          change nothing for now
  rocktune trace info run.sqlite                     what is in a trace
  rocktune import rocksdb-log /db -o run.sqlite      a trace from RocksDB's own LOG files
  rocktune replay run.sqlite --policy static,headroom
                                                     what a policy would have decided
  rocktune simulate run.sqlite --policies static,headroom
                                                     what would have followed, on a model of it
  rocktune validate runs/*.sqlite                    how well that model repeats recorded runs
  rocktune sweep grid.yaml runs/*.sqlite -o result.jsonl
                                                     policies and parameters over many runs
  rocktune record-ops orders -o recording --seconds 60
                                                     what a database is asked for, to do it again
  rocktune replay-ops recording --policies static,headroom
                                                     what came of it with each of them
  rocktune advise run.sqlite                         what to change at the next open, and why
  rocktune score runs/*.sqlite                       how good the early warnings are
  rocktune report run.sqlite -o run.html             a page with charts of a trace or a result
  rocktune probe-device /var/lib/db -o device.yaml   what the disk there can do
  rocktune train runs/*.sqlite -o model.yaml         what they learn from recorded runs
Exit codes: 0 ok, 1 failed, 2 usage; some commands have more. `rocktune COMMAND --help` says more.)";

std::vector<std::string> command_names(const CLI::App& root) {
  std::vector<std::string> names;
  for (const CLI::App* command : root.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

// `before`: the command that it follows, with a space.
int unknown_command(const std::string& before, const std::string& word,
                    const std::vector<std::string>& names) {
  std::string message = "there is no command \"" + before + printable(word) + "\"";
  if (const std::string guess = closest(word, names); !guess.empty()) {
    message += "; did you mean \"" + before + guess + "\"?";
  } else {
    message += names.size() == 1 ? "; after " + before + "there is:" : "; there are:";
    for (const std::string& name : names) message += " " + name;
  }
  return report_error({ErrorCode::kInvalidArgument, message}, kUsage);
}

// CLI11 names what is missing, and not what was said instead. Exit code of the error; unset: none.
std::optional<int> look_for_unknown(const CLI::App& root, const std::vector<std::string>& words) {
  const CLI::App* at = &root;
  std::string before;
  for (const std::string& word : words) {
    const std::vector<std::string> names = command_names(*at);
    if (names.empty() || word.starts_with("-")) break;
    if (std::find(names.begin(), names.end(), word) == names.end()) {
      return unknown_command(before, word, names);
    }
    at = at->get_subcommand(word);
    before += word + " ";
  }
  return std::nullopt;
}

int usage_error(const CLI::App& root, const CLI::ParseError& problem) {
  std::string message = problem.what();
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::string command = "rocktune";
  for (auto chosen = root.get_subcommands(); !chosen.empty();
       chosen = chosen.front()->get_subcommands()) {
    command += " " + chosen.front()->get_name();
  }
  return report_error({ErrorCode::kInvalidArgument, message + "; see " + command + " --help"},
                      kUsage);
}

// What could not be printed is lost, whatever the command itself came to.
int when_printed(int code) {
  std::cout.flush();
  if (std::cout) return code;
  report_error({ErrorCode::kIo, "stdout cannot be written: the output is not whole"});
  return code == kOk ? kFailed : code;
}

}  // namespace

void add_socket_option(CLI::App& command, std::string& socket) {
  socket = kDefaultSocket;
  command.add_option("--socket", socket, "rocktuned's control socket")
      ->envname("ROCKTUNE_SOCKET")
      ->type_name("PATH")
      ->capture_default_str();
}

CLI::Validator utf8_name() {
  return CLI::Validator(
      [](const std::string& text) -> std::string {
        if (text.empty()) return "is empty (a variable of the shell that is not set?)";
        try {
          (void)Json(text).dump();
          return {};
        } catch (const Json::type_error&) {
          return "no UTF-8, so that it cannot be named to rocktuned; --all needs no name";
        }
      },
      "");
}

int report_error(const Error& error, int exit_code) {
  std::cerr << "rocktune: " << printable(error.message) << std::endl;
  return exit_code;
}

SplitArguments split_run(const std::vector<std::string>& arguments) {
  SplitArguments split;
  auto next = arguments.begin();
  if (next == arguments.end() || *next != "run") return {arguments, {}};
  split.own.push_back(*next++);
  while (next != arguments.end() && next->starts_with("-")) {
    if (*next == "--") {
      ++next;
      break;
    }
    const bool takes_value = *next == "--agent-dir" || *next == "--mode";
    split.own.push_back(*next++);
    if (takes_value && next != arguments.end()) split.own.push_back(*next++);
  }
  split.command.assign(next, arguments.end());
  return split;
}

int run_cli(const std::vector<std::string>& arguments) {
  CLI::App root("rocktune: keeps a running RocksDB fast", "rocktune");
  Action chosen;
  const SplitArguments split = split_run(arguments);
  root.set_version_flag("--version", std::string("rocktune ") + kVersion);
  root.require_subcommand(1);
  add_run(root, chosen, split.command);
  add_status(root, chosen);
  add_watch(root, chosen);
  add_stats(root, chosen);
  add_knobs(root, chosen);
  add_events(root, chosen);
  add_alerts(root, chosen);
  add_explain(root, chosen);
  add_release(root, chosen);
  add_rollback(root, chosen);
  add_freeze(root, chosen);
  add_unfreeze(root, chosen);
  add_trace(root, chosen);
  add_replay(root, chosen);
  add_record_ops(root, chosen);
  add_replay_ops(root, chosen);
  add_score(root, chosen);
  add_simulate(root, chosen);
  add_validate(root, chosen);
  add_sweep(root, chosen);
  add_advise(root, chosen);
  add_report(root, chosen);
  add_train(root, chosen);
  add_import(root, chosen);
  add_probe_device(root, chosen);
  root.footer(kExamples);  // last: commands take over the footer that is there when they are added

  if (const auto code = look_for_unknown(root, arguments)) return *code;
  try {
    root.parse(std::vector<std::string>(split.own.rbegin(), split.own.rend()));
    return when_printed(chosen());
  } catch (const CLI::Success& asked) {  // --help, --version
    return when_printed(root.exit(asked));
  } catch (const CLI::ParseError& problem) {
    return usage_error(root, problem);
  } catch (const std::exception& problem) {
    return report_error({ErrorCode::kIo, std::string("unexpected: ") + problem.what()});
  }
}

}  // namespace rocktune::tools
