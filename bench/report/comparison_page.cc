#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "bench/report/comparison.h"
#include "bench/report/comparison_charts.h"

namespace rocktune::bench::report {
namespace {

// Rows of the table of events; a run that changes something each second has them in its alert log.
constexpr std::size_t kMostEvents = 500;

page::Section summary_section(const Summary& summary) {
  page::Section section;
  if (!summary.description.empty())
    section.blocks.emplace_back(page::Paragraph{summary.description});
  for (const std::string& sentence : conclusions(summary)) {
    section.blocks.emplace_back(page::Paragraph{sentence, true});
  }
  section.blocks.emplace_back(figure_table(summary, summary.figures));
  if (page::Table ratios = ratio_table(summary, summary.figures); !ratios.rows.empty()) {
    section.blocks.emplace_back(std::move(ratios));
  }
  for (page::Table& table : yardstick_tables(summary))
    section.blocks.emplace_back(std::move(table));
  return section;
}

page::Section phase_section(const Summary& summary) {
  page::Section section{.heading = "By phase", .blocks = {}, .folded = true};
  section.blocks.emplace_back(figure_table(summary, summary.phase_figures));
  if (page::Table ratios = ratio_table(summary, summary.phase_figures); !ratios.rows.empty()) {
    section.blocks.emplace_back(std::move(ratios));
  }
  return section;
}

page::Section event_section(const Comparison& comparison) {
  page::Table table{.caption = "",
                    .columns = {{"policy", page::Align::kLeft},
                                {"repeat"},
                                {"second"},
                                {"what", page::Align::kLeft}},
                    .rows = {}};
  std::size_t left_out = 0;
  for (const Run& run : comparison.runs) {
    for (const Event& event : run.events) {
      if (table.rows.size() == kMostEvents) {
        ++left_out;
        continue;
      }
      char second[32];
      std::snprintf(second, sizeof second, "%.1f", event.seconds);
      table.rows.push_back({run.policy, std::to_string(run.repeat), second, event.text});
    }
  }
  page::Section section{.heading = "What the daemon did", .blocks = {}, .folded = true};
  if (left_out > 0) table.caption = std::to_string(left_out) + " more are left out";
  section.blocks.emplace_back(std::move(table));
  return section;
}

page::Section notes_section(const Summary& summary) {
  page::Section section{.heading = "Notes", .blocks = {}};
  for (const std::string& remark : remarks(summary))
    section.blocks.emplace_back(page::Paragraph{remark});
  if (!summary.command.empty()) {
    section.blocks.emplace_back(page::Paragraph{"Made by: " + summary.command});
  }
  return section;
}

}  // namespace

page::Page comparison_page(const Comparison& comparison, const Summary& summary) {
  page::Page page{.title = comparison.title, .groups = {}, .sections = {}};
  for (const PolicySummary& policy : summary.policies) page.groups.push_back(policy.policy);
  page.sections.push_back(summary_section(summary));
  if (!summary.phase_figures.empty()) page.sections.push_back(phase_section(summary));
  page::Section series{.heading = "Second by second", .blocks = {}};
  series.blocks.emplace_back(run_charts(comparison.runs));
  page.sections.push_back(std::move(series));
  const bool events = std::any_of(comparison.runs.begin(), comparison.runs.end(),
                                  [](const Run& run) { return !run.events.empty(); });
  if (events) page.sections.push_back(event_section(comparison));
  page.sections.push_back(notes_section(summary));
  return page;
}

}  // namespace rocktune::bench::report
