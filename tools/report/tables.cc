#include "tools/report/tables.h"

#include <algorithm>
#include <utility>

#include "model/text.h"
#include "score/evaluation.h"
#include "tools/json_fields.h"
#include "tools/score_text.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

using page::Align;

// Beyond this a table is behind its heading until the reader opens it.
constexpr std::size_t kRowsUnfolded = 25;

// "2026-11-22 21:38:54".
std::string moment_text(Nanoseconds wall) {
  std::string time = text::rfc3339(wall);
  std::replace(time.begin(), time.end(), 'T', ' ');
  return time.substr(0, 19);
}

std::string caption_of(std::uint64_t all, std::size_t shown, const std::string& what) {
  if (all <= shown) return "Times are UTC.";
  return "The last " + std::to_string(shown) + " of " + std::to_string(all) + " " + what +
         "; times are UTC.";
}

page::Section section_of(std::string heading, page::Table table) {
  page::Section section;
  section.heading = std::move(heading);
  section.folded = table.rows.size() > kRowsUnfolded;
  if (section.folded) section.heading += " (" + std::to_string(table.rows.size()) + ")";
  section.blocks.emplace_back(std::move(table));
  return section;
}

std::string lines_joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  return text;
}

// "2 -> 4" with a character that no line breaks in.
std::string with_arrow(std::string text) {
  const auto at = text.find(" -> ");
  return at == std::string::npos ? text : text.replace(at, 4, "\u00a0→ ");
}

page::Table decision_table(const Recording& recording) {
  page::Table table;
  table.columns = {{"when, id", Align::kLeft},
                   {"what", Align::kLeft},
                   {"what came", Align::kLeft},
                   {"rule and reason", Align::kLeft},
                   {"expected", Align::kLeft},
                   {"evidence", Align::kLeft},
                   {"guard, and what was done", Align::kLeft}};
  for (const DecisionStory& story : recording.decisions().stories()) {
    const StoryWords words = story_words(story);
    std::string time = text_at(story.decision, "time").substr(0, 19);
    std::replace(time.begin(), time.end(), 'T', ' ');
    std::string came = words.came.empty() ? words.state : words.came;
    if (!story.taken_back_by.empty()) came += "; taken back by " + story.taken_back_by;
    table.rows.push_back({time + " " + text_at(story.decision, "id"), with_arrow(words.what), came,
                          words.why, words.expected, lines_joined(words.evidence),
                          with_arrow(words.guard + "; " + words.done)});
  }
  const std::uint64_t refused = recording.decisions().refused();
  const std::uint64_t allowed = [&] {
    std::uint64_t count = 0;
    for (const auto& [kind, number] : recording.totals().verdicts) count += number;
    return count - refused;
  }();
  table.caption = caption_of(allowed, table.rows.size(), "changes that were allowed");
  if (refused > 0) {
    table.caption += " " + std::to_string(refused) +
                     " that the guard held or rejected are left out: rocktune replay shows them.";
  }
  return table;
}

std::string fate_text(const ToldAlert& alert) {
  if (!alert.held_seconds) return "stands at the end";
  switch (alert.fate.value_or(AlertFate::kUnknown)) {
    case AlertFate::kTrue:
      return "came true, " + seconds_text(alert.lead_seconds.value_or(0)) + " after";
    case AlertFate::kLate:
      return "false: the event came too soon after, " +
             seconds_text(alert.lead_seconds.value_or(0));
    case AlertFate::kEarly:
      return "false: the event came past the horizon, " +
             seconds_text(alert.lead_seconds.value_or(0)) + " after";
    case AlertFate::kNoEvent:
      return "false: no event came";
    case AlertFate::kUnwarned:
      return "came with the event";
    case AlertFate::kUnknown:
      break;
  }
  return "not known";
}

page::Table alert_table(const Recording& recording) {
  page::Table table;
  table.columns = {{"raised", Align::kLeft}, {"what", Align::kLeft}, {"state", Align::kLeft},
                   {"probability"},          {"held for"},           {"what came", Align::kLeft},
                   {"message", Align::kLeft}};
  for (const ToldAlert& alert : recording.alerts()) {
    table.rows.push_back({moment_text(alert.raised_wall),
                          std::string(to_string(alert.kind)) + ", " + printable(alert.cause),
                          std::string(to_string(alert.highest)), percent_text(alert.probability),
                          alert.held_seconds ? seconds_text(*alert.held_seconds) : "-",
                          fate_text(alert), printable(alert.message)});
  }
  std::uint64_t all = 0;
  for (const auto& [indicator, count] : recording.totals().raised) all += count;
  table.caption = caption_of(all, table.rows.size(), "alerts");
  return table;
}

page::Table fate_table(const Recording& recording) {
  page::Table table;
  table.caption =
      "What became of the alerts that were raised, as rocktune alerts --score counts them.";
  table.columns = {{"indicator", Align::kLeft},
                   {"came true"},
                   {"false"},
                   {"came with the event"},
                   {"not known"},
                   {"still open"},
                   {"precision"},
                   {"events warned of"}};
  for (const auto& [indicator, totals] : recording.alert_scores().totals()) {
    const auto precision = totals.precision();
    const auto recall = totals.recall(0);
    table.rows.push_back(
        {printable(indicator), std::to_string(totals.count(AlertFate::kTrue)),
         std::to_string(totals.false_alarms()), std::to_string(totals.count(AlertFate::kUnwarned)),
         std::to_string(totals.count(AlertFate::kUnknown)), std::to_string(totals.open),
         precision ? text::percent(*precision) : "-", recall ? text::percent(*recall) : "-"});
  }
  return table;
}

page::Table rows_as_table(const ScoreRows& rows) {
  page::Table table;
  table.caption = rows.title;
  for (const std::string& cell : rows.rows.front()) {
    table.columns.push_back({cell, table.columns.empty() ? Align::kLeft : Align::kRight});
  }
  table.rows.assign(rows.rows.begin() + 1, rows.rows.end());
  return table;
}

page::Section score_section(const Recording& recording, const std::string& heading_end) {
  page::Section section;
  section.heading = "How good the warnings were" + heading_end;
  if (page::Table fates = fate_table(recording); !fates.rows.empty()) {
    section.blocks.emplace_back(std::move(fates));
  }
  const auto& run = recording.score();
  if (!run) {
    section.blocks.emplace_back(page::Paragraph{
        "More than " + seconds_text(Recording::kLongestScoredSeconds) +
        " are not scored here: take a part with --from and --to, or rocktune score."});
    return section;
  }
  score::EvaluationRequest request;
  request.contest = recording.contest();
  const auto evaluation = score::evaluate({*run}, request);
  if (!evaluation) {
    section.blocks.emplace_back(page::Paragraph{"Not scored: " + evaluation.error().message});
    return section;
  }
  for (const score::Table& table : evaluation->tables) {
    if (table.seconds == 0) {
      section.blocks.emplace_back(
          page::Paragraph{std::string(to_string(table.kind)) +
                          ": this trace does not have what it is judged by, so it is not scored."});
      continue;
    }
    section.blocks.emplace_back(rows_as_table(score_rows(table)));
  }
  section.blocks.emplace_back(page::Paragraph{
      "The tables by horizon are those of rocktune score: rocktune-alerts is what rocktune's "
      "forecasts, begun anew, would have raised; recent-event and fixed shares of the limits are "
      "there to compare with. One run says little: rocktune score takes many."});
  return section;
}

page::Table step_table(const KnobHistory& knobs) {
  page::Table table;
  table.columns = {{"when", Align::kLeft},
                   {"knob", Align::kLeft},
                   {"from"},
                   {"to"},
                   {"then owned by", Align::kLeft}};
  for (const KnobStep& step : knobs.steps()) {
    table.rows.push_back({moment_text(step.wall), step.knob, knob_text(step.name, step.from),
                          knob_text(step.name, step.to), owner_text(step.owner)});
  }
  table.caption = caption_of(knobs.all_steps(), table.rows.size(), "steps");
  return table;
}

page::Table knob_table(const KnobHistory& knobs) {
  page::Table table;
  table.caption = "Every knob of this database, as it was at the begin and at the end.";
  table.columns = {{"knob", Align::kLeft}, {"found"}, {"at the begin"},
                   {"at the end"},         {"steps"}, {"owned by, at the end", Align::kLeft}};
  for (const KnobTrack& track : knobs.tracks()) {
    table.rows.push_back({track.title(), knob_text(track.name, track.found),
                          knob_text(track.name, track.first), knob_text(track.name, track.last),
                          std::to_string(track.steps), owner_text(track.owner)});
  }
  return table;
}

}  // namespace

std::vector<page::Section> table_sections(const Recording& recording,
                                          const std::string& heading_end) {
  std::vector<page::Section> sections;
  if (page::Table table = decision_table(recording); !table.rows.empty()) {
    sections.push_back(section_of("Decisions" + heading_end, std::move(table)));
  }
  if (page::Table table = alert_table(recording); !table.rows.empty()) {
    sections.push_back(section_of("Warnings" + heading_end, std::move(table)));
  }
  sections.push_back(score_section(recording, heading_end));
  if (page::Table table = step_table(recording.knobs()); !table.rows.empty()) {
    sections.push_back(section_of("Steps of the knobs" + heading_end, std::move(table)));
  }
  if (page::Table table = knob_table(recording.knobs()); !table.rows.empty()) {
    sections.push_back(section_of("All knobs" + heading_end, std::move(table)));
    sections.back().folded = true;
  }
  return sections;
}

}  // namespace rocktune::tools
