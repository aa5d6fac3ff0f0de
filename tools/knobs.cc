// rocktune knobs: every option that can be changed while the database runs, as its agent tells it.
#include <iostream>
#include <memory>

#include "tools/agents.h"
#include "tools/command.h"
#include "tools/knobs_text.h"

namespace rocktune::tools {
namespace {

struct KnobsOptions {
  AgentOptions agents;
  KnobsView view;
  bool json = false;
};

int knobs(const KnobsOptions& options) {
  auto found = find_databases(options.agents);
  if (!found) return report_error(found.error().within("knobs"));
  bool any = false;
  Json all = Json::array();
  for (const AgentDatabase& database : found->databases) {
    const auto answer = ask_database(database, "knobs");
    const auto lines = answer ? knob_lines(*answer, options.view)
                              : Result<std::vector<std::string>>(tl::unexpected(answer.error()));
    if (!lines) {
      found->problems.push_back(lines.error().within(database.path).message);
      continue;
    }
    if (options.json) {
      Json object = identity(database);
      object["knobs"] = answer->at("knobs");
      all.push_back(std::move(object));
    } else {
      std::cout << (any ? "\n" : "") << heading(database) << '\n';
      for (const std::string& line : *lines) std::cout << line << '\n';
    }
    any = true;
  }
  if (options.json && any) print_databases(all);
  return report_problems(found->problems, any);
}

}  // namespace

void add_knobs(CLI::App& root, Action& chosen) {
  CLI::App* app = root.add_subcommand("knobs", "what can be changed while a database runs");
  auto options = std::make_shared<KnobsOptions>();
  add_agent_options(*app, options->agents);
  app->add_option("--column-family", options->view.column_family,
                  "of the column families only this one")
      ->type_name("NAME");
  app->add_flag("--details", options->view.details,
                "relations to other options, cost and side effects of each");
  app->add_flag("--json", options->json, "everything as one line of JSON");
  app->footer(
      "Asks the agents themselves; no rocktuned is needed. Owner: found (untouched), rocktune, or "
      "manual.\nWhat the configuration pins or freezes is in `rocktune status`.\nExample: rocktune "
      "knobs --database orders --column-family default");
  app->callback([options, &chosen] { chosen = [options] { return knobs(*options); }; });
}

}  // namespace rocktune::tools
