#include <utility>

#include "model/text.h"
#include "tools/json_fields.h"
#include "tools/report/result_sections.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

using page::Align;

// A figure is {"value", "low", "high"}.
std::string estimate_text(const Json& estimate, int decimals) {
  const auto value = number_at(estimate, "value");
  if (!value) return "-";
  std::string text = text::number(*value, decimals);
  const auto low = number_at(estimate, "low"), high = number_at(estimate, "high");
  if (!low || !high) return text;
  return text + " (" + text::number(*low, decimals) + " to " + text::number(*high, decimals) + ")";
}

std::string lead_text(const Json& alarms, const char* key) {
  const auto lead = number_at(alarms, key);
  return lead ? text::number(*lead, 0) + " s" : "-";
}

page::Table detectors_table(const Json& table) {
  page::Table out;
  out.caption = text_at(table, "indicator") + " within " +
                number_text(number_at(table, "horizon_seconds").value_or(0)) +
                " s: " + number_text(number_at(table, "events").value_or(0)) + " events, " +
                number_text(number_at(table, "fresh_events").value_or(0)) + " of them fresh, in " +
                seconds_text(number_at(table, "seconds").value_or(0)) + ".";
  out.columns = {{"detector", Align::kLeft},
                 {"false alarms/h"},
                 {"precision"},
                 {"recall@10"},
                 {"usable recall"},
                 {"lead p10"},
                 {"lead p50"},
                 {"Brier"},
                 {"Brier skill"}};
  for (const Json& row : array_at(table, "detectors")) {
    const Json& alarms = object_at(row, "alarms");
    const Json& probability = object_at(row, "probability");
    out.rows.push_back(
        {text_at(row, "detector"), estimate_text(object_at(alarms, "false_alarms_per_hour"), 2),
         estimate_text(object_at(alarms, "precision"), 2),
         estimate_text(object_at(object_at(alarms, "recall"), "10"), 2),
         estimate_text(object_at(alarms, "usable_recall"), 2),
         lead_text(alarms, "lead_p10_seconds"), lead_text(alarms, "lead_p50_seconds"),
         estimate_text(object_at(probability, "brier"), 3),
         estimate_text(object_at(probability, "brier_skill"), 2)});
  }
  return out;
}

}  // namespace

std::vector<page::Section> score_sections(const Json& document) {
  page::Section section;
  section.heading = "How good the warnings were";
  section.blocks.emplace_back(
      page::Paragraph{std::to_string(array_at(document, "runs").size()) +
                      " runs were scored. In brackets: 95% of the bootstrap draws of whole "
                      "recordings. docs/score.md has the rules."});
  for (const Json& table : array_at(document, "tables")) {
    if (number_at(table, "seconds").value_or(0) == 0) {
      section.blocks.emplace_back(page::Paragraph{
          text_at(table, "indicator") + " within " +
          number_text(number_at(table, "horizon_seconds").value_or(0)) +
          " s: these traces do not have what it is judged by, so it is not scored."});
      continue;
    }
    section.blocks.emplace_back(detectors_table(table));
  }
  return {std::move(section)};
}

}  // namespace rocktune::tools
