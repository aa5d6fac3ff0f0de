#include "tools/replay_text.h"

#include <sstream>

#include "tools/claims.h"
#include "tools/text.h"
#include "trace/json_text.h"

namespace rocktune::tools {

using replay::Difference;
using replay::JournalCounts;
using replay::ReplayResult;

namespace {

using Lines = std::vector<std::string>;

// Text in lines of at most 88 characters.
void add_wrapped(const std::string& text, Lines& lines) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > 88)
      lines.push_back(std::exchange(line, ""));
    line += (line.empty() ? "" : " ") + word;
  }
  if (!line.empty()) lines.push_back(line);
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

void add_difference(const ReplayResult& result, Lines& lines) {
  if (!result.first_difference) return;
  const Difference& difference = *result.first_difference;
  lines.push_back("  first at       sample " + std::to_string(difference.sequence));
  const auto shown = [](const std::string& line) { return line.empty() ? "(nothing)" : line; };
  lines.push_back("    recorded     " + shown(difference.recorded));
  lines.push_back("    replayed     " + shown(difference.replayed));
}

void add_target(const ReplayResult& result, Lines& lines) {
  lines.emplace_back();
  lines.push_back(printable(result.target) + "   policy " + result.policy +
                  (result.as_recorded ? " (as recorded, mode " + result.mode + ")"
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

void add_side_by_side(const std::vector<std::vector<ReplayResult>>& by_policy, Lines& lines) {
  std::vector<std::vector<std::string>> rows = {{"target", "policy", "alerts", "decisions",
                                                 "allowed", "clamped", "held", "rejected",
                                                 "as then", "decisions by knob"}};
  bool recorded = false;
  for (std::size_t target = 0; target < by_policy.front().size(); ++target) {
    for (const auto& results : by_policy) {
      rows.push_back(table_row(results[target]));
      recorded = recorded || results[target].as_recorded;
    }
  }
  lines.emplace_back();
  const Lines aligned = table(rows, "");
  lines.insert(lines.end(), aligned.begin(), aligned.end());
  if (recorded) lines.emplace_back("* the policy that ran then");
  for (const auto& results : by_policy) {
    for (const ReplayResult& result : results) {
      if (!result.as_recorded) continue;
      lines.push_back(printable(result.target) + ", " + result.policy + ": " +
                      identity_text(result));
      add_difference(result, lines);
    }
  }
}

}  // namespace

std::vector<std::string> replay_lines(const std::string& trace,
                                      const std::vector<std::vector<ReplayResult>>& by_policy) {
  Lines lines = {"replay of " + trace};
  if (by_policy.empty() || by_policy.front().empty()) {
    lines.emplace_back("no database was seen in it");
  } else if (by_policy.size() == 1) {
    for (const ReplayResult& result : by_policy.front()) add_target(result, lines);
  } else {
    add_side_by_side(by_policy, lines);
  }
  lines.emplace_back();
  add_wrapped(kReplayClaims, lines);
  return lines;
}

std::string replay_line(const ReplayResult& result) {
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
  Json line{{"kind", "replay"},
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
  line["claims"] = kReplayClaims;
  return trace::json_text(line);
}

}  // namespace rocktune::tools
