// rocktune events: what happens inside the databases, as their agents tell it; once, or as it
// comes.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "tools/agents.h"
#include "tools/command.h"
#include "tools/event_text.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

constexpr std::chrono::milliseconds kEventsFollowEvery{500};

struct EventsOptions {
  AgentOptions agents;
  std::vector<std::string> kinds;
  bool json = false;
  bool follow = false;
};

// Reads each database's events on from where it was.
class EventPrinter {
 public:
  explicit EventPrinter(const EventsOptions& options)
      : options_(options), kinds_(options.kinds.begin(), options.kinds.end()) {}

  // All that is there; an error when this database has no more to say.
  Result<void> print_new(const AgentDatabase& database, bool named) {
    std::uint64_t& after = read_[database.socket + "\n" + database.instance + "/" + database.id];
    try {
      while (true) {
        const auto answer = ask_database(database, "events?after=" + std::to_string(after));
        if (!answer) return tl::unexpected(answer.error());
        if (const auto missed = answer->value("missed", std::uint64_t{0}); missed > 0) {
          std::cerr << "rocktune: " << printable(database.path) << ": " << missed
                    << " events are gone: the agent keeps the newest ones only" << std::endl;
        }
        const auto next = answer->at("next_event").get<std::uint64_t>();
        const std::uint64_t before = after;
        for (const Json& event : answer->at("events")) {
          after = std::max(after, event.at("sequence").get<std::uint64_t>());
          print(database, event, named);
        }
        if (after == before && next > 0) after = std::max(after, next - 1);  // nothing is left
        if (after + 1 >= next || after == before) return {};
      }
    } catch (const Json::exception& problem) {
      return fail(ErrorCode::kProtocol,
                  "agent " + database.socket +
                      " answered what this rocktune does not understand: " + problem.what());
    }
  }

 private:
  void print(const AgentDatabase& database, const Json& event, bool named) {
    if (!kinds_.empty() && kinds_.count(event.value("kind", std::string())) == 0) return;
    if (options_.json) {
      Json object = identity(database);
      object.update(event);
      std::cout << object.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
      return;
    }
    std::cout << event_text(event) << (named ? "  [" + printable(database.path) + "]" : "") << '\n';
  }

  const EventsOptions& options_;
  std::set<std::string> kinds_;
  std::map<std::string, std::uint64_t> read_;
};

int events(const EventsOptions& options) {
  EventPrinter printer(options);
  auto found = find_databases(options.agents);
  if (!found) return report_error(found.error().within("events"));
  bool any = false;
  bool reported = false;
  while (true) {
    std::vector<std::string> problems = found ? found->problems : std::vector<std::string>();
    for (const AgentDatabase& database : found ? found->databases : std::vector<AgentDatabase>()) {
      const auto printed = printer.print_new(database, found->databases.size() > 1);
      any = any || printed;
      if (!printed) problems.push_back(printed.error().message);
    }
    std::cout.flush();
    // While following, a database that is closed, or an agent that is gone, may come back.
    if (!options.follow) return report_problems(problems, any);
    if (!reported) report_problems(problems, any);
    reported = true;
    if (!std::cout) return kFailed;
    std::this_thread::sleep_for(kEventsFollowEvery);
    found = find_databases(options.agents);
  }
}

}  // namespace

void add_events(CLI::App& root, Action& chosen) {
  CLI::App* app = root.add_subcommand("events", "what happens inside a database");
  auto options = std::make_shared<EventsOptions>();
  add_agent_options(*app, options->agents);
  app->add_flag("-f,--follow", options->follow, "wait for more");
  app->add_option("--kind", options->kinds,
                  "only these, several with commas: compaction_end, flush_end, stall, change, ...")
      ->delimiter(',')
      ->check(CLI::IsMember({"flush_begin", "flush_end", "compaction_begin", "compaction_end",
                             "stall", "background_error", "error_recovery", "change"}))
      ->type_name("KIND");
  app->add_flag("--json", options->json, "each event as one line of JSON");
  app->footer(
      "Asks the agents themselves; no rocktuned is needed. An agent keeps the newest 512 events of "
      "each database.\nExample: rocktune events --follow --kind stall,change");
  app->callback([options, &chosen] { chosen = [options] { return events(*options); }; });
}

}  // namespace rocktune::tools
