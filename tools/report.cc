// rocktune report: one page that opens from disk, of a trace or of what another command printed.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <system_error>

#include "files/replace_file.h"
#include "files/text_file.h"
#include "page/page.h"
#include "tools/command.h"
#include "tools/output_file.h"
#include "tools/report/result_page.h"
#include "tools/report/trace_page.h"
#include "tools/status_line.h"

namespace rocktune::tools {
namespace {

// A million units of a sweep.
constexpr std::size_t kLargestResult = std::size_t{1} << 30;

struct ReportOptions {
  std::string input, output, target;
  double from_seconds = 0, to_seconds = 0;
  bool has_to = false;
};

// A trace is an SQLite file; what is no file at all is left to the reader of traces, who says so.
bool is_result(const std::string& path) {
  std::error_code unknown;  // a pipe would be waited for, and what is in it be gone
  if (!std::filesystem::is_regular_file(path, unknown)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string head(16, '\0');
  if (!file.read(head.data(), 1)) return false;
  file.read(head.data() + 1, static_cast<std::streamsize>(head.size() - 1));
  const auto first = head.find_first_not_of(" \t\r\n");
  return first != std::string::npos && (head[first] == '{' || head[first] == '[');
}

Result<page::Page> page_of(const ReportOptions& options) {
  if (is_result(options.input)) {
    if (!options.target.empty() || options.from_seconds > 0 || options.has_to) {
      return fail(ErrorCode::kInvalidArgument, "--target, --from and --to are for traces, and " +
                                                   options.input + " is a result");
    }
    const auto text = read_text_file(options.input, kLargestResult);
    if (!text) return tl::unexpected(text.error());
    const std::string name = std::filesystem::path(options.input).filename().string();
    auto page = result_page("rocktune report: " + name, *text);
    return page ? page : tl::unexpected(page.error().within(options.input));
  }
  TracePageRequest request{options.input, std::nullopt, {options.from_seconds, std::nullopt}};
  if (!options.target.empty()) request.target = options.target;
  if (options.has_to) request.window.to_seconds = options.to_seconds;
  const StatusLine line;
  return trace_page(request, [&](std::size_t number, std::size_t total, const std::string& name) {
    line.show_run("reading", number, total, name);
  });
}

int report(const ReportOptions& options) {
  if (options.has_to && options.to_seconds <= options.from_seconds) {
    return report_error({ErrorCode::kInvalidArgument, "report: --to must be later than --from"},
                        kUsage);
  }
  if (auto other = check_output(options.output, {options.input}); !other) {
    return report_error(other.error().within("report"), kUsage);
  }
  const auto page = page_of(options);
  if (!page) {
    const bool usage = page.error().code == ErrorCode::kInvalidArgument;
    return report_error(page.error().within("report"), usage ? kUsage : kFailed);
  }
  if (options.output == "-") {
    std::cout << page::html(*page) << std::flush;
    return kOk;
  }
  const auto written = replace_file(options.output, page::html(*page), Sync::kNo);
  return written ? kOk : report_error(written.error().within("report"));
}

}  // namespace

void add_report(CLI::App& root, Action& chosen) {
  CLI::App* app = root.add_subcommand("report", "a page with charts of a trace, or of a result");
  auto options = std::make_shared<ReportOptions>();
  app->add_option(
         "FILE", options->input,
         "a trace, what replay, simulate, validate or score printed with --json, or a sweep's "
         "result")
      ->required();
  app->add_option("-o,--output", options->output,
                  "the page to write, - for stdout; one that is there is replaced")
      ->required()
      ->type_name("PAGE");
  app->add_option("--target", options->target,
                  "one database of the trace, by name or path; default: all")
      ->type_name("NAME");
  const auto time = CLI::AsNumberWithUnit(time_units());
  app->add_option("--from", options->from_seconds,
                  "begin so long after the trace's begin: seconds, or 90s, 10m, 2h")
      ->transform(time)
      ->check(CLI::NonNegativeNumber.description(""))
      ->type_name("TIME");
  CLI::Option* to = app->add_option("--to", options->to_seconds, "end so long after it")
                        ->transform(time)
                        ->check(CLI::PositiveNumber.description(""))
                        ->type_name("TIME");
  app->footer(
      "Example: rocktune report run.sqlite -o report.html --from 10m --to 20m\n"
      "The page fetches nothing: open it from disk, mail it, keep it (docs/report.md).");
  app->callback([options, to, &chosen] {
    options->has_to = to->count() > 0;
    chosen = [options] { return report(*options); };
  });
}

}  // namespace rocktune::tools
