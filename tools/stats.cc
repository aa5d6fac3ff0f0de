// rocktune stats: what RocksDB counts, as a database's agent tells it.
#include <iostream>
#include <limits>
#include <memory>

#include "tools/agents.h"
#include "tools/command.h"
#include "tools/stats_text.h"

namespace rocktune::tools {
namespace {

struct StatsOptions {
  AgentOptions agents;
  std::size_t top = 10;
  bool all = false;
  bool json = false;
};

Result<void> print(const AgentDatabase& database, const StatsOptions& options, bool first,
                   Json& all) {
  auto answer = ask_database(database, "statistics");
  if (!answer) return tl::unexpected(answer.error());
  if (options.json) {
    Json object = identity(database);
    object["statistics"] = std::move(*answer);
    all.push_back(std::move(object));
    return {};
  }
  const auto lines = statistics_lines(
      *answer, options.all ? std::numeric_limits<std::size_t>::max() : options.top);
  if (!lines) return tl::unexpected(lines.error().within("agent " + database.socket));
  std::cout << (first ? "" : "\n") << heading(database) << '\n';
  for (const std::string& line : *lines) std::cout << line << '\n';
  return {};
}

int stats(const StatsOptions& options) {
  auto found = find_databases(options.agents);
  if (!found) return report_error(found.error().within("stats"));
  bool any = false;
  Json all = Json::array();
  for (const AgentDatabase& database : found->databases) {
    if (auto done = print(database, options, !any, all); done) {
      any = true;
    } else {
      found->problems.push_back(done.error().message);
    }
  }
  if (options.json && any) print_databases(all);
  return report_problems(found->problems, any);
}

}  // namespace

void add_stats(CLI::App& root, Action& chosen) {
  CLI::App* app = root.add_subcommand("stats", "what RocksDB counts in a database");
  auto options = std::make_shared<StatsOptions>();
  add_agent_options(*app, options->agents);
  app->add_option("--top", options->top, "how many counters and histograms")
      ->capture_default_str()
      ->type_name("N");
  app->add_flag("--all", options->all, "every counter and histogram that is not 0");
  app->add_flag("--json", options->json, "everything as one line of JSON");
  app->footer(
      "Asks the agents themselves; no rocktuned is needed. docs/wire.md has the fields of --json.\n"
      "Example: rocktune stats --database orders --json | jq '.databases[].statistics.derived'");
  app->callback([options, &chosen] { chosen = [options] { return stats(*options); }; });
}

}  // namespace rocktune::tools
