#include "tools/simulate_text.h"

#include <algorithm>
#include <cmath>

#include "model/text.h"
#include "sim/median.h"
#include "tools/loop_columns.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

using sim::LoopFigures;
using trace::Json;

// From here on the seeds tell the same story.
constexpr double kStableConcordance = 0.9;

struct Spread {
  double low = 0, median = 0, high = 0;  // 5%, 50%, 95% of the seeds
};

Spread spread_of(const sim::SimulatedPolicy& policy, const LoopColumn& column) {
  std::vector<double> values;
  values.reserve(policy.by_seed.size());
  for (const LoopFigures& figures : policy.by_seed) values.push_back(column.figure(figures));
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    const auto last = static_cast<double>(values.size() - 1);
    return values[static_cast<std::size_t>(std::lround(share * last))];
  };
  return {at(0.05), sim::median(values), at(0.95)};
}

std::string cell(const Spread& spread, const LoopColumn& column) {
  std::string out = column.text(spread.median);
  const std::string low = column.text(spread.low), high = column.text(spread.high);
  if (low != high) out += " (" + low + " to " + high + ")";
  return out;
}

std::string list(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

std::string demand_text(const Simulation& run) {
  return std::string("; demand known ") + text::percent(run.input.demand.known_ratio) +
         " of the time" + (run.input.demand.catches_up ? ", caught up with after stalls" : "") +
         (run.together_with.empty() ? "" : "; on one device with " + list(run.together_with));
}

std::string calibration_line(const Simulation& run) {
  const sim::Laws& laws = run.input.laws;
  std::string line = "Calibrated: " + rate_text(laws.l0_bytes_per_second) +
                     " a thread out of level 0, " + rate_text(laws.deep_bytes_per_second) +
                     " below, flushes " + rate_text(laws.flush_bytes_per_second) + ", overlap " +
                     text::number(laws.tree.overlap, 2) + ", " +
                     text::number(laws.reads.miss_ratio * 100, 1) + "% of look-ups miss; ";
  line += run.input.host.device ? "the device as probed" : "no device: nothing waits for one";
  return line + demand_text(run);
}

const char* claims_for(const Simulation& run) {
  return run.scenario ? kScenarioClaims : kSimulationClaims;
}

// One for each thing that nothing was calibrated for.
std::vector<std::string> scenario_lines(const Simulation& run, const ScenarioNotes& notes) {
  std::vector<std::string> lines = {
      "NOT CALIBRATED on any run: what follows is assumed, and drawn by the seeds."};
  std::vector<std::vector<std::string>> rows;
  for (const Assumed& one : assumed_parameters(run.input)) {
    rows.push_back({one.name, one.text(one.value),
                    one.factor > 1 ? "within a factor of " + number_text(one.factor) : "as it is"});
  }
  for (std::string& line : table(rows)) lines.push_back(std::move(line));
  std::string rest =
      "From the scenario: options, data and demand, on " +
      (run.input.host.device ? "device " + notes.device : "no device: nothing waits for one") +
      "; " + number_text(run.input.host.cpus) + " CPUs, rules of RocksDB " + notes.rocksdb_version;
  lines.push_back(rest + demand_text(run));
  if (!notes.not_simulated.empty()) {
    lines.push_back("Left out, since it is not simulated: " + list(notes.not_simulated));
  }
  return lines;
}

Json assumed_json(const Simulation& run) {
  Json assumed = Json::array();
  if (!run.scenario) return assumed;
  for (const Assumed& one : assumed_parameters(run.input)) {
    assumed.push_back({{"parameter", one.key}, {"value", one.value}, {"factor", one.factor}});
  }
  return assumed;
}

}  // namespace

std::vector<Assumed> assumed_parameters(const sim::SimulationInput& input) {
  const auto factor = [](double spread) { return std::exp(sim::kMostDeviations * spread); };
  const auto plain = [](double value) { return text::number(value, 2); };
  const auto ratio = [](double value) { return text::number(value * 100, 1) + "%"; };
  const auto time = [](double seconds) { return microseconds_text(seconds * 1e6); };
  const sim::Laws& laws = input.laws;
  const double rates = factor(input.rate_spread);
  return {
      {"flush_bytes_per_second", "a flush writes", laws.flush_bytes_per_second, rates, rate_text},
      {"l0_bytes_per_second", "a thread reads out of level 0", laws.l0_bytes_per_second, rates,
       rate_text},
      {"deep_bytes_per_second", "a thread reads below", laws.deep_bytes_per_second, rates,
       rate_text},
      {"overlap", "overlap of a level's files with the next", laws.tree.overlap,
       factor(sim::kOverlapSpread), plain},
      {"miss_ratio", "look-ups that miss, by the workload's keys", laws.reads.miss_ratio,
       factor(sim::kCacheSpread), ratio},
      {"flush_output", "a flushed file, of the bytes written", laws.flush_output, 1, ratio},
      {"survival", "what merging leaves of what it reads", laws.tree.survival, 1, ratio},
      {"memtable_fill", "of a memtable, when it is switched", laws.memtable_fill, 1, ratio},
      {"subcompaction_gain", "n threads of a compaction go n to this times as fast",
       laws.subcompaction_gain, 1, plain},
      {"delayed_bytes", "of the delayed rate, what gets through", laws.delayed_bytes, 1, ratio},
      {"job_spread", "deviation of a job's speed (seed 0: none)", laws.job_spread, 1, plain},
      {"read_seconds", "CPU of a read in memory", laws.reads.read_seconds, 1, time},
      {"write_seconds", "CPU of a write", laws.reads.write_seconds, 1, time},
  };
}

std::string order_words(double concordance, const std::vector<double>& best_ratios) {
  const bool tie =
      std::all_of(best_ratios.begin(), best_ratios.end(), [](double ratio) { return ratio == 1; });
  if (tie) return "no policy is told from another";
  return concordance >= kStableConcordance ? "the order is stable"
                                           : "the order is NOT stable, do not read it as one";
}

std::string concordance_text(const sim::Ranking& ranking) {
  return text::number(ranking.concordance, 2) + ": " +
         order_words(ranking.concordance, ranking.best_ratio);
}

std::vector<std::string> simulation_lines(const Simulation& run) {
  const Priority first = sim::ranked_by(run.policies, run.first);
  const sim::Ranking ranking = sim::rank(run.policies, first);
  std::vector<std::vector<std::string>> rows(1, {"policy"});
  for (const LoopColumn& column : loop_columns()) rows[0].emplace_back(column.name);
  rows[0].insert(rows[0].end(), {"rank", "best in"});
  for (std::size_t i = 0; i < run.policies.size(); ++i) {
    std::vector<std::string> row = {run.policies[i].label};
    for (const LoopColumn& column : loop_columns()) {
      row.push_back(cell(spread_of(run.policies[i], column), column));
    }
    row.push_back(number_text(ranking.median_rank[i]));
    row.push_back(text::percent(ranking.best_ratio[i]));
    rows.push_back(std::move(row));
  }
  const std::size_t seeds = run.policies.empty() ? 0 : run.policies.front().by_seed.size();
  std::vector<std::string> lines = {run.name};
  if (run.scenario) {
    for (std::string& line : scenario_lines(run, *run.scenario)) lines.push_back(std::move(line));
  } else {
    lines.push_back(calibration_line(run));
  }
  lines.emplace_back();
  for (std::string& line : table(rows)) lines.push_back(std::move(line));
  lines.emplace_back();
  lines.push_back("Medians of " + std::to_string(seeds) + " seeds (5% to 95% of them); ranked by " +
                  std::string(to_string(first)) + ", concordance of the seeds " +
                  concordance_text(ranking));
  lines.emplace_back(claims_for(run));
  return lines;
}

Json simulation_json(const Simulation& run) {
  const Priority first = sim::ranked_by(run.policies, run.first);
  const sim::Ranking ranking = sim::rank(run.policies, first);
  Json policies = Json::array();
  for (std::size_t i = 0; i < run.policies.size(); ++i) {
    const sim::SimulatedPolicy& policy = run.policies[i];
    Json figures = Json::object();
    for (const LoopColumn& column : loop_columns()) {
      const Spread spread = spread_of(policy, column);
      Json seeds = Json::array();
      for (const LoopFigures& one : policy.by_seed) seeds.push_back(column.figure(one));
      figures[column.key] = {
          {"median", spread.median}, {"p5", spread.low}, {"p95", spread.high}, {"seeds", seeds}};
    }
    policies.push_back({{"policy", policy.label},
                        {"figures", figures},
                        {"movements", policy.by_seed.front().movements},
                        {"verdicts", policy.by_seed.front().verdicts},
                        {"median_rank", ranking.median_rank[i]},
                        {"best_ratio", ranking.best_ratio[i]}});
  }
  return {{"schema", "rocktune-simulate/1"},
          {"rung", "closed_loop"},
          {"claims", claims_for(run)},
          {"name", run.name},
          {"ranked_by", to_string(first)},
          {"calibrated_on", run.scenario ? Json() : Json("run")},
          {"assumed", assumed_json(run)},
          {"not_simulated", run.scenario ? Json(run.scenario->not_simulated) : Json::array()},
          {"demand_known_ratio", run.input.demand.known_ratio},
          {"concordance", ranking.concordance},
          {"together_with", run.together_with},
          {"policies", policies}};
}

}  // namespace rocktune::tools
