#include "tools/validate_text.h"

#include <algorithm>
#include <cmath>

#include "model/text.h"
#include "sim/median.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

using trace::Json;

// Over some of the runs: errors without their sign.
struct Summary {
  std::size_t runs = 0;
  double ingest_median = 0, ingest_worst = 0;
  double compaction_median = 0;
  double stalled_ratio_mean = 0, stalled_ratio_worst = 0;
};

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double largest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

Summary summarise(const std::vector<sim::ValidationErrors>& errors) {
  std::vector<double> ingest, compaction, stalled;
  for (const sim::ValidationErrors& one : errors) {
    ingest.push_back(std::abs(one.ingest));
    compaction.push_back(std::abs(one.compaction_bytes));
    stalled.push_back(std::abs(one.stalled_ratio_off));
  }
  return {errors.size(),           sim::median(ingest), largest(ingest),
          sim::median(compaction), mean(stalled),       largest(stalled)};
}

std::vector<sim::ValidationErrors> all_errors(const std::vector<ValidatedRun>& runs) {
  std::vector<sim::ValidationErrors> errors;
  errors.reserve(runs.size());
  for (const ValidatedRun& run : runs) errors.push_back(sim::validation_errors(run.result));
  return errors;
}

std::vector<sim::ValidationErrors> stalling(std::vector<sim::ValidationErrors> errors) {
  std::erase_if(errors, [](const sim::ValidationErrors& one) { return !one.stalls; });
  return errors;
}

std::size_t count_right(const std::vector<sim::ValidationErrors>& errors) {
  return static_cast<std::size_t>(
      std::count_if(errors.begin(), errors.end(),
                    [](const sim::ValidationErrors& one) { return one.is_stall_right(); }));
}

std::string signed_percent(double ratio) {
  return (ratio >= 0 ? "+" : "") + text::number(ratio * 100, 1) + "%";
}

std::string summary_line(const std::string& which, const Summary& summary) {
  if (summary.runs == 0) return which + " (0): -";
  return which + " (" + std::to_string(summary.runs) + "): writes off by " +
         text::number(summary.ingest_median * 100, 1) + "% (median), " +
         text::number(summary.ingest_worst * 100, 1) + "% at most; compaction bytes by " +
         text::number(summary.compaction_median * 100, 1) +
         "% (median); share of the time stalled by " + text::number(summary.stalled_ratio_mean, 3) +
         " (mean), " + text::number(summary.stalled_ratio_worst, 3) + " at most";
}

Json figures_json(const sim::RunFigures& figures) {
  return {{"seconds", figures.seconds},
          {"keys_written", figures.keys_written},
          {"compaction_bytes_read", figures.compaction_bytes_read},
          {"stalled_seconds", figures.stalled_seconds}};
}

Json laws_json(const sim::Laws& laws) {
  return {{"bytes_per_write", laws.bytes_per_write},
          {"memtable_fill_ratio", laws.memtable_fill},
          {"flush_output_ratio", laws.flush_output},
          {"flush_bytes_per_second", laws.flush_bytes_per_second},
          {"l0_bytes_per_second", laws.l0_bytes_per_second},
          {"deep_bytes_per_second", laws.deep_bytes_per_second},
          {"overlap", laws.tree.overlap},
          {"survival_ratio", laws.tree.survival},
          {"job_spread", laws.job_spread},
          {"delayed_bytes_ratio", laws.delayed_bytes}};
}

Json errors_json(const sim::ValidationErrors& errors) {
  return {{"stalls", errors.stalls},
          {"stalling_seeds_ratio", errors.stalling_seeds},
          {"stall_right", errors.is_stall_right()},
          {"ingest_error_ratio", errors.ingest},
          {"compaction_bytes_error_ratio", errors.compaction_bytes},
          {"stalled_ratio", errors.stalled_ratio},
          {"stalled_ratio_off", errors.stalled_ratio_off}};
}

Json summary_json(const Summary& summary) {
  const auto figure = [&](double value) { return summary.runs > 0 ? Json(value) : Json(nullptr); };
  return {{"runs", summary.runs},
          {"ingest_error_median", figure(summary.ingest_median)},
          {"ingest_error_worst", figure(summary.ingest_worst)},
          {"compaction_bytes_error_median", figure(summary.compaction_median)},
          {"stalled_ratio_off_mean", figure(summary.stalled_ratio_mean)},
          {"stalled_ratio_off_worst", figure(summary.stalled_ratio_worst)}};
}

}  // namespace

std::vector<std::string> validation_lines(const std::vector<ValidatedRun>& runs) {
  std::vector<std::vector<std::string>> rows = {{"run", "stalls", "seeds that stall", "stalled",
                                                 "off by", "writes", "compaction", "demand known"}};
  const auto errors = all_errors(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const sim::ValidationErrors& one = errors[i];
    rows.push_back({runs[i].name, one.stalls ? "yes" : "no",
                    text::percent(one.stalling_seeds) + (one.is_stall_right() ? "" : " WRONG"),
                    text::number(one.stalled_ratio, 3), text::number(one.stalled_ratio_off, 3),
                    signed_percent(one.ingest), signed_percent(one.compaction_bytes),
                    text::percent(runs[i].result.demand_known_ratio)});
  }
  std::vector<std::string> lines = table(rows);
  lines.emplace_back();
  lines.push_back("stall or none right in " + std::to_string(count_right(errors)) + " of " +
                  std::to_string(errors.size()) + " runs");
  lines.push_back(summary_line("all runs", summarise(errors)));
  lines.push_back(summary_line("runs that stall", summarise(stalling(errors))));
  lines.emplace_back();
  lines.emplace_back(kValidationClaims);
  return lines;
}

Json validation_json(const std::vector<ValidatedRun>& runs) {
  const auto errors = all_errors(runs);
  Json list = Json::array();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const sim::ValidationResult& result = runs[i].result;
    Json simulated = Json::array();
    for (const sim::RunFigures& one : result.simulated) simulated.push_back(figures_json(one));
    list.push_back({{"name", runs[i].name},
                    {"recorded", figures_json(result.recorded)},
                    {"simulated", simulated},
                    {"laws", laws_json(result.laws)},
                    {"demand_known_ratio", result.demand_known_ratio},
                    {"errors", errors_json(errors[i])}});
  }
  return {{"schema", "rocktune-validate/1"},
          {"rung", "closed_loop"},
          {"claims", kValidationClaims},
          {"runs", list},
          {"stall_right", count_right(errors)},
          {"all", summary_json(summarise(errors))},
          {"stalling", summary_json(summarise(stalling(errors)))}};
}

}  // namespace rocktune::tools
