#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "sim/median.h"
#include "tools/loop_columns.h"
#include "tools/report/result_sections.h"
#include "tools/sweep_tables.h"

namespace rocktune::tools {
namespace {

using page::Align;

page::Table page_table(const SweepTable& rows, std::size_t left_columns, std::string caption) {
  page::Table out;
  out.caption = std::move(caption);
  for (const std::string& heading : rows.front()) {
    const bool left = out.columns.size() < left_columns;
    out.columns.push_back({heading, left ? Align::kLeft : Align::kRight});
  }
  out.rows.assign(rows.begin() + 1, rows.end());
  return out;
}

// 0 of a figure that the database does not have.
double median_of(const BestOfSweep& best, std::size_t database, std::size_t policy,
                 std::size_t column) {
  std::vector<double> values;
  for (const auto& meeting : best.meetings) {
    if (meeting.database == database) values.push_back(meeting.figures[policy][column]);
  }
  return sim::median(known_of(loop_columns()[column], std::move(values)));
}

std::string unit_of(std::string_view key) {
  if (key.ends_with("_p99_seconds")) return "ms";
  if (key.find("seconds") != key.npos) return "s";
  return key.ends_with("_bytes") ? "bytes" : "";
}

// x counts the databases that are compared, from 1.
page::ChartGroup database_charts(const std::vector<std::size_t>& databases,
                                 const BestOfSweep& best) {
  page::ChartGroup group;
  group.x_label = "database";
  for (std::size_t column = 0; column < loop_columns().size(); ++column) {
    const LoopColumn& figure = loop_columns()[column];
    page::Chart chart;
    chart.title = figure.name;
    chart.unit = unit_of(figure.key);
    const bool latency = chart.unit == "ms";
    chart.logarithmic = latency;
    for (std::size_t i = 0; i < best.policies.size(); ++i) {
      std::vector<page::Point> points;
      for (const std::size_t database : databases) {
        const double value =
            median_of(best, database, best.policies[i], column) * (latency ? 1e3 : 1);
        points.push_back({static_cast<double>(points.size() + 1), value});
      }
      chart.series.push_back({best.labels[i], best.labels[i], std::move(points)});
    }
    group.charts.push_back(std::move(chart));
  }
  return group;
}

page::Section databases_section(const SweepResult& result,
                                const std::vector<std::size_t>& databases,
                                const BestOfSweep& best) {
  page::Section section;
  section.heading = "Database by database";
  section.blocks.emplace_back(page::Paragraph{
      "Medians over the seeds, of each policy with the parameters that rank best over all."});
  section.blocks.emplace_back(database_charts(databases, best));
  page::Table names;
  names.columns = {{"number"}, {"database", Align::kLeft}};
  for (const std::size_t database : databases) {
    names.rows.push_back({std::to_string(names.rows.size() + 1), result.databases()[database]});
  }
  section.blocks.emplace_back(std::move(names));
  return section;
}

page::Section failures_section(const SweepResult& result) {
  page::Section section;
  section.heading = "What failed";
  page::Table table;
  table.columns = {
      {"database", Align::kLeft}, {"policy", Align::kLeft}, {"why", Align::kLeft}, {"units"}};
  std::map<std::vector<std::string>, std::size_t> units;
  for (const auto& one : result.failures()) ++units[{one.database, one.policy, one.error}];
  for (const auto& [cells, count] : units) {
    table.rows.push_back(cells);
    table.rows.back().push_back(std::to_string(count));
  }
  section.folded = table.rows.size() > 20;
  section.blocks.emplace_back(std::move(table));
  return section;
}

std::vector<page::Section> closed_loop_sections(const SweepResult& result) {
  page::Section section;
  section.heading = "Policies with their best parameters";
  const auto best = best_of(result);
  if (!best) {
    section.blocks.emplace_back(
        page::Paragraph{"No database came through all of its simulations.", true});
    return {std::move(section)};
  }
  section.blocks.emplace_back(page::Paragraph{best->conclusion, true});
  if (!best->concordance.empty()) section.blocks.emplace_back(page::Paragraph{best->concordance});
  section.blocks.emplace_back(page_table(best->table, 2, ""));
  section.blocks.emplace_back(page::Paragraph{best->basis});
  for (const std::string& doubt : best->doubts) section.blocks.emplace_back(page::Paragraph{doubt});
  std::vector<page::Section> out;
  out.push_back(std::move(section));
  if (result.policies().size() > best->policies.size()) {
    page::Section all;
    all.heading = "Every combination of parameters";
    all.blocks.emplace_back(page_table(combinations_table(result, *best), 2,
                                       "Ranks among all of them, over seeds and databases."));
    out.push_back(std::move(all));
  }
  if (const auto databases = result.compared(); databases.size() > 1) {
    out.push_back(databases_section(result, databases, *best));
  }
  return out;
}

std::vector<page::Section> open_loop_sections(const SweepResult& result) {
  page::Section section;
  section.heading = "What each policy would have decided";
  section.blocks.emplace_back(page::Paragraph{alarms_text(result), true});
  section.blocks.emplace_back(
      page_table(decisions_table(result), 1, "Over " + compared_text(result) + "."));
  return {std::move(section)};
}

}  // namespace

std::vector<page::Section> sweep_sections(const SweepResult& result) {
  auto sections =
      result.is_closed_loop() ? closed_loop_sections(result) : open_loop_sections(result);
  if (!result.failures().empty()) sections.push_back(failures_section(result));
  return sections;
}

}  // namespace rocktune::tools
