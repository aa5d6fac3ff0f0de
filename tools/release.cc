// rocktune release: gives a knob that an operator had set by hand back to rocktuned.
#include <iostream>
#include <memory>

#include "tools/command.h"
#include "tools/control.h"

namespace rocktune::tools {
namespace {

struct ReleaseOptions {
  std::string socket, knob, column_family, target;
  bool all = false, json = false;
};

int release(const ReleaseOptions& options) {
  if (options.all != options.knob.empty()) {
    return report_error({ErrorCode::kInvalidArgument,
                         "release: name one KNOB, or say --all; `rocktune knobs` lists them"},
                        kUsage);
  }
  Json body{{"column_family", options.column_family}};
  if (!options.all) body["knob"] = options.knob;
  if (!options.target.empty()) body["target"] = options.target;
  const auto answer = ask_daemon(options.socket, "POST", "/v1/release", body, kOrderTimeout);
  if (!answer) return report_error(answer.error().within("release"));
  const auto report = change_report(*answer, "released");
  if (!report) return report_error(report.error().within("release"));
  if (options.json) {
    print_json(*answer);
  } else {
    for (const std::string& line : report->lines) std::cout << line << '\n';
  }
  return report->exit_code;
}

}  // namespace

void add_release(CLI::App& root, Action& chosen) {
  CLI::App* app = root.add_subcommand("release", "let rocktuned tune a knob again");
  auto options = std::make_shared<ReleaseOptions>();
  add_socket_option(*app, options->socket);
  app->add_option("KNOB", options->knob, "as `rocktune status` lists it")->check(utf8_name());
  app->add_option("--column-family", options->column_family, "of a knob that each one has")
      ->check(utf8_name())
      ->type_name("NAME");
  app->add_option("--target", options->target,
                  "one database, by name or path; default: all that have it")
      ->check(utf8_name())
      ->type_name("NAME");
  app->add_flag("--all", options->all, "every knob");
  app->add_flag("--json", options->json, "rocktuned's answer as one line of JSON");
  app->footer("Example: rocktune release max_background_jobs --target orders");
  app->callback([options, &chosen] { chosen = [options] { return release(*options); }; });
}

}  // namespace rocktune::tools
