// rocktune freeze, rocktune unfreeze: rocktuned changes nothing while its freeze file is there.
#include <iostream>
#include <memory>
#include <string>

#include "tools/command.h"
#include "tools/control.h"
#include "tools/json_fields.h"

namespace rocktune::tools {
namespace {

// Where no daemon answers: `by_hand` is what does without one.
int refused(Error error, const char* by_hand) {
  const bool away = error.code == ErrorCode::kNotFound || error.code == ErrorCode::kUnavailable;
  if (away) {
    error.message += std::string("; while rocktuned does not run, `") + by_hand +
                     " /run/rocktune/freeze` does the same (or of the file that its "
                     "daemon.freeze_file names)";
  }
  return report_error(error);
}

struct FreezeOptions {
  std::string socket;
  double seconds = 0;  // 0: until unfrozen
};

int freeze(const FreezeOptions& options) {
  Json body = Json::object();
  if (options.seconds > 0) body["for_seconds"] = options.seconds;
  const auto answer = ask_daemon(options.socket, "POST", "/v1/freeze", body);
  if (!answer) return refused(answer.error().within("freeze"), "touch");
  const std::string until = text_at(*answer, "until");
  std::cout << "nothing is changed "
            << (until.empty() ? "until `rocktune unfreeze`" : "until " + until) << " ("
            << text_at(*answer, "file") << ")" << std::endl;
  return kOk;
}

int unfreeze(const std::string& socket) {
  const auto answer = ask_daemon(socket, "POST", "/v1/unfreeze", Json::object());
  if (!answer) return refused(answer.error().within("unfreeze"), "rm");
  std::cout << "rocktuned may change knobs again" << std::endl;
  return kOk;
}

// CLI11's own words for it are "Missing mandatory unit".
std::string has_unit(const std::string& time) {
  const bool bare = !time.empty() && time.find_first_not_of("0123456789.") == std::string::npos;
  return bare ? "needs a unit: " + time + "s, " + time + "m, " + time + "h or " + time + "d" : "";
}

// In seconds by now; what is wrong with it.
std::string is_freeze_time(const std::string& seconds) {
  const bool between = number_between(1.0, 365 * 86400.0)(seconds).empty();
  return between ? "" : "must be from 1s to 365d";
}

}  // namespace

void add_freeze(CLI::App& root, Action& chosen) {
  CLI::App* app = root.add_subcommand("freeze", "let rocktuned change nothing for now");
  auto options = std::make_shared<FreezeOptions>();
  add_socket_option(*app, options->socket);
  app->add_option("--for", options->seconds, "end by itself after this time: 90s, 10m, 2h, 1d")
      ->transform(CLI::AsNumberWithUnit(time_units(), CLI::AsNumberWithUnit::UNIT_REQUIRED))
      ->transform(CLI::Validator([](std::string& time) { return has_unit(time); }, ""))  // first
      ->check(CLI::Validator(is_freeze_time, ""))
      ->type_name("TIME");
  app->footer(
      "What was changed stays, and warnings go on. It holds through a restart: it is a file\n"
      "(daemon.freeze_file), and where no daemon runs, `touch` of that file does the same.");
  app->callback([options, &chosen] { chosen = [options] { return freeze(*options); }; });
}

void add_unfreeze(CLI::App& root, Action& chosen) {
  CLI::App* app = root.add_subcommand("unfreeze", "end a freeze");
  auto socket = std::make_shared<std::string>();
  add_socket_option(*app, *socket);
  app->callback([socket, &chosen] { chosen = [socket] { return unfreeze(*socket); }; });
}

}  // namespace rocktune::tools
