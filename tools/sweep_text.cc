#include "tools/sweep_text.h"

#include <algorithm>
#include <map>

#include "model/text.h"
#include "score/run.h"
#include "sim/ensemble.h"
#include "sim/median.h"
#include "tools/claims.h"
#include "tools/loop_columns.h"
#include "tools/simulate_text.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

using sim::LoopFigures;
using trace::Json;
using SweepLines = std::vector<std::string>;

double number_in_row(const Json& row, const std::string& column) {
  const auto found = row.find(column);
  return found != row.end() && found->is_number() ? found->get<double>() : 0;
}

bool has_failed(const Json& row) {
  return !row.at("error").is_null();
}

// What sim::figure_of_merit() looks at.
LoopFigures figures_in(const Json& row) {
  LoopFigures figures;
  figures.seconds = 1;
  figures.operations = number_in_row(row, "operations_per_second");
  figures.reads_p99_seconds = number_in_row(row, "read_p99_seconds");
  figures.writes_p99_seconds = number_in_row(row, "write_p99_seconds");
  figures.stalled_seconds = number_in_row(row, "stalled_seconds");
  figures.write_amplification = number_in_row(row, "write_amplification");
  return figures;
}

using FigureRow = std::vector<double>;  // as loop_columns() has them

FigureRow figure_row(const Json& row) {
  FigureRow out;
  for (const LoopColumn& column : loop_columns()) out.push_back(number_in_row(row, column.key));
  return out;
}

// The simulations of all runs, as the policies met in one run and seed after the other.
struct Meetings {
  std::vector<std::vector<FigureRow>> figures;  // by meeting, then policy
  std::vector<std::vector<double>> merits;      // likewise
  std::size_t runs = 0;                         // that every policy came through
};

void add_meetings(const SweepPlan& plan, const RecordedRun& run, const std::vector<Json>& rows,
                  Meetings& out) {
  if (std::any_of(rows.begin(), rows.end(), has_failed)) return;
  const std::size_t seeds = plan.grid().seeds;
  std::vector<sim::SimulatedPolicy> policies(plan.grid().policies.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    policies[i / seeds].by_seed.push_back(figures_in(rows[i]));
  }
  const Priority first = sim::ranked_by(policies, run.engine.objective.first);
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    auto& figures = out.figures.emplace_back();
    auto& merits = out.merits.emplace_back();
    for (std::size_t policy = 0; policy < policies.size(); ++policy) {
      figures.push_back(figure_row(rows[policy * seeds + seed]));
      merits.push_back(sim::figure_of_merit(policies[policy].by_seed[seed], first));
    }
  }
  ++out.runs;
}

Meetings meetings_of(const SweepPlan& plan, const SweepLines& results) {
  Meetings out;
  const std::size_t of_run = plan.grid().policies.size() * plan.grid().seeds;
  for (std::size_t run = 0; run < plan.runs().size(); ++run) {
    std::vector<Json> rows;
    rows.reserve(of_run);
    for (std::size_t i = 0; i < of_run; ++i) {
      rows.push_back(Json::parse(results[run * of_run + i]));
    }
    add_meetings(plan, plan.runs()[run], rows, out);
  }
  return out;
}

sim::Ranking rank_of(const Meetings& meetings, const std::vector<std::size_t>& policies) {
  std::vector<std::vector<double>> merits;
  for (const auto& all : meetings.merits) {
    auto& own = merits.emplace_back();
    for (const std::size_t policy : policies) own.push_back(all[policy]);
  }
  return sim::rank(merits);
}

// The combinations of one policy's parameters, and the best of them.
struct Candidates {
  std::vector<std::size_t> policies;  // in the grid
  std::size_t best = 0;               // in the grid
  double concordance = 1;
  bool alike = false;  // none is told from another
};

std::vector<Candidates> by_name(const SweepPlan& plan, const Meetings& meetings) {
  std::vector<Candidates> out;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < plan.grid().policies.size(); ++i) {
    const auto [place, added] = places.emplace(plan.grid().policies[i].name, out.size());
    if (added) out.emplace_back();
    out[place->second].policies.push_back(i);
  }
  for (Candidates& one : out) {
    const sim::Ranking ranking = rank_of(meetings, one.policies);
    std::size_t best = 0;
    for (std::size_t i = 1; i < one.policies.size(); ++i) {
      const auto merit = [&](std::size_t at) {
        return std::make_pair(ranking.median_rank[at], -ranking.best_ratio[at]);
      };
      if (merit(i) < merit(best)) best = i;
    }
    one.best = one.policies[best];
    one.concordance = ranking.concordance;
    one.alike = std::all_of(ranking.best_ratio.begin(), ranking.best_ratio.end(),
                            [](double ratio) { return ratio == 1; });
  }
  return out;
}

std::string params_cell(const PolicyChoice& policy) {
  if (policy.params.empty()) return "-";
  std::string text = policy.label.substr(policy.name.size() + 1);
  std::replace(text.begin(), text.end(), ':', ' ');
  return text;
}

SweepLines best_table(const SweepPlan& plan, const Meetings& meetings) {
  const std::vector<Candidates> candidates = by_name(plan, meetings);
  std::vector<std::size_t> best;
  best.reserve(candidates.size());
  for (const Candidates& one : candidates) best.push_back(one.best);
  const sim::Ranking ranking = rank_of(meetings, best);
  std::vector<std::vector<std::string>> rows(1, {"policy", "best parameters", "of", "agreed"});
  for (const LoopColumn& column : loop_columns()) rows[0].emplace_back(column.name);
  rows[0].insert(rows[0].end(), {"rank", "best in"});
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const PolicyChoice& policy = plan.grid().policies[best[i]];
    const bool tie = candidates[i].alike && candidates[i].policies.size() > 1;
    std::vector<std::string> row = {policy.name, tie ? "all alike" : params_cell(policy),
                                    std::to_string(candidates[i].policies.size()),
                                    tie ? "-" : text::number(candidates[i].concordance, 2)};
    for (std::size_t column = 0; column < loop_columns().size(); ++column) {
      std::vector<double> values;
      values.reserve(meetings.figures.size());
      for (const auto& figures : meetings.figures) values.push_back(figures[best[i]][column]);
      row.push_back(loop_columns()[column].text(sim::median(std::move(values))));
    }
    row.push_back(number_text(ranking.median_rank[i]));
    row.push_back(text::percent(ranking.best_ratio[i]));
    rows.push_back(std::move(row));
  }
  SweepLines lines = table(rows);
  lines.emplace_back();
  lines.push_back("Medians over " + std::to_string(plan.grid().seeds) + " seeds of " +
                  std::to_string(meetings.runs) + " of " + std::to_string(plan.runs().size()) +
                  " databases. Best parameters: the lowest median rank by what each database's "
                  "objective puts first; agreed: the concordance of seeds and databases on that "
                  "order (Kendall's W).");
  lines.push_back("Concordance on the order of the policies with their best parameters " +
                  concordance_text(ranking));
  return lines;
}

SweepLines decisions_table(const SweepPlan& plan, const SweepLines& results) {
  const std::vector<std::pair<const char*, const char*>> columns = {
      {"decisions", "decisions"},         {"allowed", "decisions_allowed"},
      {"clamped", "decisions_clamped"},   {"held", "decisions_held"},
      {"rejected", "decisions_rejected"}, {"as then", "changes_agreed"},
      {"of changes then", "changes_live"}};
  std::vector<std::vector<std::string>> rows(1, {"policy"});
  for (const auto& [name, key] : columns) rows[0].emplace_back(name);
  for (std::size_t policy = 0; policy < plan.grid().policies.size(); ++policy) {
    std::map<std::string, double> sums;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (plan.policy_of(i) != policy) continue;
      const Json row = Json::parse(results[i]);
      for (const auto& [name, key] : columns) sums[key] += number_in_row(row, key);
    }
    auto& row = rows.emplace_back(1, plan.grid().policies[policy].label);
    for (const auto& [name, key] : columns) row.push_back(text::number(sums[key], 0));
  }
  return table(rows);
}

// Policies do not change them: those of the first one are those of all.
std::string alarms_line(const SweepPlan& plan, const SweepLines& results) {
  std::string line = "Alarms, whatever the policy:";
  for (const IndicatorKind indicator : score::kKinds) {
    const std::string kind(to_string(indicator));
    std::map<std::string, double> sums;
    for (std::size_t i = 0; i < results.size(); i += plan.grid().policies.size()) {
      const Json row = Json::parse(results[i]);
      for (const char* what : {"_events", "_alarms", "_false_alarms"}) {
        sums[what] += number_in_row(row, kind + what);
      }
    }
    line += std::string(indicator == score::kKinds.front() ? " " : "; ") + kind + " " +
            text::number(sums["_alarms"], 0) + " (" + text::number(sums["_false_alarms"], 0) +
            " false) for " + text::number(sums["_events"], 0) + " events";
  }
  return line;
}

}  // namespace

std::vector<std::string> sweep_lines(const SweepPlan& plan, const SweepLines& results) {
  if (plan.grid().rung == SweepRung::kOpenLoop) {
    SweepLines lines = decisions_table(plan, results);
    lines.emplace_back();
    lines.push_back(alarms_line(plan, results));
    lines.emplace_back(kReplayClaims);
    return lines;
  }
  const Meetings meetings = meetings_of(plan, results);
  if (meetings.runs == 0) return {"No database came through all of its simulations."};
  SweepLines lines = best_table(plan, meetings);
  lines.emplace_back(kSimulationClaims);
  return lines;
}

}  // namespace rocktune::tools
