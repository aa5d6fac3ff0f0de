#include <utility>

#include "model/text.h"
#include "tools/json_fields.h"
#include "tools/report/result_sections.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

using page::Align;

std::string error_text(const Json& errors, const char* key) {
  const auto ratio = number_at(errors, key);
  if (!ratio) return "-";
  return (*ratio >= 0 ? "+" : "") + text::number(*ratio * 100, 1) + "%";
}

std::string decimal_text(const Json& object, const char* key) {
  const auto value = number_at(object, key);
  return value ? text::number(*value, 3) : "-";
}

std::string share_text(const Json& object, const char* key) {
  const auto value = number_at(object, key);
  return value ? text::percent(*value) : "-";
}

std::string runs_sentence(const char* which, const Json& summary) {
  const double runs = number_at(summary, "runs").value_or(0);
  if (runs == 0) return std::string("There is no run ") + which + ".";
  return "Of the " + number_text(runs) + " runs " + which + ": writes are off by " +
         share_text(summary, "ingest_error_median") + " (median; " +
         share_text(summary, "ingest_error_worst") + " at worst), bytes that compactions read by " +
         share_text(summary, "compaction_bytes_error_median") +
         " (median), the share of the time stalled by " +
         decimal_text(summary, "stalled_ratio_off_mean") + " (mean; " +
         decimal_text(summary, "stalled_ratio_off_worst") + " at worst).";
}

page::Table runs_table(const Json& runs) {
  page::Table table;
  table.columns = {
      {"run", Align::kLeft}, {"stalls"}, {"seeds that stall"}, {"right"},
      {"time stalled"},      {"off by"}, {"writes off by"},    {"compaction bytes off by"},
      {"demand known"}};
  for (const Json& run : runs) {
    const Json& errors = object_at(run, "errors");
    table.rows.push_back(
        {text_at(run, "name"), flag_at(errors, "stalls") ? "yes" : "no",
         share_text(errors, "stalling_seeds_ratio"), flag_at(errors, "stall_right") ? "yes" : "NO",
         decimal_text(errors, "stalled_ratio"), decimal_text(errors, "stalled_ratio_off"),
         error_text(errors, "ingest_error_ratio"),
         error_text(errors, "compaction_bytes_error_ratio"),
         share_text(run, "demand_known_ratio")});
  }
  return table;
}

page::Table laws_table(const Json& runs) {
  page::Table table;
  table.caption = "What the first part of each run calibrated.";
  table.columns = {{"run", Align::kLeft}, {"bytes a write"}, {"flushes"},
                   {"out of level 0"},    {"below"},         {"overlap"},
                   {"survives a merge"}};
  const auto rate = [](const Json& laws, const char* key) {
    const auto value = number_at(laws, key);
    return value ? rate_text(*value) : std::string("-");
  };
  for (const Json& run : runs) {
    const Json& laws = object_at(run, "laws");
    table.rows.push_back({text_at(run, "name"), decimal_text(laws, "bytes_per_write"),
                          rate(laws, "flush_bytes_per_second"), rate(laws, "l0_bytes_per_second"),
                          rate(laws, "deep_bytes_per_second"), decimal_text(laws, "overlap"),
                          decimal_text(laws, "survival_ratio")});
  }
  return table;
}

}  // namespace

std::vector<page::Section> validation_sections(const Json& document) {
  const Json& runs = array_at(document, "runs");
  page::Section section;
  section.heading = "The simulator against what was recorded";
  section.blocks.emplace_back(
      page::Paragraph{"Stall or none came out right in " +
                          number_text(number_at(document, "stall_right").value_or(0)) + " of " +
                          std::to_string(runs.size()) + " runs.",
                      true});
  section.blocks.emplace_back(
      page::Paragraph{runs_sentence("that stall", object_at(document, "stalling")), true});
  section.blocks.emplace_back(page::Paragraph{runs_sentence("in all", object_at(document, "all"))});
  section.blocks.emplace_back(runs_table(runs));
  page::Section laws;
  laws.heading = "What was calibrated";
  laws.folded = true;
  laws.blocks.emplace_back(laws_table(runs));
  return {std::move(section), std::move(laws)};
}

}  // namespace rocktune::tools
