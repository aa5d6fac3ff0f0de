#include "bench/experiment/outcome.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

#include "bench/experiment/metrics.h"
#include "page/table.h"

namespace rocktune::bench::experiment {
namespace {

const report::ByRepeat* values_of(const Figures& figures, const std::string& metric,
                                  const std::string& name) {
  const auto by_case = figures.find(metric);
  if (by_case == figures.end()) return nullptr;
  const auto by_round = by_case->second.find(name);
  return by_round == by_case->second.end() ? nullptr : &by_round->second;
}

std::vector<double> ratios(const Figures& figures, const std::string& metric,
                           const std::string& name, const std::string& other) {
  std::vector<double> all;
  const auto* over = values_of(figures, metric, name);
  const auto* under = values_of(figures, metric, other);
  if (over == nullptr || under == nullptr) return all;
  for (const auto& [round, value] : *over) {
    const auto same = under->find(round);
    if (same != under->end() && same->second != 0) all.push_back(value / same->second);
  }
  return all;
}

bool holds(const Rule& rule, double value) {
  switch (rule.kind) {
    case Rule::Kind::kAtLeast:
      return value >= rule.limit;
    case Rule::Kind::kAtMost:
      return value <= rule.limit;
    case Rule::Kind::kWithin:
      return std::abs(value - 1) <= rule.limit;
    case Rule::Kind::kOrder:
      break;
  }
  return false;
}

void judge_value(const Figures& figures, Verdict& verdict) {
  const Rule& rule = *verdict.rule;
  std::vector<double> values;
  if (!rule.other.empty()) {
    values = ratios(figures, rule.metric, rule.subject, rule.other);
  } else if (const auto* own = values_of(figures, rule.metric, rule.subject)) {
    for (const auto& [round, value] : *own) values.push_back(value);
  }
  const auto range = report::range_of(values);
  if (!range) return;
  const auto metric = find_metric(rule.metric);
  verdict.seen = range_text(range, rule.other.empty() && metric ? metric->digits : 2);
  verdict.rounds = values.size();
  verdict.rounds_for = static_cast<std::size_t>(
      std::count_if(values.begin(), values.end(), [&rule](double v) { return holds(rule, v); }));
  verdict.answer = holds(rule, range->median) ? Answer::kReproduced : Answer::kNotReproduced;
}

// Strictly: what is equal has no order.
bool descending(const std::vector<double>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::less_equal<>()) == values.end();
}

bool all_zero(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value == 0; });
}

// The medians decide; a round counts when all its cases were measured.
void judge_order(const Figures& figures, Verdict& verdict) {
  const Rule& rule = *verdict.rule;
  std::vector<double> medians;
  std::map<std::int64_t, std::vector<double>> rounds;
  for (const std::string& name : rule.order) {
    const auto* values = values_of(figures, rule.metric, name);
    const auto range = figure(figures, rule.metric, name);
    if (values == nullptr || !range) return;
    medians.push_back(range->median);
    for (const auto& [round, value] : *values) rounds[round].push_back(value);
  }
  if (all_zero(medians)) return;  // nothing of it happened in any case
  std::vector<std::pair<double, std::string>> seen;
  seen.reserve(medians.size());
  for (std::size_t i = 0; i < medians.size(); ++i) seen.emplace_back(medians[i], rule.order[i]);
  std::stable_sort(seen.begin(), seen.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [value, name] : seen) {
    verdict.seen += (verdict.seen.empty() ? "" : " > ") + name;
  }
  for (const auto& [round, values] : rounds) {
    if (values.size() != medians.size()) continue;
    ++verdict.rounds;
    if (descending(values)) ++verdict.rounds_for;
  }
  verdict.answer = descending(medians) ? Answer::kReproduced : Answer::kNotReproduced;
}

}  // namespace

std::optional<report::Range> figure(const Figures& figures, const std::string& metric,
                                    const std::string& name) {
  const auto* values = values_of(figures, metric, name);
  if (values == nullptr) return std::nullopt;
  std::vector<double> all;
  for (const auto& [round, value] : *values) all.push_back(value);
  return report::range_of(std::move(all));
}

std::optional<report::Range> ratio(const Figures& figures, const std::string& metric,
                                   const std::string& name, const std::string& other) {
  return report::range_of(ratios(figures, metric, name, other));
}

std::vector<Verdict> judge(const Part& part, const Figures& figures) {
  std::vector<Verdict> verdicts;
  for (const Rule& rule : part.rules) {
    Verdict verdict;
    verdict.rule = &rule;
    if (rule.kind == Rule::Kind::kOrder) {
      judge_order(figures, verdict);
    } else {
      judge_value(figures, verdict);
    }
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

std::string verdict_text(const Verdict& verdict) {
  if (verdict.answer == Answer::kNotMeasured) return "not measured";
  std::string text = verdict.answer == Answer::kReproduced ? "reproduced" : "NOT reproduced";
  text += " (" + std::to_string(verdict.rounds_for) + " of " + std::to_string(verdict.rounds) +
          (verdict.rounds == 1 ? " round)" : " rounds)");
  return text;
}

std::string rule_text(const Rule& rule) {
  const std::string metric = heading_of(rule.metric);
  if (rule.kind == Rule::Kind::kOrder) {
    std::string text = metric + ": ";
    for (std::size_t i = 0; i < rule.order.size(); ++i) {
      text += (i == 0 ? "" : " > ") + rule.order[i];
    }
    return text;
  }
  const std::string what = metric + " of " + rule.subject;
  if (rule.kind == Rule::Kind::kWithin) {
    return what + " within " + page::number_text(rule.limit * 100, 0) + "% of " + rule.other;
  }
  std::string text = what + (rule.kind == Rule::Kind::kAtLeast ? " at least " : " at most ");
  const auto known = find_metric(rule.metric);
  if (rule.other.empty()) return text + page::number_text(rule.limit, known ? known->digits : 2);
  return text + page::number_text(rule.limit, 2) + " times " + rule.other;
}

std::vector<std::string> metrics_of(const Part& part) {
  std::vector<std::string> all = part.metrics;
  for (const Rule& rule : part.rules) {
    if (std::find(all.begin(), all.end(), rule.metric) == all.end()) all.push_back(rule.metric);
  }
  return all;
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", seconds);
  return text;
}

std::string range_text(const std::optional<report::Range>& range, int digits) {
  if (!range) return "-";
  std::string median = page::number_text(range->median, digits);
  if (range->count < 2) return median;
  return median + " [" + page::number_text(range->least, digits) + "-" +
         page::number_text(range->most, digits) + "]";
}

}  // namespace rocktune::bench::experiment
