// rocktune explain: why a change was made, on what evidence, what was expected and what came; or
// the last decisions, one line each. Reads the alert log: no daemon is needed.
#include <iostream>
#include <memory>

#include "tools/command.h"
#include "tools/decision_log.h"
#include "trace/json_text.h"

namespace rocktune::tools {
namespace {

struct ExplainOptions {
  std::string id, target, log;
  std::size_t last = 20;
  bool json = false;
  bool refused_too = false;
};

int nothing_found(const ExplainOptions& options, const DecisionStories& stories) {
  if (options.json) return kOk;
  if (stories.refused() == 0) {
    std::cout << no_decision_text(options.log, options.target) << std::endl;
    return kOk;
  }
  const std::string of = options.target.empty() ? "" : " of " + options.target;
  std::cout << "no decision" << of << " was allowed; " << stories.refused()
            << " were held or rejected (--all shows them)" << std::endl;
  return kOk;
}

int explain(const ExplainOptions& options) {
  const bool one = !options.id.empty();
  const DecisionStories::Wanted wanted{options.id, options.target, options.refused_too || one,
                                       one ? 1000 : options.last};
  const auto read = read_stories(options.log, wanted);
  if (!read) return report_error(read.error().within("explain"));
  const DecisionStories& stories = *read;
  if (stories.malformed() > 0) {
    std::cerr << "rocktune: left out, since they are no alert-log lines: " << stories.malformed()
              << std::endl;
  }
  if (stories.stories().empty() && one) {
    return report_error(no_such_decision(options.log, wanted).within("explain"));
  }
  if (const auto none = no_such_target(options.log, options.target, stories)) {
    return report_error(none->within("explain"));
  }
  if (stories.stories().empty()) return nothing_found(options, stories);
  if (options.json) {
    for (const DecisionStory& story : stories.stories()) {
      std::cout << trace::json_text(story_json(story)) << '\n';
    }
  } else if (options.id.empty()) {
    for (const std::string& line : story_table(stories.stories())) std::cout << line << '\n';
  } else {
    for (const DecisionStory& story : stories.stories()) {
      for (const std::string& line : story_lines(story)) std::cout << line << '\n';
    }
  }
  return kOk;
}

}  // namespace

void add_log_option(CLI::App& command, std::string& log) {
  log = kDefaultAlertLog;
  command.add_option("--log", log, "the alert log")
      ->envname("ROCKTUNE_ALERT_LOG")
      ->type_name("FILE")
      ->capture_default_str();
}

void add_explain(CLI::App& root, Action& chosen) {
  CLI::App* app = root.add_subcommand("explain", "why a change was made, and what came of it");
  auto options = std::make_shared<ExplainOptions>();
  app->add_option("ID", options->id, "a decision; default: the last ones, one line each");
  app->add_option("--target", options->target, "one database, by name; default: all")
      ->type_name("NAME");
  add_log_option(*app, options->log);
  app->add_option("-n,--last", options->last, "how many of the last ones")
      ->check(CLI::Range(1, 100000).description(""))
      ->capture_default_str();
  app->add_flag("--all", options->refused_too, "also what the guard held or rejected");
  app->add_flag("--json", options->json, "each decision with what belongs to it, one line each");
  app->footer("Example: rocktune explain 261128-085511.628-1 --target orders");
  app->callback([options, &chosen] { chosen = [options] { return explain(*options); }; });
}

}  // namespace rocktune::tools
