// rocktune rollback: takes back one decision, returns some knobs to the value that rocktune found,
// or all of them. They then count as set by hand, until `rocktune release`.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string_view>
#include <vector>

#include "tools/command.h"
#include "tools/control.h"
#include "tools/decision_log.h"

namespace rocktune::tools {
namespace {

struct RollbackOptions {
  std::string socket, target, column_family, log;
  std::vector<std::string> names;
  bool all = false, json = false;
};

// "261128-085511.628-1": of knobs no name begins with a digit.
bool is_decision(std::string_view name) {
  return !name.empty() && name.find_first_not_of("0123456789-.") == std::string_view::npos;
}

Result<RollbackOrder> order_for(const RollbackOptions& options, const std::string& name) {
  if (is_decision(name)) return rollback_order(options.log, {name, options.target, true, 1000});
  Json body{{"knob", name}, {"column_family", options.column_family}};
  if (!options.target.empty()) body["target"] = options.target;
  return RollbackOrder{body, "", 0, {}};
}

// Several names are looked up before the first is rolled back: a misspelt one changes nothing.
Result<void> check_all(const RollbackOptions& options, const std::vector<RollbackOrder>& orders) {
  if (orders.size() < 2) return {};
  for (const RollbackOrder& order : orders) {
    Json body = order.body;
    body["check"] = true;
    const auto known = ask_daemon(options.socket, "POST", "/v1/rollback", body, kOrderTimeout);
    if (!known) return tl::unexpected(known.error());
  }
  return {};
}

Result<std::vector<RollbackOrder>> orders(const RollbackOptions& options) {
  std::vector<RollbackOrder> list;
  for (const std::string& name : options.names) {
    auto order = order_for(options, name);
    if (!order) return tl::unexpected(order.error());
    list.push_back(*std::move(order));
  }
  if (!list.empty()) return earliest_of_each(std::move(list));
  Json body = Json::object();
  if (!options.target.empty()) body["target"] = options.target;
  return std::vector<RollbackOrder>{{body, "", 0, {}}};
}

Result<void> check_options(const RollbackOptions& options) {
  if (options.all != options.names.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "name what is to go back, a decision or a knob, or say --all: every knob");
  }
  if (options.all && !options.column_family.empty()) {
    return fail(ErrorCode::kInvalidArgument, "--column-family needs a KNOB");
  }
  const bool any_id = std::any_of(options.names.begin(), options.names.end(), is_decision);
  if (any_id && !options.column_family.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "--column-family is for a KNOB; a decision has its own");
  }
  return {};
}

void print_rollback(const RollbackOrder& order, const Json& answer, const ChangeReport& report,
                    bool as_json) {
  const bool along = report.exit_code == kOk && !order.takes_along.empty();
  if (as_json) {
    Json all = answer;
    if (along) all["takes_along"] = order.takes_along;
    return print_json(all);
  }
  for (const std::string& line : report.lines) std::cout << line << '\n';
  if (!along) return;
  for (const std::string& later : order.takes_along) {
    std::cout << "decision " << later << " came after " << order.decision
              << ", of the same knob: it is taken back with it\n";
  }
}

int rollback(const RollbackOptions& options) {
  if (const auto good = check_options(options); !good) {
    return report_error(good.error().within("rollback"), kUsage);
  }
  const auto wanted = orders(options);
  if (!wanted) return report_error(wanted.error().within("rollback"));
  if (const auto known = check_all(options, *wanted); !known) {
    return report_error(known.error().within("rollback"));
  }
  int exit_code = kOk;
  bool left_alone = false;
  for (const RollbackOrder& order : *wanted) {
    const auto answer =
        ask_daemon(options.socket, "POST", "/v1/rollback", order.body, kOrderTimeout);
    if (!answer) return report_error(answer.error().within("rollback"));
    const auto report = change_report(*answer);
    if (!report) return report_error(report.error().within("rollback"));
    print_rollback(order, *answer, *report, options.json);
    exit_code = std::max(exit_code, report->exit_code);
    left_alone = left_alone || report->left_alone;
  }
  if (exit_code == kOk && !options.json) {
    std::cout << (options.names.empty()
                      ? left_alone
                            ? "every other knob is held where it was found, listed or not, until "
                            : "every knob is held where it was found, listed or not, until "
                      : "held there until ")
              << "`rocktune release KNOB`, or `release --all`\n";
  }
  return exit_code;
}

}  // namespace

void add_rollback(CLI::App& root, Action& chosen) {
  CLI::App* app = root.add_subcommand("rollback", "return knobs to what they were");
  auto options = std::make_shared<RollbackOptions>();
  add_socket_option(*app, options->socket);
  app->add_option("ID|KNOB", options->names,
                  "decisions, each to the value before it, or knobs, each to the value that\n"
                  "rocktune found")
      ->check(utf8_name());
  app->add_flag("--all", options->all, "every knob, of every database or of --target");
  app->add_option("--column-family", options->column_family, "of a knob that each one has")
      ->check(utf8_name())
      ->type_name("NAME");
  app->add_option("--target", options->target,
                  "one database, by name or path (with an ID by name); default: all")
      ->check(utf8_name())
      ->type_name("NAME");
  add_log_option(*app, options->log);
  app->add_flag("--json", options->json, "rocktuned's answers, each as one line of JSON");
  app->footer(
      "The values then stay, as if set by hand, until `rocktune release KNOB` or `release --all`.\n"
      "What a decision did is read from the alert log (--log).\n"
      "Example: rocktune rollback 261128-085511.628-1 max_background_jobs --target orders");
  app->callback([options, &chosen] { chosen = [options] { return rollback(*options); }; });
}

}  // namespace rocktune::tools
