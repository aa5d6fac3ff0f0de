#include "bench/report/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bench/report/figures.h"

namespace rocktune::bench::report {
namespace {

std::string figure_cell(const FigureSummary* figure, const Figure& as) {
  if (figure == nullptr || !figure->range) return "-";
  const Range& range = *figure->range;
  const auto text = [&](double value) {
    return page::number_text(value / as.divisor, as.decimals);
  };
  if (text(range.least) == text(range.most)) return text(range.median);
  return text(range.median) + " [" + text(range.least) + "–" + text(range.most) + "]";
}

// Ratios near 1 with a digit more, where it matters.
std::string ratio_text(double ratio) {
  return page::number_text(ratio, std::abs(ratio - 1) < 0.1 ? 3 : 2);
}

// `bare`: that there are too few runs is said elsewhere.
std::string ratio_cell(const FigureSummary* figure, bool bare) {
  if (figure == nullptr || !figure->ratio) return "-";
  const RatioInterval& interval = *figure->ratio;
  if (figure->verdict == Verdict::kTooFew) {
    return ratio_text(interval.ratio) + (bare ? "" : " " + verdict_text(figure->verdict));
  }
  return ratio_text(interval.ratio) + " [" + ratio_text(interval.low) + "–" +
         ratio_text(interval.high) + "] " + verdict_text(figure->verdict);
}

const PolicySummary* reference_of(const Summary& summary) {
  const bool ran =
      !summary.policies.empty() && summary.policies.front().policy == summary.reference;
  return ran ? &summary.policies.front() : nullptr;
}

// " (95% interval 2.60 to 3.01), which is better"
std::string judgement(const FigureSummary& figure) {
  if (figure.verdict == Verdict::kTooFew) return " in one run, which says nothing of chance";
  std::string text = " (95% interval " + ratio_text(figure.ratio->low) + " to " +
                     ratio_text(figure.ratio->high) + "), which is ";
  switch (figure.verdict) {
    case Verdict::kBetter:
      return text + "better";
    case Verdict::kWorse:
      return text + "worse";
    case Verdict::kSame:
      return text + "no difference of 5% or more";
    case Verdict::kTooNoisy:
      return text + "too noisy to call";
    default:
      return text + verdict_text(figure.verdict);
  }
}

const Figure* figure_with(const Summary& summary, const std::string& key) {
  const auto found = std::find_if(summary.figures.begin(), summary.figures.end(),
                                  [&](const Figure& figure) { return figure.key == key; });
  return found == summary.figures.end() ? nullptr : &*found;
}

// Without the unit, which a ratio has not: "read P99" of "read P99, ms".
std::string label_without_unit(const Figure& figure) {
  return figure.label.substr(0, figure.label.rfind(", "));
}

// Seconds above the SLO have no ratio where the reference never was.
std::string slo_sentence(const Summary& summary, const PolicySummary& policy) {
  const FigureSummary* own = policy.figure(kSecondsAboveSlo);
  const FigureSummary* other = reference_of(summary)->figure(kSecondsAboveSlo);
  if (own == nullptr || !own->range || other == nullptr || !other->range) return "";
  return " It was above the SLO for " + page::number_text(own->range->median, 1) + " s, " +
         summary.reference + " for " + page::number_text(other->range->median, 1) + " s.";
}

std::string conclusion_of(const Summary& summary, const PolicySummary& policy) {
  const FigureSummary* throughput = policy.figure(kThroughput);
  if (throughput == nullptr || !throughput->ratio) {
    return policy.policy + " cannot be compared: it or " + summary.reference +
           " has no complete run that did anything.";
  }
  std::string text = policy.policy + " did " + ratio_text(throughput->ratio->ratio) +
                     " times the throughput of " + summary.reference + judgement(*throughput) + ".";
  const Figure* first = figure_with(summary, summary.first);
  if (first == nullptr || first->key == kThroughput) return text + slo_sentence(summary, policy);
  const FigureSummary* figure = policy.figure(first->key);
  if (figure == nullptr || !figure->ratio) return text + slo_sentence(summary, policy);
  return text + " Its " + label_without_unit(*first) + ", what the objective puts first, was " +
         ratio_text(figure->ratio->ratio) + " times that of " + summary.reference +
         judgement(*figure) + "." + slo_sentence(summary, policy);
}

std::string machine_remark(const Summary& summary) {
  const Machine& machine = summary.machine;
  std::string text = "Machine: " + machine.cpu_model.value_or("CPU of unknown model");
  if (machine.cpus) text += ", " + std::to_string(*machine.cpus) + " CPUs";
  if (machine.kernel) text += ", " + *machine.kernel;
  text += ", RocksDB " + machine.rocksdb_version.value_or("of unknown version");
  if (machine.rocksdb_assertions) {
    text += *machine.rocksdb_assertions ? " with assertions" : " without assertions";
  }
  text += ". Device: " + (summary.device.empty() ? "not known" : summary.device) + ".";
  if (summary.scale.value_or(1) == 1) return text;
  char scale[96];
  std::snprintf(scale, sizeof scale, " Scale %.4g: sizes and rates are divided by it.",
                *summary.scale);
  return text + scale;
}

// How sure the range of n repeats is to hold the true median, whatever the distribution.
std::string few_repeats_remark(const Summary& summary) {
  std::size_t fewest = 0;
  for (const PolicySummary& policy : summary.policies) {
    if (policy.runs > 0) fewest = fewest == 0 ? policy.runs : std::min(fewest, policy.runs);
  }
  if (fewest < 2 || fewest > 5) return "";
  char text[200];
  std::snprintf(text, sizeof text,
                "With %zu repeats not even the whole range holds the true median with more than "
                "%.0f%% confidence (1 - 2 * 0.5^%zu): more repeats tell more.",
                fewest, 100 * (1 - 2 * std::pow(0.5, static_cast<double>(fewest))), fewest);
  return text;
}

void add_disagreements(const Summary& summary, std::vector<std::string>& all) {
  for (const PolicySummary& policy : summary.policies) {
    if (policy.agrees()) continue;
    char text[96];
    std::snprintf(text, sizeof text, " differ by %.1f%% in throughput (median of all pairs)",
                  100 * *policy.throughput_spread);
    all.push_back("Runs of " + policy.policy + " under one seed" + text +
                  ", more than 5%: what it is compared with is too noisy to call.");
  }
}

void add_turns_not_taken(const Summary& summary, std::vector<std::string>& all) {
  for (const PolicySummary& policy : summary.policies) {
    if (policy.took_turns) continue;
    all.push_back(policy.policy + " did not take turns with " + summary.reference +
                  " (it was added later, or runs were made anew or a repeat finished later): what "
                  "the machine did in between "
                  "cannot be told from what it did, and no repeats are pairs.");
  }
}

void add_left_out(const Summary& summary, std::vector<std::string>& all) {
  for (const PolicySummary& policy : summary.policies) {
    if (policy.partial_runs == 0) continue;
    all.push_back(std::to_string(policy.partial_runs) + " of " + policy.policy +
                  "'s runs were stopped early: they are in no figure.");
  }
}

std::vector<page::Column> columns_of(const Summary& summary, bool with_reference) {
  std::vector<page::Column> columns = {{"", page::Align::kLeft}};
  for (const PolicySummary& policy : summary.policies) {
    if (policy.policy == summary.reference && !with_reference) continue;
    columns.push_back({policy.policy, page::Align::kRight});
  }
  return columns;
}

const char* kFigureCaption = "Median of the repeats [least–most]";

// Of every ratio that there is.
bool has_no_interval(const Summary& summary, const std::vector<Figure>& figures) {
  return std::all_of(figures.begin(), figures.end(), [&](const Figure& figure) {
    return std::all_of(summary.policies.begin(), summary.policies.end(),
                       [&](const PolicySummary& policy) {
                         const FigureSummary* one = policy.figure(figure.key);
                         return policy.policy == summary.reference || one == nullptr ||
                                !one->ratio || one->verdict == Verdict::kTooFew;
                       });
  });
}

std::string ratio_caption(const Summary& summary, bool no_interval) {
  return "Ratio to " + summary.reference +
         (no_interval ? " (too few runs for an interval)" : " [95% interval]");
}

}  // namespace

std::vector<std::string> conclusions(const Summary& summary) {
  if (reference_of(summary) == nullptr) {
    return {"There is no run of " + summary.reference +
            ", the policy that the others are to be compared with."};
  }
  std::vector<std::string> all;
  for (const PolicySummary& policy : summary.policies) {
    if (policy.policy != summary.reference) all.push_back(conclusion_of(summary, policy));
  }
  return all;
}

std::vector<std::string> remarks(const Summary& summary) {
  std::vector<std::string> all = {machine_remark(summary)};
  all.insert(all.end(), summary.differences.begin(), summary.differences.end());
  all.insert(all.end(), summary.replayed.begin(), summary.replayed.end());
  add_disagreements(summary, all);
  add_turns_not_taken(summary, all);
  add_left_out(summary, all);
  if (summary.policies.size() < 2) return all;
  all.push_back(bootstrap_method());
  if (std::string few = few_repeats_remark(summary); !few.empty()) all.push_back(few);
  all.push_back(
      "Too noisy to call: the interval covers 1 and is wider than 5% to a side, or runs of one "
      "policy under one seed differ by more than 5% in throughput. No difference: it covers 1 and "
      "lies within 5%, or all of it within 0.1%.");
  return all;
}

page::Table figure_table(const Summary& summary, const std::vector<Figure>& figures) {
  page::Table table{.caption = kFigureCaption, .columns = columns_of(summary, true), .rows = {}};
  std::vector<std::string> runs = {"complete runs"};
  for (const PolicySummary& policy : summary.policies) runs.push_back(std::to_string(policy.runs));
  table.rows.push_back(std::move(runs));
  for (const Figure& figure : figures) {
    std::vector<std::string> row = {figure.label};
    for (const PolicySummary& policy : summary.policies) {
      row.push_back(figure_cell(policy.figure(figure.key), figure));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

page::Table ratio_table(const Summary& summary, const std::vector<Figure>& figures) {
  const bool bare = has_no_interval(summary, figures);
  page::Table table{
      .caption = ratio_caption(summary, bare), .columns = columns_of(summary, false), .rows = {}};
  for (const Figure& figure : figures) {
    std::vector<std::string> row = {label_without_unit(figure)};
    bool any = false;
    for (const PolicySummary& policy : summary.policies) {
      if (policy.policy == summary.reference) continue;
      row.push_back(ratio_cell(policy.figure(figure.key), bare));
      any = any || row.back() != "-";
    }
    if (any) table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<page::Table> yardstick_tables(const Summary& summary) {
  std::vector<page::Table> tables;
  for (const Summary& one : summary.yardsticks) {
    std::vector<Figure> figures = one.figures;
    figures.insert(figures.end(), one.phase_figures.begin(), one.phase_figures.end());
    page::Table table = ratio_table(one, figures);
    if (!table.rows.empty()) tables.push_back(std::move(table));
  }
  return tables;
}

std::string comparison_markdown(const Summary& summary) {
  std::string out = "# " + summary.title + "\n\n";
  if (!summary.description.empty()) out += summary.description + "\n\n";
  for (const std::string& sentence : conclusions(summary)) out += "- " + sentence + "\n";
  out += "\n" + markdown(figure_table(summary, summary.figures)) + "\n";
  out += markdown(ratio_table(summary, summary.figures)) + "\n";
  for (const page::Table& table : yardstick_tables(summary)) out += markdown(table) + "\n";
  if (!summary.phase_figures.empty()) {
    out += "## By phase\n\n" + markdown(figure_table(summary, summary.phase_figures)) + "\n";
    out += markdown(ratio_table(summary, summary.phase_figures)) + "\n";
  }
  for (const std::string& remark : remarks(summary)) out += "- " + remark + "\n";
  if (!summary.command.empty()) out += "\n```\n" + summary.command + "\n```\n";
  return out;
}

std::string comparison_text(const Summary& summary) {
  std::string out = plain_text(figure_table(summary, summary.figures)) + "\n";
  const page::Table ratios = ratio_table(summary, summary.figures);
  if (!ratios.rows.empty()) out += plain_text(ratios) + "\n";
  for (const page::Table& table : yardstick_tables(summary)) out += plain_text(table) + "\n";
  for (const std::string& sentence : conclusions(summary)) out += sentence + "\n";
  out += "\n";
  for (const std::string& remark : remarks(summary)) out += remark + "\n";
  return out;
}

}  // namespace rocktune::bench::report
