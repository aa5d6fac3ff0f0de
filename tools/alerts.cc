// rocktune alerts: the alert log for people, once or as it grows.
#include <chrono>
#include <iostream>
#include <memory>
#include <thread>

#include "tools/alert_score.h"
#include "tools/alert_text.h"
#include "tools/command.h"
#include "tools/decision_log.h"
#include "tools/follow.h"
#include "trace/json_text.h"

namespace rocktune::tools {
namespace {

constexpr std::chrono::milliseconds kAlertsFollowEvery{250};

struct AlertsOptions {
  std::string file;
  std::vector<std::string> kinds;
  bool json = false;
  bool follow = false;
  bool score = false;
};

void print(AlertPrinter& printer, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    if (const auto text = printer.print(line)) std::cout << *text << '\n';
  }
  std::cout.flush();
}

// What is there by now.
void print_new(AlertPrinter& printer, FileFollower& log) {
  for (auto lines = log.read_lines(); !lines.empty() && std::cout; lines = log.read_lines()) {
    print(printer, lines);
  }
}

// Says each time how many more there are, so that it is seen while following.
void report_malformed(const AlertPrinter& printer, std::uint64_t& reported) {
  if (printer.malformed() == reported) return;
  reported = printer.malformed();
  std::cerr << "rocktune: " << reported << (reported == 1 ? " line is" : " lines are")
            << " no alert-log line and " << (reported == 1 ? "was" : "were")
            << " left out (first: " << printer.first_problem() << ")" << std::endl;
}

Result<FileFollower> open_log(const AlertsOptions& options) {
  auto follower = FileFollower::open(options.file);
  if (!follower) follower.error().message += "; name another, here or in ROCKTUNE_ALERT_LOG";
  return follower;
}

int alerts(const AlertsOptions& options) {
  auto follower = open_log(options);
  if (!follower) return report_error(follower.error().within("alerts"));
  AlertPrinter printer(options.json, {options.kinds.begin(), options.kinds.end()});
  std::uint64_t reported = 0;
  print_new(printer, *follower);
  while (options.follow && std::cout && follower->read_to_end()) {
    report_malformed(printer, reported);
    std::this_thread::sleep_for(kAlertsFollowEvery);
    print_new(printer, *follower);
  }
  if (const auto last = follower->rest()) print(printer, {*last});
  if (auto whole = follower->read_to_end(); !whole) {
    return report_error(whole.error().within("alerts"));
  }
  if (printer.all_malformed()) return report_error(no_alert_log(options.file).within("alerts"));
  report_malformed(printer, reported);
  return kOk;
}

int score_alerts(const AlertsOptions& options) {
  auto follower = open_log(options);
  if (!follower) return report_error(follower.error().within("alerts"));
  AlertScorer scorer;
  const auto whole = follower->read_all([&](const std::string& line) { scorer.add(line); });
  if (!whole) return report_error(whole.error().within("alerts"));
  if (scorer.all_malformed()) return report_error(no_alert_log(options.file).within("alerts"));
  if (scorer.malformed() > 0) {
    std::cerr << "rocktune: left out, since they are no alert-log lines: " << scorer.malformed()
              << std::endl;
  }
  if (options.json) {
    std::cout << trace::json_text(scorer.json()) << '\n';
  } else {
    for (const std::string& line : scorer.lines()) std::cout << line << '\n';
  }
  return kOk;
}

}  // namespace

void add_alerts(CLI::App& root, Action& chosen) {
  CLI::App* app = root.add_subcommand("alerts", "the alert log, readable");
  auto options = std::make_shared<AlertsOptions>();
  options->file = kDefaultAlertLog;
  app->add_option("FILE", options->file, "the alert log")
      ->envname("ROCKTUNE_ALERT_LOG")
      ->capture_default_str();
  auto* follow =
      app->add_flag("-f,--follow", options->follow, "wait for more, also across rotation");
  app->add_flag("--json", options->json,
                "the lines as they are (without malformed ones); the totals as one line");
  auto* kind = app->add_option("--kind", options->kinds, "only these; several with commas")
                   ->delimiter(',')
                   ->check(CLI::IsMember({"alert", "decision", "outcome", "actuation", "guard",
                                          "manual", "source", "event", "daemon"}))
                   ->type_name("KIND");
  app->add_flag("--score", options->score,
                "instead of the lines: how many alerts came true, with what lead (docs/score.md)")
      ->excludes(follow)
      ->excludes(kind);
  app->footer("Example: rocktune alerts --kind alert,manual -f");
  app->callback([options, &chosen] {
    chosen = [options] { return options->score ? score_alerts(*options) : alerts(*options); };
  });
}

}  // namespace rocktune::tools
