#include "tools/replay_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/text.h"
#include "tools/claims.h"
#include "tools/score_text.h"
#include "tools/text.h"
#include "tools/version.h"
#include "trace/json_text.h"

namespace rocktune::tools {

using replay::Difference;
using replay::JournalCounts;
using replay::ReplayResult;

namespace {

using Lines = std::vector<std::string>;

void append_lines(Lines more, Lines& lines) {
  std::move(more.begin(), more.end(), std::back_inserter(lines));
}

std::string counts_text(const std::map<std::string, std::uint64_t>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) {
    text += (text.empty() ? "" : ", ") + name + " " + std::to_string(count);
  }
  return text;
}

std::string journal_text(const JournalCounts& counts) {
  std::string text =
      std::to_string(counts.alerts) + " alerts, " + std::to_string(counts.decisions) + " decisions";
  if (!counts.verdicts.empty()) text += " (" + counts_text(counts.verdicts) + ")";
  return text + ", " + std::to_string(counts.outcomes) + " outcomes";
}

std::string agreed_text(const ReplayResult& result) {
  if (result.changes_live == 0) return "no change was allowed live";
  return std::to_string(result.changes_agreed) + " of " + std::to_string(result.changes_live) +
         " changes";
}

std::string identity_text(const ReplayResult& result) {
  if (!result.as_recorded) return agreed_text(result) + " as then";
  if (!result.first_difference) return "identical to what was recorded";
  return std::to_string(result.steps_that_differ) + " of " + std::to_string(result.samples) +
         " steps differ from what was recorded";
}

// The same version may be of many builds.
std::string recorder_text(const trace::RunInfo& run) {
  return "rocktuned " + printable(run.daemon_version) + " on " + printable(run.host);
}

void add_difference(const ReplayResult& result, Lines& lines) {
  if (!result.first_difference) return;
  lines.push_back("  recorded by    " + recorder_text(result.recorded_by) +
                  "; of another build than this rocktune " + kVersion + ", steps may well differ");
  const Difference& difference = *result.first_difference;
  lines.push_back("  first at       sample " + std::to_string(difference.sequence));
  const auto shown = [](const std::string& line) { return line.empty() ? "(nothing)" : line; };
  lines.push_back("    recorded     " + shown(difference.recorded));
  lines.push_back("    replayed     " + shown(difference.replayed));
}

void add_target(const ReplayResult& result, Lines& lines) {
  lines.emplace_back();
  lines.push_back(printable(result.target) + "   policy " + result.policy +
                  (result.as_recorded ? " (as recorded, mode " + printable(result.mode) + ")"
                   : trace::is_imported(result.recorded_by) ? " (nobody has decided anything then)"
                                                            : " (not the recorded one)"));
  lines.push_back("  samples        " + std::to_string(result.samples) + ", " +
                  std::to_string(result.samples_with_database) + " with a reading of the database");
  if (result.first_sequence > 1 && result.samples != 0) {
    lines.push_back("  begins         at sample " + std::to_string(result.first_sequence) +
                    ": the engine's history before it is not in the trace");
  }
  lines.push_back("  replayed       " + journal_text(result.replayed));
  lines.push_back("  recorded       " + journal_text(result.recorded));
  if (!result.replayed.knobs.empty()) {
    lines.push_back("  by knob        " + counts_text(result.replayed.knobs));
  }
  lines.push_back("  agreement      " + identity_text(result));
  add_difference(result, lines);
}

std::vector<std::string> table_row(const ReplayResult& result) {
  const auto verdict = [&](const char* name) {
    const auto found = result.replayed.verdicts.find(name);
    return std::to_string(found != result.replayed.verdicts.end() ? found->second : 0);
  };
  const JournalCounts& counts = result.replayed;
  return {printable(result.target),
          result.policy + (result.as_recorded ? " *" : ""),
          std::to_string(counts.alerts),
          std::to_string(counts.decisions),
          verdict("allowed"),
          verdict("clamped"),
          verdict("held"),
          verdict("rejected"),
          agreed_text(result),
          counts_text(counts.knobs)};
}

void add_side_by_side(const std::vector<std::vector<ScoredReplay>>& by_policy, Lines& lines) {
  std::vector<std::vector<std::string>> rows = {{"target", "policy", "alerts", "decisions",
                                                 "allowed", "clamped", "held", "rejected",
                                                 "as then", "decisions by knob"}};
  bool recorded = false;
  for (std::size_t target = 0; target < by_policy.front().size(); ++target) {
    for (const auto& results : by_policy) {
      rows.push_back(table_row(results[target].replay));
      recorded = recorded || results[target].replay.as_recorded;
    }
  }
  lines.emplace_back();
  append_lines(table(rows, ""), lines);
  if (recorded) lines.emplace_back("* the policy that ran then");
  for (const auto& results : by_policy) {
    for (const auto& [result, alarms] : results) {
      if (!result.as_recorded) continue;
      lines.push_back(printable(result.target) + ", " + result.policy + ": " +
                      identity_text(result));
      add_difference(result, lines);
    }
  }
}

std::string alarm_leads_text(const score::Tally& tally) {
  const auto p10 = score::lead_quantile(tally, 0.1), p50 = score::lead_quantile(tally, 0.5);
  return p10 && p50 ? text::number(*p10, 0) + "/" + text::number(*p50, 0) + " s" : "-";
}

std::string alarm_figure(const std::optional<double>& value) {
  return value ? text::number(*value, 2) : "-";
}

Lines alarm_cells(const score::Tally& tally, std::size_t horizon) {
  Lines cells = {std::to_string(tally.events), std::to_string(tally.alarms),
                 std::to_string(tally.false_alarms),
                 alarm_figure(score::false_alarms_per_hour(tally))};
  for (const std::size_t lead : score::kRecallLeads) {
    cells.push_back(lead <= horizon ? alarm_figure(score::recall(tally, lead)) : "-");
  }
  cells.push_back(alarm_leads_text(tally));
  return cells;
}

std::string unjudged_text(const std::string& target, const std::string& indicator) {
  return target + ": " + indicator + " not scored: the trace lacks what judges it";
}

void add_alarm_table(const std::vector<ScoredReplay>& replays, Lines& lines) {
  std::vector<Lines> rows = {
      {"target", "alarms of", "within", "events", "alarms", "false", "false/h"}};
  for (const std::size_t lead : score::kRecallLeads) {
    rows.front().push_back("recall@" + std::to_string(lead));
  }
  rows.front().emplace_back("lead p10/p50");
  Lines missing;
  for (const auto& [replay, alarms] : replays) {
    const std::string target = printable(replay.target);
    if (!alarms) {
      missing.push_back(target + (replay.samples == 0
                                      ? ": no samples, and so no alarms"
                                      : ": too long for its alarms to be scored: rocktune score"));
      continue;
    }
    for (const IndicatorKind kind : score::kKinds) {
      const score::Tally& tally = alarms->of_kind.at(static_cast<std::size_t>(kind));
      const std::string name(to_string(kind));
      if (tally.seconds == 0) {
        missing.push_back(unjudged_text(target, name));
        continue;
      }
      rows.push_back({target, name, std::to_string(alarms->horizon) + " s"});
      append_lines(alarm_cells(tally, alarms->horizon), rows.back());
    }
  }
  lines.emplace_back();
  lines.emplace_back("alarms, whatever the policy (rules: docs/score.md)");
  if (rows.size() > 1) append_lines(table(rows, ""), lines);
  append_lines(std::move(missing), lines);
}

Json replay_alarms_json(const score::AlertTallies& alarms) {
  const auto or_null = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  Json list = Json::array();
  for (const IndicatorKind kind : score::kKinds) {
    const score::Tally& tally = alarms.of_kind.at(static_cast<std::size_t>(kind));
    Json one{{"indicator", to_string(kind)}, {"horizon_seconds", alarms.horizon}};
    one.update(tally_json(tally));
    one["false_alarms_per_hour"] = or_null(score::false_alarms_per_hour(tally));
    one["precision"] = or_null(score::precision(tally));
    one["recall"] = Json::object();
    for (const std::size_t lead : score::kRecallLeads) {
      if (lead > alarms.horizon) continue;
      one["recall"][std::to_string(lead)] = or_null(score::recall(tally, lead));
    }
    one["lead_p10_seconds"] = or_null(score::lead_quantile(tally, 0.1));
    one["lead_p50_seconds"] = or_null(score::lead_quantile(tally, 0.5));
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

std::vector<std::string> replay_lines(const std::string& trace,
                                      const std::vector<std::vector<ScoredReplay>>& by_policy) {
  Lines lines = {"replay of " + trace};
  if (by_policy.empty() || by_policy.front().empty()) {
    lines.emplace_back("no database was seen in it");
  } else {
    const std::string note = trace::checksums_note(by_policy.front().front().replay.recorded_by);
    if (!note.empty()) lines.push_back(note);
    if (by_policy.size() == 1) {
      for (const ScoredReplay& one : by_policy.front()) add_target(one.replay, lines);
    } else {
      add_side_by_side(by_policy, lines);
    }
    add_alarm_table(by_policy.front(), lines);
  }
  lines.emplace_back();
  append_lines(wrapped(kReplayClaims), lines);
  return lines;
}

// Tells recordings from each other, wherever their files lie.
std::string trace_name(const trace::RunInfo& run) {
  return run.host + " " + text::rfc3339(run.started_wall);
}

std::string replay_line(const ScoredReplay& scored) {
  const ReplayResult& result = scored.replay;
  const auto counts_json = [](const JournalCounts& counts) {
    Json object{{"alerts", counts.alerts},
                {"decisions", counts.decisions},
                {"outcomes", counts.outcomes},
                {"verdicts", Json::object()},
                {"knobs", Json::object()}};
    for (const auto& [name, count] : counts.verdicts) object["verdicts"][name] = count;
    for (const auto& [name, count] : counts.knobs) object["knobs"][name] = count;
    return object;
  };
  Json line{{"schema", kReplaySchema},
            {"kind", "replay"},
            {"rung", kOpenLoopRung},
            {"trace_schema", result.recorded_by.schema},
            {"checksums", trace::has_checksums(result.recorded_by)},
            {"daemon_version", result.recorded_by.daemon_version},
            {"trace", trace_name(result.recorded_by)},
            {"target", result.target},
            {"policy", result.policy},
            {"as_recorded", result.as_recorded},
            {"samples", result.samples},
            {"samples_with_database", result.samples_with_database},
            {"replayed", counts_json(result.replayed)},
            {"recorded", counts_json(result.recorded)},
            {"changes_live", result.changes_live},
            {"changes_agreed", result.changes_agreed}};
  if (result.as_recorded) {
    line["identical"] = !result.first_difference;
    line["steps_that_differ"] = result.steps_that_differ;
    if (result.first_difference) {
      line["first_difference"] = {{"sequence", result.first_difference->sequence},
                                  {"recorded", result.first_difference->recorded},
                                  {"replayed", result.first_difference->replayed}};
    }
  }
  line["alarms"] = scored.alarms ? replay_alarms_json(*scored.alarms) : Json(nullptr);
  line["claims"] = kReplayClaims;
  return trace::json_text(line);
}

}  // namespace rocktune::tools
