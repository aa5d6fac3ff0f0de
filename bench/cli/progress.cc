#include "bench/cli/progress.h"

#include <unistd.h>

#include <cstdio>

#include "bench/cli/terminal.h"

namespace rocktune::bench {
namespace {

constexpr double kLineEverySeconds = 5;

double in_milliseconds(double microseconds) {
  return microseconds / 1e3;
}
double mib(std::uint64_t bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

std::string short_name(scenario::Operation operation) {
  return operation == scenario::Operation::kReadModifyWrite
             ? "rmw"
             : std::string(scenario::name_of(operation));
}

}  // namespace

Result<ProgressMode> parse_progress(const std::string& name) {
  if (name == "auto") return isatty(STDERR_FILENO) ? ProgressMode::kTerminal : ProgressMode::kLines;
  if (name == "lines") return ProgressMode::kLines;
  if (name == "json") return ProgressMode::kJson;
  if (name == "none") return ProgressMode::kNone;
  return fail(ErrorCode::kInvalidArgument,
              "--progress " + name + ": give auto, lines, json or none");
}

std::string progress_text(const scenario::Phase& phase, const Interval& second) {
  const double at = second.start_seconds + second.seconds;
  const double rate = static_cast<double>(second.latencies.count()) / second.seconds;
  std::string text = phase.name + formatted(" %4.0f s", at) + formatted("  %7.0f ops/s", rate);
  for (std::size_t i = 0; i < scenario::kOperations; ++i) {
    const Histogram& histogram = second.latencies.of[i];
    if (histogram.count() == 0) continue;
    text += "  " + short_name(static_cast<scenario::Operation>(i)) +
            formatted(" p99 %.2f ms", in_milliseconds(histogram.percentile_us(0.99)));
  }
  text += formatted("  L0 %2.0f", static_cast<double>(second.gauges.l0_files)) +
          formatted("  pending %.1f MiB", mib(second.gauges.pending_compaction_bytes)) +
          formatted("  stall %.2f s", static_cast<double>(second.counters.stall_us) / 1e6);
  if (second.gauges.write_stopped) text += "  STOPPED";
  return text;
}

// On a terminal one line is rewritten; with several databases each has its second's line in turn.
void Progress::show(const std::string& database, const std::string& line, double at_seconds) {
  double& next = next_line_at_[database];
  if (mode_ == ProgressMode::kTerminal) {
    if (!last_shown_.empty() && last_shown_ != database) finish();
    last_shown_ = database;
    std::fprintf(stderr, "\r\033[K%s", fit_to_terminal(line, STDERR_FILENO).c_str());
    line_open_ = true;
  } else if (mode_ == ProgressMode::kLines && at_seconds + 1e-3 >= next) {
    std::fprintf(stderr, "%s\n", line.c_str());
    next = at_seconds + kLineEverySeconds;
  }
}

void Progress::loading(const scenario::ScenarioDatabase& database, std::int64_t records,
                       bool settling) {
  const std::int64_t of = database.workload.records;
  if (mode_ == ProgressMode::kJson) {
    const nlohmann::json event = {{"event", "loading"},
                                  {"database", database.name},
                                  {"records", records},
                                  {"of", of},
                                  {"settling", settling}};
    std::printf("%s\n", event.dump().c_str());
    std::fflush(stdout);
    return;
  }
  const std::string line =
      database.name + (settling ? ": loaded; waiting for compaction to settle"
                                : ": loading " + std::to_string(records) + " of " +
                                      std::to_string(of) + " records");
  next_line_at_[database.name] -= 0.5;  // called twice a second
  show(database.name, line, 0);
}

void Progress::second(const scenario::ScenarioDatabase& database, const scenario::Phase& phase,
                      const Interval& second) {
  if (mode_ == ProgressMode::kJson) {
    nlohmann::json event = interval_json(second);
    event["event"] = "second";
    event["database"] = database.name;
    event["phase"] = phase.name;
    std::printf("%s\n", event.dump().c_str());
    std::fflush(stdout);
    return;
  }
  if (second.start_seconds == 0) next_line_at_[database.name] = 0;
  show(database.name, database.name + " " + progress_text(phase, second),
       second.start_seconds + second.seconds);
}

void Progress::note(const std::string& text) {
  if (mode_ == ProgressMode::kNone || mode_ == ProgressMode::kJson) return;
  finish();
  std::fprintf(stderr, "%s\n", text.c_str());
}

void Progress::finish() {
  if (line_open_) std::fprintf(stderr, "\n");
  line_open_ = false;
}

}  // namespace rocktune::bench
