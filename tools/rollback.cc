// rocktune rollback: returns every knob to the value that rocktune found. They then count as set by
// hand, until `rocktune release`.
#include <iostream>
#include <memory>

#include "tools/command.h"
#include "tools/control.h"

namespace rocktune::tools {
namespace {

struct RollbackOptions {
  std::string socket, target;
};

int rollback(const RollbackOptions& options) {
  Json body = Json::object();
  if (!options.target.empty()) body["target"] = options.target;
  const auto answer = ask_daemon(options.socket, "POST", "/v1/rollback", body);
  if (!answer) return report_error(answer.error().within("rollback"));
  const auto report = change_report(*answer);
  if (!report) return report_error(report.error().within("rollback"));
  for (const std::string& line : report->lines) std::cout << line << '\n';
  std::cout.flush();
  return report->exit_code;
}

}  // namespace

void add_rollback(CLI::App& root, Action& chosen) {
  CLI::App* app = root.add_subcommand("rollback", "return every knob to what rocktune found");
  auto options = std::make_shared<RollbackOptions>();
  add_socket_option(*app, options->socket);
  app->add_option("--target", options->target, "one database, by name; default: all")
      ->type_name("NAME");
  app->footer("The values then stay, as if set by hand, until `rocktune release --all`.");
  app->callback([options, &chosen] { chosen = [options] { return rollback(*options); }; });
}

}  // namespace rocktune::tools
