// rocktune trace info: what is in a trace.
#include <iostream>
#include <memory>

#include "tools/command.h"
#include "tools/status_line.h"
#include "tools/trace_summary.h"

namespace rocktune::tools {
namespace {

struct TraceInfoOptions {
  std::string file;
  bool json = false;
};

Result<TraceContent> content_of(const std::string& file) {
  const StatusLine line;
  return read_content(file, [&](std::size_t number, std::size_t total, const std::string& name) {
    line.show_run("reading", number, total, name);
  });
}

int info(const TraceInfoOptions& options) {
  const auto content = content_of(options.file);
  if (!content) return report_error(content.error());
  if (options.json) {
    std::cout << content_json(*content).dump(-1, ' ', false, Json::error_handler_t::replace)
              << '\n';
  } else {
    for (const std::string& line : content_lines(*content)) std::cout << line << '\n';
  }
  return kOk;
}

}  // namespace

void add_trace(CLI::App& root, Action& chosen) {
  CLI::App* trace = root.add_subcommand("trace", "trace files");
  trace->require_subcommand(1);
  CLI::App* app = trace->add_subcommand("info", "what is in a trace");
  auto options = std::make_shared<TraceInfoOptions>();
  app->add_option("FILE", options->file, "the trace; a daemon may still be writing it")->required();
  app->add_flag("--json", options->json, "one line of JSON");
  app->footer("A trace is an SQLite file: sqlite3 FILE 'SELECT * FROM overview' (docs/trace.md)");
  app->callback([options, &chosen] { chosen = [options] { return info(*options); }; });
}

}  // namespace rocktune::tools
