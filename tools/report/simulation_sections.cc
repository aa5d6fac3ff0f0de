#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "model/text.h"
#include "tools/doubts.h"
#include "tools/json_fields.h"
#include "tools/loop_columns.h"
#include "tools/report/result_sections.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

using page::Align;

// Figures whose seeds are drawn: those that policies are ranked by.
constexpr const char* kDrawnFigures[] = {"operations_per_second", "read_p99_seconds",
                                         "write_p99_seconds", "stalled_seconds",
                                         "write_amplification"};

std::string spread_text(const Json& figure, const LoopColumn& as) {
  const auto median = number_at(figure, "median");
  if (!median) return "-";
  std::string text = as.text(*median);
  const auto low = number_at(figure, "p5"), high = number_at(figure, "p95");
  if (!low || !high) return text;
  const std::string from = as.text(*low), to = as.text(*high);
  return from == to ? text : text + " (" + from + " to " + to + ")";
}

page::Table policies_table(const Json& policies, std::size_t seeds) {
  page::Table table;
  table.caption = "Medians of " + std::to_string(seeds) +
                  " seeds, in brackets what 5% and 95% of them stay below.";
  table.columns = {{"", Align::kLeft}};
  for (const Json& policy : policies) table.columns.push_back({text_at(policy, "policy")});
  for (const LoopColumn& figure : loop_columns()) {
    std::vector<std::string> row = {figure.name};
    for (const Json& policy : policies) {
      row.push_back(spread_text(object_at(object_at(policy, "figures"), figure.key), figure));
    }
    table.rows.push_back(std::move(row));
  }
  std::vector<std::string> ranks = {"rank, median of the seeds"}, best = {"best in, of the seeds"};
  for (const Json& policy : policies) {
    const auto rank = number_at(policy, "median_rank"), ratio = number_at(policy, "best_ratio");
    ranks.push_back(rank ? number_text(*rank) : "-");
    best.push_back(ratio ? text::percent(*ratio) : "-");
  }
  table.rows.push_back(std::move(ranks));
  table.rows.push_back(std::move(best));
  return table;
}

// Counts by name, policies beside each other: knobs moved, verdicts of the guard.
page::Table counts_table(const Json& policies, const char* key, const char* caption) {
  std::map<std::string, std::vector<std::string>> rows;
  for (const Json& policy : policies) {
    for (const auto& [name, count] : object_at(policy, key).items()) rows[name];
  }
  page::Table table;
  table.caption = caption;
  table.columns = {{"", Align::kLeft}};
  for (const Json& policy : policies) {
    table.columns.push_back({text_at(policy, "policy")});
    for (auto& [name, row] : rows) {
      if (row.empty()) row.push_back(printable(name));
      const auto count = number_at(object_at(policy, key), name.c_str());
      row.push_back(count ? number_text(*count) : "0");
    }
  }
  for (auto& [name, row] : rows) table.rows.push_back(std::move(row));
  return table;
}

bool is_of_a_run(const Json& document) {
  return text_at(document, "calibrated_on") == "run";
}

// What stands in the place of a calibration.
page::Table assumed_table(const Json& assumed, bool of_a_run) {
  page::Table table;
  table.caption = std::string(of_a_run ? "Not shown by the run" : "Calibrated on no run") +
                  ": what is assumed, and within which factor either way the seeds draw it.";
  table.columns = {{"", Align::kLeft}, {"value"}, {"factor"}};
  for (const Json& one : assumed) {
    const auto value = number_at(one, "value"), factor = number_at(one, "factor");
    const std::string name = text_at(one, "name"), text = text_at(one, "text");
    table.rows.push_back({name.empty() ? text_at(one, "parameter") : name,
                          !text.empty() ? text
                          : value       ? number_text(*value)
                                        : "-",
                          factor ? number_text(*factor) : "-"});
  }
  return table;
}

page::ChartGroup seed_charts(const Json& policies) {
  page::ChartGroup group;
  group.x_label = "seed";
  for (const char* key : kDrawnFigures) {
    const auto& figures = loop_columns();
    const auto as = std::find_if(figures.begin(), figures.end(), [&](const LoopColumn& one) {
      return one.key == std::string_view(key);
    });
    page::Chart chart;
    const bool latency = std::string_view(key).ends_with("_p99_seconds");
    const double scale = latency ? 1e3 : 1;
    chart.title = as->name;
    chart.unit = latency ? "ms" : std::string_view(key).ends_with("_seconds") ? "s" : "";
    for (const Json& policy : policies) {
      const Json& values = array_at(object_at(object_at(policy, "figures"), key), "seeds");
      std::vector<page::Point> points;
      for (std::size_t seed = 0; seed < values.size(); ++seed) {
        if (!values[seed].is_number()) continue;  // not known
        points.push_back({static_cast<double>(seed), values[seed].get<double>() * scale});
      }
      if (points.empty()) continue;
      const std::string name = text_at(policy, "policy");
      chart.series.push_back({name, name, std::move(points)});
    }
    if (!chart.series.empty()) group.charts.push_back(std::move(chart));
  }
  return group;
}

std::size_t seeds_of(const Json& policies) {
  for (const Json& policy : policies) {
    for (const Json& figure : object_at(policy, "figures")) {
      return array_at(figure, "seeds").size();
    }
  }
  return 0;
}

// "headroom comes first by read_p99: median rank 1 of 2, best in 95% of the seeds. ...".
std::string conclusion(const Json& document, const Json& policies) {
  sim::Ranking ranking;
  std::vector<std::string> labels;
  for (const Json& policy : policies) {
    const auto rank = number_at(policy, "median_rank");
    if (!rank) continue;
    ranking.median_rank.push_back(*rank);
    ranking.best_ratio.push_back(number_at(policy, "best_ratio").value_or(0));
    labels.push_back(text_at(policy, "policy"));
  }
  if (labels.empty()) return "No policy is ranked.";
  if (policies.size() == 1) return labels.front() + " alone: there is nothing to rank.";
  const std::string by = text_at(document, "ranked_by");
  if (std::all_of(ranking.best_ratio.begin(), ranking.best_ratio.end(),
                  [](double ratio) { return ratio == 1; })) {
    return "By " + by + " no policy is told from another: the figures of all seeds are ties.";
  }
  ranking.concordance = number_at(document, "concordance");
  const std::size_t first = sim::first_places(ranking).front();
  return first_text(ranking, labels) + " by " + by + ": median rank " +
         number_text(ranking.median_rank[first]) + " of " + std::to_string(policies.size()) +
         ", best in " + text::percent(ranking.best_ratio[first]) +
         " of the seeds. Concordance of the seeds " +
         concordance_text(ranking, seeds_of(policies)) + ".";
}

}  // namespace

std::vector<page::Section> simulation_sections(const Json& document) {
  const Json& policies = array_at(document, "policies");
  page::Section section;
  section.heading = "Policies side by side: " + text_at(document, "name");
  section.blocks.emplace_back(page::Paragraph{conclusion(document, policies), true});
  if (const std::string calibration = text_at(document, "calibration"); !calibration.empty()) {
    section.blocks.emplace_back(page::Paragraph{calibration + "."});
  }
  if (const auto seconds = number_at(document, "simulated_seconds")) {
    section.blocks.emplace_back(page::Paragraph{"Simulated: " + seconds_text(*seconds) + "."});
  }
  if (const auto known = number_at(document, "demand_known_ratio")) {
    section.blocks.emplace_back(
        page::Paragraph{"What was asked for is known for " + text::percent(*known) +
                        " of the time; while writes were held back it is a guess."});
  }
  for (const Json& doubt : array_at(document, "doubts")) {
    if (doubt.is_string())
      section.blocks.emplace_back(page::Paragraph{printable(doubt.get<std::string>())});
  }
  const Json& assumed = array_at(document, "assumed");
  if (!assumed.empty()) {
    section.blocks.emplace_back(assumed_table(assumed, is_of_a_run(document)));
  }
  section.blocks.emplace_back(policies_table(policies, seeds_of(policies)));
  if (page::Table table =
          counts_table(policies, "movements", "Changes by knob, medians of the seeds.");
      !table.rows.empty()) {
    section.blocks.emplace_back(std::move(table));
  }
  if (page::Table table = counts_table(policies, "verdicts", "Verdicts of the guard, in seed 0.");
      !table.rows.empty()) {
    section.blocks.emplace_back(std::move(table));
  }
  page::Section seeds;
  seeds.heading = "Seed by seed: " + text_at(document, "name");
  seeds.blocks.emplace_back(page::Paragraph{
      std::string("Seed 0 has the rates as ") + (is_of_a_run(document) ? "calibrated" : "assumed") +
      "; the others draw what is uncertain. Policies of one seed met the same draw: lines that "
      "cross are an order that is none."});
  seeds.blocks.emplace_back(seed_charts(policies));
  return {std::move(section), std::move(seeds)};
}

}  // namespace rocktune::tools
