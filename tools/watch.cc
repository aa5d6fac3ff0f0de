// rocktune watch: the status, live. On a terminal it redraws; otherwise it appends.
#include <unistd.h>

#include <iostream>
#include <memory>

#include "tools/command.h"
#include "tools/control.h"
#include "tools/status_text.h"
#include "tools/terminal.h"

namespace rocktune::tools {
namespace {

struct WatchOptions {
  std::string socket, target;
  double interval_seconds = 1;
};

constexpr std::chrono::milliseconds kStatusTimeout{
    3000};  // a stopped daemon must not hang the keys long

Result<std::vector<std::string>> look(const WatchOptions& options) {
  auto answer = ask_daemon(options.socket, "GET", "/v1/status", nullptr, kStatusTimeout);
  if (!answer) return tl::unexpected(answer.error());
  if (const auto kept = keep_target(*answer, options.target); !kept) {
    return tl::unexpected(kept.error());
  }
  return status_lines(*answer);
}

// A daemon that goes away later may come back: that is shown, and waited for.
int watch(const WatchOptions& options) {
  auto lines = look(options);
  if (!lines) return report_error(lines.error());
  auto terminal = Terminal::open(::isatty(STDOUT_FILENO) == 1);
  if (!terminal) return report_error(terminal.error());
  const std::chrono::milliseconds interval(
      static_cast<std::int64_t>(options.interval_seconds * 1000));
  while (std::cout) {
    terminal->show(lines ? *lines : std::vector<std::string>{lines.error().message});
    Terminal::Event event = terminal->wait(interval);
    if (event == Terminal::Event::kQuit) return kOk;
    if (event == Terminal::Event::kTimeout) lines = look(options);
  }
  return kFailed;
}

}  // namespace

void add_watch(CLI::App& root, Action& chosen) {
  CLI::App* app = root.add_subcommand("watch", "what rocktuned sees and does, live");
  auto options = std::make_shared<WatchOptions>();
  add_socket_option(*app, options->socket);
  app->add_option("--target", options->target, "one database, by name or path; default: all")
      ->type_name("NAME");
  app->add_option("--interval", options->interval_seconds, "seconds between two looks")
      ->check(number_between(0.1, 3600.0))
      ->capture_default_str()
      ->type_name("SECONDS");
  app->footer("q or Ctrl-C quits. Into a pipe or file it appends, one block at each interval.");
  app->callback([options, &chosen] { chosen = [options] { return watch(*options); }; });
}

}  // namespace rocktune::tools
