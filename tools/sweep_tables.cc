#include "tools/sweep_tables.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "model/text.h"
#include "score/run.h"
#include "sim/median.h"
#include "tools/loop_columns.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

using Meetings = std::vector<SweepResult::Meeting>;

sim::Ranking rank_of(const Meetings& meetings, const std::vector<std::size_t>& policies) {
  std::vector<std::vector<double>> merits;
  merits.reserve(meetings.size());
  for (const auto& meeting : meetings) {
    auto& own = merits.emplace_back();
    for (const std::size_t policy : policies) own.push_back(meeting.merits[policy]);
  }
  return sim::rank(merits);
}

// The combinations of one policy's parameters, and the best of them.
struct Candidates {
  std::vector<std::size_t> policies;
  std::size_t best = 0;  // of SweepResult::policies()
  std::optional<double> concordance;
  bool alike = false;  // none is told from another
};

std::vector<Candidates> by_name(const SweepResult& result, const Meetings& meetings) {
  std::vector<Candidates> out;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < result.policies().size(); ++i) {
    const auto [place, added] = places.emplace(result.policies()[i].name, out.size());
    if (added) out.emplace_back();
    out[place->second].policies.push_back(i);
  }
  for (Candidates& one : out) {
    const sim::Ranking ranking = rank_of(meetings, one.policies);
    one.best = one.policies[sim::first_places(ranking).front()];
    one.concordance = ranking.concordance;
    one.alike = std::all_of(ranking.best_ratio.begin(), ranking.best_ratio.end(),
                            [](double ratio) { return ratio == 1; });
  }
  return out;
}

// Whether some had more to choose from than others.
bool choice_favours(const std::vector<Candidates>& candidates) {
  const auto choice = [](const Candidates& one) { return one.alike ? 1 : one.policies.size(); };
  return std::any_of(candidates.begin(), candidates.end(), [&](const Candidates& one) {
    return choice(one) != choice(candidates.front());
  });
}

void add_headings(std::vector<std::string>& row) {
  for (const LoopColumn& column : loop_columns()) row.emplace_back(column.name);
  row.insert(row.end(), {"rank", "best in"});
}

// The medians of what is known of its figures, and how it ranks as the `place`-th of `ranking`.
void add_figures(const Meetings& meetings, std::size_t policy, const sim::Ranking& ranking,
                 std::size_t place, std::vector<std::string>& row) {
  for (std::size_t column = 0; column < loop_columns().size(); ++column) {
    std::vector<double> values;
    values.reserve(meetings.size());
    for (const auto& meeting : meetings) values.push_back(meeting.figures[policy][column]);
    const LoopColumn& figure = loop_columns()[column];
    row.push_back(figure.text(sim::median(known_of(figure, std::move(values)))));
  }
  row.push_back(number_text(ranking.median_rank[place]));
  row.push_back(text::percent(ranking.best_ratio[place]));
}

std::string params_cell(const SweptPolicy& policy) {
  return policy.params.empty() ? "-" : policy.params;
}

// "20", or "3 to 20" where databases differ.
std::string seeds_text(const Meetings& meetings) {
  std::map<std::size_t, std::size_t> seeds;
  for (const auto& meeting : meetings) ++seeds[meeting.database];
  const auto [least, most] = std::minmax_element(
      seeds.begin(), seeds.end(),
      [](const auto& one, const auto& other) { return one.second < other.second; });
  const std::string from = std::to_string(least->second), to = std::to_string(most->second);
  return from == to ? to : from + " to " + to;
}

// " (read P99: of 2 of them)": of the figures that some databases do not have.
std::string lacking_text(const SweepResult& result, const Meetings& meetings) {
  const std::size_t all = result.compared().size();
  std::string text;
  for (std::size_t column = 0; column < loop_columns().size(); ++column) {
    const LoopColumn& figure = loop_columns()[column];
    std::set<std::size_t> have;
    for (const auto& meeting : meetings) {
      for (const auto& figures : meeting.figures) {
        if (!known_of(figure, {figures[column]}).empty()) have.insert(meeting.database);
      }
    }
    if (have.empty() || have.size() == all) continue;
    text += std::string(text.empty() ? " (" : "; ") + figure.name + ": of " +
            std::to_string(have.size()) + " of them";
  }
  return text.empty() ? text : text + ")";
}

std::string basis_of(const SweepResult& result, const Meetings& meetings) {
  return "Medians over " + seeds_text(meetings) + " seeds of " + compared_text(result) +
         lacking_text(result, meetings) +
         ". Best parameters: the lowest median rank by what each database's objective puts first "
         "(the lower P99, also where both are within the SLO); agreed: the concordance of seeds "
         "and databases on that order (Kendall's W).";
}

std::string conclusion_of_one(const SweepResult& result, const Candidates& one,
                              const std::string& label) {
  const std::string& name = result.policies()[one.best].name;
  if (one.policies.size() == 1) return label + " alone was swept.";
  if (one.alike) {
    return "By what the objectives put first the parameters of " + name + " make no difference.";
  }
  return label + " ranks best of " + std::to_string(one.policies.size()) + " combinations.";
}

std::string conclusion_of(const sim::Ranking& ranking, const std::vector<std::string>& labels) {
  if (std::all_of(ranking.best_ratio.begin(), ranking.best_ratio.end(),
                  [](double ratio) { return ratio == 1; })) {
    return "By what the objectives put first no policy is told from another: all are ties.";
  }
  const std::size_t first = sim::first_places(ranking).front();
  return first_text(ranking, labels) + ": median rank " + number_text(ranking.median_rank[first]) +
         " of " + std::to_string(labels.size()) + ", best in " +
         text::percent(ranking.best_ratio[first]) + " of seeds and databases.";
}

}  // namespace

std::optional<BestOfSweep> best_of(const SweepResult& result) {
  BestOfSweep out;
  out.meetings = result.meetings();
  if (out.meetings.empty()) return std::nullopt;
  const std::vector<Candidates> candidates = by_name(result, out.meetings);
  for (const Candidates& one : candidates) out.policies.push_back(one.best);
  const sim::Ranking ranking = rank_of(out.meetings, out.policies);
  add_headings(out.table.emplace_back(
      std::vector<std::string>{"policy", "best parameters", "of", "agreed"}));
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const SweptPolicy& policy = result.policies()[out.policies[i]];
    const bool tie = candidates[i].alike && candidates[i].policies.size() > 1;
    out.labels.push_back(tie ? policy.name : policy.label());
    auto& row = out.table.emplace_back(std::vector<std::string>{
        policy.name, tie ? "all alike" : params_cell(policy),
        std::to_string(candidates[i].policies.size()),
        candidates[i].concordance ? text::number(*candidates[i].concordance, 2) : "-"});
    add_figures(out.meetings, out.policies[i], ranking, i, row);
  }
  out.basis = basis_of(result, out.meetings);
  out.doubts = doubts(result.bases());
  if (choice_favours(candidates)) {
    out.doubts.emplace_back(
        "Parameters were chosen by the seeds and databases that they are ranked by here: of two "
        "policies that do alike the one with more combinations comes out ahead.");
  }
  if (candidates.size() == 1) {
    out.conclusion = conclusion_of_one(result, candidates[0], out.labels[0]);
    return out;
  }
  out.conclusion = conclusion_of(ranking, out.labels);
  out.concordance = "Concordance on the order of the policies with their best parameters " +
                    concordance_text(ranking, out.meetings.size());
  return out;
}

SweepTable combinations_table(const SweepResult& result, const BestOfSweep& best) {
  std::vector<std::size_t> all(result.policies().size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const sim::Ranking ranking = rank_of(best.meetings, all);
  SweepTable out;
  add_headings(out.emplace_back(std::vector<std::string>{"policy", "parameters"}));
  for (const std::size_t i : all) {
    const SweptPolicy& policy = result.policies()[i];
    auto& row = out.emplace_back(std::vector<std::string>{policy.name, params_cell(policy)});
    add_figures(best.meetings, i, ranking, i, row);
  }
  return out;
}

SweepTable decisions_table(const SweepResult& result) {
  const std::vector<std::pair<const char*, const char*>> columns = {
      {"decisions", "decisions"},         {"allowed", "decisions_allowed"},
      {"clamped", "decisions_clamped"},   {"held", "decisions_held"},
      {"rejected", "decisions_rejected"}, {"as then", "changes_agreed"},
      {"of changes then", "changes_live"}};
  SweepTable rows(1, {"policy"});
  for (const auto& [name, key] : columns) rows[0].emplace_back(name);
  for (std::size_t policy = 0; policy < result.policies().size(); ++policy) {
    auto& row = rows.emplace_back(1, result.policies()[policy].label());
    for (const auto& [name, key] : columns) {
      row.push_back(text::number(result.sum(policy, key).value, 0));
    }
  }
  return rows;
}

std::string compared_text(const SweepResult& result) {
  return std::to_string(result.compared().size()) + " of " +
         std::to_string(result.databases().size()) + " databases";
}

std::string alarms_text(const SweepResult& result) {
  std::string line = "Alarms, whatever the policy:";
  const char* before = " ";
  for (const IndicatorKind indicator : score::kKinds) {
    const std::string kind(to_string(indicator));
    const auto sum = [&](const char* what) {
      return text::number(result.sum(0, kind + what).value, 0);
    };
    const std::size_t scored = result.sum(0, kind + "_alarms").databases;
    line += before + kind;
    before = "; ";
    if (scored == 0) {
      line += " not scored";
      continue;
    }
    line += " " + sum("_alarms") + " (" + sum("_false_alarms") + " false) for " + sum("_events") +
            " events";
    if (scored < result.compared().size()) {
      line += " in the " + std::to_string(scored) + " databases that could be scored";
    }
  }
  return line;
}

}  // namespace rocktune::tools
