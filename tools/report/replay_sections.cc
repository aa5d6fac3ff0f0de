#include <algorithm>
#include <set>
#include <utility>

#include "model/text.h"
#include "score/tally.h"
#include "tools/json_fields.h"
#include "tools/report/result_sections.h"
#include "tools/text.h"
#include "trace/schema.h"

namespace rocktune::tools {
namespace {

using page::Align;

std::string count_at(const Json& object, const char* key) {
  return text::number(number_at(object, key).value_or(0), 0);
}

std::string knob_counts(const Json& counts) {
  std::string text;
  for (const auto& [name, count] : counts.items()) {
    text += (text.empty() ? "" : ", ") + name + " " + text::number(count.get<double>(), 0);
  }
  return text.empty() ? "-" : text;
}

// "3 of 5"; what was recorded has no change to agree with in observe and advise without a decision.
std::string agreement_cell(const Json& replay) {
  const double live = number_at(replay, "changes_live").value_or(0);
  return live == 0 ? "-" : count_at(replay, "changes_agreed") + " of " + text::number(live, 0);
}

std::string difference_cell(const Json& replay) {
  if (!flag_at(replay, "as_recorded")) return "-";
  if (flag_at(replay, "identical")) return "none";
  return count_at(replay, "steps_that_differ") + " of " + count_at(replay, "samples");
}

// What is to be known of the recordings themselves, each once.
std::vector<std::string> trace_words(const Json& replays) {
  std::vector<std::string> words;
  const auto add = [&](std::string sentence) {
    if (std::find(words.begin(), words.end(), sentence) == words.end()) {
      words.push_back(std::move(sentence));
    }
  };
  for (const Json& replay : replays) {
    const std::string recording = "Recording " + text_at(replay, "trace") + ": ";
    trace::RunInfo run;
    if (const auto schema = number_at(replay, "trace_schema")) {
      run.schema = static_cast<int>(std::clamp(*schema, 0.0, 1e6));
    }
    if (const std::string note = trace::checksums_note(run); !note.empty()) {
      add(recording + note + ".");
    }
    if (number_at(replay, "steps_that_differ").value_or(0) > 0) {
      add(recording + "steps differ from what was recorded by rocktuned " +
          text_at(replay, "daemon_version") +
          ", perhaps of another build than that which replayed them.");
    }
  }
  return words;
}

page::Table replays_table(const Json& replays) {
  page::Table table;
  table.caption = "* the policy that ran then.";
  table.columns = {{"target", Align::kLeft},
                   {"recording", Align::kLeft},
                   {"policy", Align::kLeft},
                   {"alerts"},
                   {"decisions"}};
  for (const char* verdict : {"allowed", "clamped", "held", "rejected"}) {
    table.columns.push_back({verdict});
  }
  table.columns.push_back({"outcomes"});
  table.columns.push_back({"changes as then"});
  table.columns.push_back({"steps that differ"});
  table.columns.push_back({"decisions by knob", Align::kLeft});
  for (const Json& replay : replays) {
    const Json& counts = object_at(replay, "replayed");
    const Json& verdicts = object_at(counts, "verdicts");
    table.rows.push_back({text_at(replay, "target"), text_at(replay, "trace"),
                          text_at(replay, "policy") + (flag_at(replay, "as_recorded") ? " *" : ""),
                          count_at(counts, "alerts"), count_at(counts, "decisions"),
                          count_at(verdicts, "allowed"), count_at(verdicts, "clamped"),
                          count_at(verdicts, "held"), count_at(verdicts, "rejected"),
                          count_at(counts, "outcomes"), agreement_cell(replay),
                          difference_cell(replay), knob_counts(object_at(counts, "knobs"))});
  }
  return table;
}

std::string decimal_at(const Json& object, const std::string& key, int decimals,
                       const char* unit = "") {
  const auto value = number_at(object, key.c_str());
  return value ? text::number(*value, decimals) + unit : "-";
}

void add_alarm_rows(const Json& replay, page::Table& table) {
  for (const Json& alarms : array_at(replay, "alarms")) {
    if (number_at(alarms, "seconds").value_or(0) == 0) continue;
    std::vector<std::string> row = {
        text_at(replay, "target"),        text_at(replay, "trace"),
        text_at(alarms, "indicator"),     count_at(alarms, "horizon_seconds") + " s",
        count_at(alarms, "events"),       count_at(alarms, "alarms"),
        count_at(alarms, "false_alarms"), decimal_at(alarms, "false_alarms_per_hour", 2)};
    for (const std::size_t lead : score::kRecallLeads) {
      row.push_back(decimal_at(object_at(alarms, "recall"), std::to_string(lead), 2));
    }
    row.push_back(decimal_at(alarms, "lead_p10_seconds", 0, " s"));
    row.push_back(decimal_at(alarms, "lead_p50_seconds", 0, " s"));
    table.rows.push_back(std::move(row));
  }
}

// Of each target once: what is forecast hangs on the samples alone.
page::Table alarms_table(const Json& replays) {
  page::Table table;
  table.columns = {{"target", Align::kLeft},
                   {"recording", Align::kLeft},
                   {"alarms of", Align::kLeft},
                   {"within"},
                   {"events"},
                   {"alarms"},
                   {"false"},
                   {"false/h"}};
  for (const std::size_t lead : score::kRecallLeads) {
    table.columns.push_back({"recall@" + std::to_string(lead)});
  }
  table.columns.push_back({"lead p10"});
  table.columns.push_back({"lead p50"});
  std::set<std::pair<std::string, std::string>> told;
  for (const Json& replay : replays) {
    if (told.emplace(text_at(replay, "trace"), text_at(replay, "target")).second) {
      add_alarm_rows(replay, table);
    }
  }
  return table;
}

}  // namespace

std::vector<page::Section> replay_sections(const Json& document) {
  const Json& replays = array_at(document, "replays");
  page::Section decided;
  decided.heading = "What each policy would have decided";
  for (std::string& sentence : trace_words(replays)) {
    decided.blocks.emplace_back(page::Paragraph{std::move(sentence)});
  }
  decided.blocks.emplace_back(replays_table(replays));
  page::Section warned;
  warned.heading = "What the alarms were worth, whatever the policy";
  page::Table alarms = alarms_table(replays);
  if (alarms.rows.empty()) {
    warned.blocks.emplace_back(
        page::Paragraph{"Not scored: the trace lacks what they are judged by, or is too long."});
  } else {
    warned.blocks.emplace_back(std::move(alarms));
    warned.blocks.emplace_back(page::Paragraph{"docs/score.md has the rules."});
  }
  return {std::move(decided), std::move(warned)};
}

}  // namespace rocktune::tools
