// rocktune status: what rocktuned sees and does, once.
#include <iostream>
#include <memory>

#include "tools/command.h"
#include "tools/control.h"
#include "tools/status_text.h"

namespace rocktune::tools {
namespace {

struct StatusOptions {
  std::string socket, target;
  bool json = false;
};

int status(const StatusOptions& options) {
  auto answer = ask_daemon(options.socket, "GET", "/v1/status");
  if (!answer) return report_error(answer.error());
  if (const auto kept = keep_target(*answer, options.target); !kept) {
    return report_error(kept.error().within("status"));
  }
  if (options.json) {
    std::cout << answer->dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
    return kOk;
  }
  const auto lines = status_lines(*answer);
  if (!lines) return report_error(lines.error());
  for (const std::string& line : *lines) std::cout << line << '\n';
  return kOk;
}

}  // namespace

void add_status(CLI::App& root, Action& chosen) {
  CLI::App* app = root.add_subcommand("status", "what rocktuned sees and does");
  auto options = std::make_shared<StatusOptions>();
  add_socket_option(*app, options->socket);
  app->add_option("--target", options->target, "one database, by name or path; default: all")
      ->type_name("NAME");
  app->add_flag("--json", options->json, "the daemon's answer as one line of JSON");
  app->footer("Example: rocktune status --json | jq '.targets[].knobs'");
  app->callback([options, &chosen] { chosen = [options] { return status(*options); }; });
}

}  // namespace rocktune::tools
