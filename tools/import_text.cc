#include "tools/import_text.h"

#include <algorithm>

#include "model/text.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

std::string moment(trace::rocksdb_log::Micros at) {
  std::string time = text::rfc3339(Nanoseconds(at));
  std::replace(time.begin(), time.end(), 'T', ' ');
  return time;
}

std::string versions_text(const std::vector<std::string>& versions) {
  std::string text;
  for (const std::string& version : versions) text += (text.empty() ? "" : ", ") + version;
  return text.empty() ? "unknown" : printable(text);
}

}  // namespace

std::vector<std::string> import_lines(const std::string& trace,
                                      const trace::rocksdb_log::ImportSummary& summary) {
  const auto count = [](std::uint64_t value, const char* what) {
    return std::to_string(value) + " " + what + (value == 1 ? "" : "s");
  };
  std::vector<std::string> lines;
  lines.push_back("wrote " + printable(trace) + ": " + count(summary.samples, "sample") + " from " +
                  moment(summary.first) + " to " + moment(summary.last));
  lines.push_back("  RocksDB " + versions_text(summary.versions) + ", opened " +
                  count(summary.sessions, "time") + ", at most " +
                  std::to_string(summary.column_families) + " column families at once");
  std::string events;
  for (const auto& [kind, number] : summary.events) {
    events += (events.empty() ? "" : ", ") + std::to_string(number) + " " + printable(kind);
  }
  if (!events.empty()) lines.push_back("  events: " + events);
  std::string stalls = "  " + count(summary.stalls, "stall");
  if (summary.short_stalls > 0) {
    stalls += ", " + std::to_string(summary.short_stalls) +
              " of them over before the next sample (see database_events)";
  }
  lines.push_back(stalls);
  lines.push_back("  lines: " + std::to_string(summary.lines.lines) + " in " +
                  count(summary.files, "file") + ", " + std::to_string(summary.lines.used) +
                  " used, " + std::to_string(summary.lines.passed_over) + " passed over, " +
                  std::to_string(summary.lines.damaged) + " damaged");
  if (summary.unknown_family > 0) {
    lines.push_back("  " + count(summary.unknown_family, "event") +
                    " left out: the LOG does not tell of which column family");
  }
  if (summary.set_backs > 0) {
    lines.push_back("  the clock was set back " + count(summary.set_backs, "time") +
                    ": the trace's times go on from where they were");
  }
  for (const std::string& damage : summary.damage)
    lines.push_back("  damaged: " + printable(damage));
  for (const std::string& absent : summary.absent)
    lines.push_back("  absent: " + printable(absent));
  return lines;
}

Json import_json(const std::string& trace, const trace::rocksdb_log::ImportSummary& summary) {
  return {{"trace", trace},
          {"samples", summary.samples},
          {"first", text::rfc3339(Nanoseconds(summary.first))},
          {"last", text::rfc3339(Nanoseconds(summary.last))},
          {"rocksdb_versions", summary.versions},
          {"sessions", summary.sessions},
          {"column_families", summary.column_families},
          {"events", summary.events},
          {"stalls", summary.stalls},
          {"stalls_between_samples", summary.short_stalls},
          {"events_of_unknown_family", summary.unknown_family},
          {"clock_set_backs", summary.set_backs},
          {"files", summary.files},
          {"lines",
           {{"all", summary.lines.lines},
            {"used", summary.lines.used},
            {"passed_over", summary.lines.passed_over},
            {"damaged", summary.lines.damaged}}},
          {"damage", summary.damage},
          {"absent", summary.absent}};
}

}  // namespace rocktune::tools
