#include "tools/trace_summary.h"

#include <algorithm>

#include "model/text.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

constexpr std::size_t kMostGaps = 10;  // shown; JSON has all

std::string agent_error(const Sample& sample) {
  for (const SourceHealth& health : sample.health) {
    if (health.source == "agent") return health.error;
  }
  return {};
}

// Follows a target's samples in order.
class GapFinder {
 public:
  explicit GapFinder(TargetContent& content) : content_(content) {}

  void add(const Sample& sample) {
    if (content_.due == 0) {
      content_.first_sequence = expected_ = sample.sequence;
    }
    if (sample.sequence > expected_) grow(sample.sequence - expected_, 0, {});
    if (sample.database) {
      open_ = false;
      last_wall_ = sample.at.wall;
    } else {
      grow(1, 1, agent_error(sample));
    }
    expected_ = sample.sequence + 1;
    content_.last_sequence = sample.sequence;
    content_.due = content_.last_sequence - content_.first_sequence + 1;
  }

 private:
  void grow(std::uint64_t polls, std::uint64_t rows, const std::string& why) {
    if (!open_) {
      content_.gaps.push_back({expected_, 0, 0, last_wall_, {}});
      open_ = true;
    }
    TraceGap& gap = content_.gaps.back();
    gap.polls += polls;
    gap.rows += rows;
    if (gap.why.empty()) gap.why = why;
  }

  TargetContent& content_;
  std::uint64_t expected_ = 0;
  Nanoseconds last_wall_{0};
  bool open_ = false;
};

std::string time_text(Nanoseconds wall) {
  std::string time = text::rfc3339(wall);
  std::replace(time.begin(), time.end(), 'T', ' ');
  return time;
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  std::string text = std::to_string(part) + " of " + std::to_string(whole) + " due";
  if (whole == 0) return text;
  return text + " (" + percent_text(static_cast<double>(part) / static_cast<double>(whole)) + ")";
}

// The agent's error is that of the polls that were recorded. Of the others the trace has no reason.
std::string gap_causes(const TraceGap& gap) {
  if (gap.rows == gap.polls) return gap.why.empty() ? "" : ": " + gap.why;
  std::string text =
      ", " + std::to_string(gap.polls - gap.rows) +
      " not recorded (no room for the trace, or rocktuned stood still: its log says)";
  if (gap.why.empty()) return text;
  return text + "; the other " + std::to_string(gap.rows) + ": " + gap.why;
}

void add_gaps(const TargetContent& target, std::vector<std::string>& lines) {
  if (target.gaps.empty()) return;
  std::vector<TraceGap> longest = target.gaps;
  std::stable_sort(longest.begin(), longest.end(),
                   [](const TraceGap& a, const TraceGap& b) { return a.polls > b.polls; });
  longest.resize(std::min(longest.size(), kMostGaps));
  lines.push_back("  gaps           " + std::to_string(target.gaps.size()) +
                  (longest.size() < target.gaps.size() ? "; the longest:" : ":"));
  for (const TraceGap& gap : longest) {
    std::string line = "    " + std::to_string(gap.polls) + " polls from sample " +
                       std::to_string(gap.first_sequence);
    if (gap.after_wall.count() != 0) line += ", after " + time_text(gap.after_wall);
    lines.push_back(line + gap_causes(gap));
  }
}

// "23 stall, 4 change, 512 missed": the commonest first.
std::string events_text(const std::map<std::string, std::uint64_t>& events) {
  std::vector<std::pair<std::string, std::uint64_t>> kinds(events.begin(), events.end());
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [kind, count] : kinds) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + kind;
  }
  return text;
}

std::string told(const std::string& who) {
  return who.empty() ? "not told" : who;
}

// A LOG tells of no process and has no agent, and of an opening without any sample nothing is
// known.
std::string opened_text(const trace::IncarnationInfo& opened) {
  const std::string by = opened.agent_version.empty() ? "  opened         " + opened.incarnation
                                                      : "  opened by      " + opened.command + "[" +
                                                            std::to_string(opened.pid) + "]";
  return by + "   RocksDB " + told(opened.rocksdb_version) +
         (opened.agent_version.empty() ? "" : "   agent " + opened.agent_version) +
         "   limiter: " + told(opened.limiter) + "   statistics: " + told(opened.statistics);
}

void add_target(const TargetContent& target, std::vector<std::string>& lines) {
  const trace::TargetSummary& summary = target.summary;
  const trace::TargetInfo& info = summary.info;
  lines.emplace_back();
  lines.push_back(info.name + (info.name == info.path ? "" : "  (" + info.path + ")") + "   mode " +
                  info.mode + "   policy " + info.engine.policy);
  lines.push_back("  samples        " + share_text(summary.samples_with_database, target.due));
  if (summary.samples != 0) {
    lines.push_back("  time           " + time_text(summary.first_wall) + " to " +
                    time_text(summary.last_wall) + " (" +
                    seconds_text(seconds_between(summary.first_wall, summary.last_wall)) + ")");
  }
  lines.push_back("  journal        " + std::to_string(summary.alerts) + " alerts, " +
                  std::to_string(summary.decisions) + " decisions, " +
                  std::to_string(summary.actuations) + " actuations, " +
                  std::to_string(summary.outcomes) + " outcomes");
  if (!summary.events.empty()) {
    lines.push_back("  events         " + events_text(summary.events));
  }
  for (const trace::IncarnationInfo& incarnation : summary.incarnations) {
    lines.push_back(opened_text(incarnation));
  }
  add_gaps(target, lines);
}

Json gap_json(const TraceGap& gap) {
  return {{"first_sequence", gap.first_sequence},
          {"polls", gap.polls},
          {"not_recorded", gap.polls - gap.rows},
          {"after", gap.after_wall.count() != 0 ? Json(text::rfc3339(gap.after_wall)) : Json()},
          {"why", gap.why}};
}

Json target_json(const TargetContent& target) {
  const trace::TargetSummary& summary = target.summary;
  Json object{{"name", summary.info.name},
              {"path", summary.info.path},
              {"mode", summary.info.mode},
              {"policy", summary.info.engine.policy},
              {"samples", {{"due", target.due}, {"recorded", summary.samples_with_database}}},
              {"first_sequence", target.first_sequence},
              {"last_sequence", target.last_sequence},
              {"first", summary.samples != 0 ? Json(text::rfc3339(summary.first_wall)) : Json()},
              {"last", summary.samples != 0 ? Json(text::rfc3339(summary.last_wall)) : Json()},
              {"alerts", summary.alerts},
              {"decisions", summary.decisions},
              {"actuations", summary.actuations},
              {"outcomes", summary.outcomes},
              {"events", summary.events},
              {"incarnations", Json::array()},
              {"gaps", Json::array()}};
  for (const trace::IncarnationInfo& incarnation : summary.incarnations) {
    object["incarnations"].push_back({{"incarnation", incarnation.incarnation},
                                      {"pid", incarnation.pid},
                                      {"command", incarnation.command},
                                      {"rocksdb_version", incarnation.rocksdb_version},
                                      {"agent_version", incarnation.agent_version},
                                      {"limiter", incarnation.limiter},
                                      {"statistics", incarnation.statistics}});
  }
  for (const TraceGap& gap : target.gaps) object["gaps"].push_back(gap_json(gap));
  return object;
}

}  // namespace

Result<TraceContent> read_content(const std::string& path, const RunProgress& progress) {
  auto reader = trace::Reader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  auto targets = reader->targets();
  if (!targets) return tl::unexpected(targets.error());
  TraceContent content{path, reader->run(), {}};
  for (trace::TargetSummary& summary : *targets) {
    TargetContent& target = content.targets.emplace_back();
    target.summary = std::move(summary);
    if (progress) progress(content.targets.size(), targets->size(), target.summary.info.name);
    GapFinder finder(target);
    auto steps = reader->steps(target.summary.info.id);
    if (!steps) return tl::unexpected(steps.error());
    while (true) {
      const auto step = steps->next();
      if (!step) return tl::unexpected(step.error());
      if (!*step) break;
      finder.add((*step)->sample);
    }
  }
  return content;
}

std::vector<std::string> content_lines(const TraceContent& content) {
  const trace::RunInfo& run = content.run;
  std::vector<std::string> lines = {
      "trace " + content.path,
      (trace::is_imported(run) ? "  imported by    rocktune " : "  recorded by    rocktuned ") +
          run.daemon_version + " on " + run.host + ", started " + time_text(run.started_wall) +
          ", every " + seconds_text(run.poll_interval_seconds)};
  if (const std::string note = trace::checksums_note(run); !note.empty()) {
    lines.push_back("  checked        no: " + note);
  }
  if (content.targets.empty()) lines.emplace_back("  no database was seen");
  for (const TargetContent& target : content.targets) add_target(target, lines);
  // Much of it is what the agents of other users' processes say of themselves.
  std::transform(lines.begin(), lines.end(), lines.begin(), printable);
  return lines;
}

Json content_json(const TraceContent& content) {
  Json object{{"path", content.path},
              {"trace_schema", content.run.schema},
              {"checksums", trace::has_checksums(content.run)},
              {"daemon_version", content.run.daemon_version},
              {"host", content.run.host},
              {"started", text::rfc3339(content.run.started_wall)},
              {"poll_interval_seconds", content.run.poll_interval_seconds},
              {"targets", Json::array()}};
  for (const TargetContent& target : content.targets) {
    object["targets"].push_back(target_json(target));
  }
  return object;
}

}  // namespace rocktune::tools
