// rocktune advise: what to change that rocktuned cannot, on the evidence of recorded runs.
#include <iostream>
#include <memory>

#include "advice/rules.h"
#include "tools/advise_text.h"
#include "tools/command.h"
#include "tools/status_line.h"
#include "tools/text.h"
#include "trace/json_text.h"

namespace rocktune::tools {
namespace {

struct AdviseOptions {
  AdviseRequest request;
  std::string target;
  bool json = false;
};

Result<std::vector<AdvisedDatabase>> advised(const AdviseOptions& options) {
  AdviseRequest request = options.request;
  if (!options.target.empty()) request.target = options.target;
  const StatusLine line;
  return advise_on(request, [&](std::size_t number, std::size_t total, const std::string& name) {
    line.show_run("reading", number, total, name);
  });
}

int advise(const AdviseOptions& options) {
  const auto databases = advised(options);
  if (!databases) {
    const bool usage = databases.error().code == ErrorCode::kInvalidArgument;
    return report_error(databases.error().within("advise"), usage ? kUsage : kFailed);
  }
  if (options.json) {
    std::cout << trace::json_text(advice_json(*databases)) << '\n';
  } else {
    for (const std::string& line : advice_lines(*databases)) std::cout << printable(line) << '\n';
  }
  return kOk;
}

std::string rules_help() {
  std::vector<std::vector<std::string>> rows;
  for (const advice::Rule& rule : advice::rules()) {
    rows.push_back({std::string(rule.name), std::string(rule.what)});
  }
  std::string out = "Rules:\n";
  for (const std::string& line : table(rows)) out += line + "\n";
  return out;
}

}  // namespace

void add_advise(CLI::App& root, Action& chosen) {
  CLI::App* app =
      root.add_subcommand("advise", "what to change at the next open, on recorded evidence");
  auto options = std::make_shared<AdviseOptions>();
  app->add_option(
         "TRACE", options->request.traces,
         "traces of rocktuned, or of rocktune import; those of one database count together")
      ->required();
  app->add_option("--target", options->target, "one database, by name or path; default: all");
  app->add_option("--options", options->request.options,
                  "RocksDB's OPTIONS file of that database, or its directory: for what a trace "
                  "does not have (one of a LOG: filters, direct I/O), and instead of what it has")
      ->type_name("PATH");
  app->add_flag("--json", options->json, "one line of JSON");
  app->footer(rules_help() + "Thresholds and sources: docs/advise.md");
  app->callback([options, &chosen] { chosen = [options] { return advise(*options); }; });
}

}  // namespace rocktune::tools
