// rocktune import: makes a trace of what something else has recorded.
#include <unistd.h>

#include <iostream>
#include <memory>

#include "tools/command.h"
#include "tools/import_text.h"
#include "tools/stop.h"
#include "tools/text.h"
#include "tools/version.h"

namespace rocktune::tools {
namespace {

namespace log = trace::rocksdb_log;

constexpr const char* kImportFooter =
    R"(DIR: the database's directory (LOG, LOG.old.*, each plain or .gz), its db_log_dir, or one file.

A side CSV adds what was measured beside it:
  --side FILE:time=COLUMN,FIELD=COLUMN[*FACTOR][+COLUMN...],FIELD=rate(COLUMN),...
time=COLUMN is in seconds since the LOG's first line, time=epoch(COLUMN) since 1970. FIELD is a
field of samples (docs/import.md): keys_written, keys_read, process_read_bytes,
process_write_bytes, process_cpu_us, device_read_sectors, ...; rate(COLUMN) is so much per second.

Example: rocktune import rocksdb-log /var/lib/db -o db.sqlite
           --side qps.csv:time=secs,keys_written=rate(qps)
           --side io.csv:time=secs,process_write_bytes=write_bytes)";

struct ImportOptions {
  log::ImportRequest request;
  std::vector<std::string> sides;
  double interval_seconds = 1;
  bool json = false;
  bool quiet = false;
};

class ProgressLine {
 public:
  explicit ProgressLine(bool shown) : shown_(shown) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool operator()(std::uint64_t done, std::uint64_t all) {
    if (shown_ && all > 0) {
      const auto percent =
          static_cast<int>(100.0 * static_cast<double>(done) / static_cast<double>(all));
      if (percent != percent_) std::cerr << "\rimporting: " << percent << " %" << std::flush;
      percent_ = percent;
    }
    return !stop_requested();
  }
  void clear() {
    if (percent_ >= 0) std::cerr << "\r                    \r" << std::flush;
    percent_ = -1;
  }

 private:
  bool shown_;
  int percent_ = -1;
};

int import_rocksdb_log(ImportOptions& options) {
  for (const std::string& side : options.sides) {
    auto spec = log::parse_side_spec(side);
    if (!spec) return report_error(spec.error().within("import"), kUsage);
    options.request.sides.push_back(std::move(*spec));
  }
  options.request.version = kVersion;
  options.request.interval =
      std::chrono::milliseconds(static_cast<std::int64_t>(options.interval_seconds * 1000));
  take_stop_signals();  // one ends the import, without the trace
  ProgressLine line(!options.quiet && ::isatty(STDERR_FILENO) == 1);
  const auto summary = log::import_log(
      options.request, [&](std::uint64_t done, std::uint64_t all) { return line(done, all); });
  line.clear();
  if (!summary) {
    if (stop_requested()) return report_error(summary.error().within("import"), kStopped);
    const bool usage = summary.error().code == ErrorCode::kInvalidArgument;
    return report_error(summary.error().within("import"), usage ? kUsage : kFailed);
  }
  if (options.json) {
    std::cout << import_json(options.request.output, *summary)
                     .dump(-1, ' ', false, Json::error_handler_t::replace)
              << std::endl;
    return kOk;
  }
  if (options.quiet) return kOk;
  for (const std::string& text : import_lines(options.request.output, *summary)) {
    std::cerr << text << '\n';
  }
  return kOk;
}

}  // namespace

void add_import(CLI::App& root, Action& chosen) {
  CLI::App* parent = root.add_subcommand("import", "a trace from what something else recorded");
  parent->require_subcommand(1);
  CLI::App* app = parent->add_subcommand("rocksdb-log", "a trace from RocksDB's LOG (6.x to 11.x)");
  auto options = std::make_shared<ImportOptions>();
  app->add_option("DIR", options->request.source, "where the LOG files are, or one of them")
      ->required();
  app->add_option("-o,--output", options->request.output, "the trace to write")
      ->required()
      ->type_name("TRACE");
  app->add_option("--interval", options->interval_seconds, "seconds between two samples")
      ->check(number_between(0.1, 3600.0))
      ->type_name("SECONDS")
      ->capture_default_str();
  app->add_option("--side", options->sides, "a CSV with more figures, see below; may be repeated")
      ->type_name("FILE:MAPPING")
      ->allow_extra_args(false);
  app->add_option("--name", options->request.name,
                  "the database's name in the trace; default: its path as the LOG has it")
      ->type_name("NAME");
  app->add_flag("--force", options->request.replace, "replace TRACE if it exists");
  app->add_flag("--json", options->json, "the summary as one line of JSON on stdout");
  app->add_flag("-q,--quiet", options->quiet, "no progress, no summary");
  app->footer(kImportFooter);
  app->callback(
      [options, &chosen] { chosen = [options] { return import_rocksdb_log(*options); }; });
}

}  // namespace rocktune::tools
