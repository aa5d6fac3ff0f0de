#include "tools/simulate_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "model/text.h"
#include "sim/median.h"
#include "tools/doubts.h"
#include "tools/loop_columns.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

using sim::LoopFigures;
using trace::Json;

struct Spread {
  double low = 0, median = 0, high = 0;  // 5%, 50%, 95% of the seeds that have it
};

Spread spread_of(const sim::SimulatedPolicy& policy, const LoopColumn& column) {
  std::vector<double> values;
  values.reserve(policy.by_seed.size());
  for (const LoopFigures& figures : policy.by_seed) values.push_back(column.figure(figures));
  values = known_of(column, std::move(values));
  return {sim::nearest_rank(values, 0.05), sim::median(values), sim::nearest_rank(values, 0.95)};
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

std::string_view device_origin_of(const Simulation& run) {
  const std::string_view origin = origin_of_device(run.input.host);
  const bool described = run.scenario && origin != device_origin::kNone;
  return described ? device_origin::kScenario : origin;
}

std::size_t seeds_of(const Simulation& run) {
  return run.policies.empty() ? 0 : run.policies.front().by_seed.size();
}

// All policies and seeds are asked for something for as long.
double simulated_seconds(const Simulation& run) {
  return seeds_of(run) == 0 ? 0 : run.policies.front().by_seed.front().seconds;
}

std::string demand_text(const Simulation& run) {
  return std::string("; demand known ") + text::percent(run.input.demand.known_ratio) +
         " of the time" + (run.input.demand.catches_up ? ", caught up with after stalls" : "") +
         (run.together_with.empty() ? "" : "; on one device with " + list(run.together_with));
}

std::string device_text(const sim::SimulationInput& input) {
  if (!input.host.device) {
    return "no device: nothing waits for one, and no read P99 is known, since the run was recorded "
           "without a profile and did not show its device at its limit (--device gives one)";
  }
  if (!input.host.device_learnt) return "the device as probed";
  const sim::DeviceLaws& device = *input.host.device;
  const auto direction = [](const DirectionCapacity& capacity, const char* what) {
    return rate_text(capacity.bytes_per_second) + " or " + count_text(capacity.iops) + " " + what;
  };
  return "the device as it was seen at its limit (" + direction(device.read, "reads/s") + ", " +
         direction(device.write, "writes/s") + ")";
}

std::vector<std::vector<std::string>> assumed_rows(const std::vector<Assumed>& parameters) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(parameters.size());
  for (const Assumed& one : parameters) {
    rows.push_back({one.name, one.text(one.value),
                    one.factor > 1 ? "within a factor of " + number_text(one.factor) : "as it is"});
  }
  return rows;
}

std::string calibration_text(const Simulation& run) {
  const sim::Laws& laws = run.input.laws;
  const sim::Seen& seen = run.input.seen;
  std::vector<std::string> rates;
  const auto add = [&](bool known, std::string text) {
    if (known) rates.push_back(std::move(text));
  };
  add(seen.l0_speed, rate_text(laws.l0_bytes_per_second) + " a thread out of level 0");
  add(seen.deep_speed, rate_text(laws.deep_bytes_per_second) + " below");
  add(seen.flush_speed, "flushes " + rate_text(laws.flush_bytes_per_second));
  add(seen.overlap, "overlap " + text::number(laws.tree.overlap, 2));
  add(seen.cache, text::number(laws.reads.miss_ratio * 100, 1) + "% of look-ups miss");
  return "Calibrated on the run: " + (rates.empty() ? "no rate" : list(rates)) + "; " +
         device_text(run.input) + demand_text(run);
}

std::vector<std::string> calibration_lines(const Simulation& run) {
  std::vector<std::string> lines = {calibration_text(run)};
  const auto assumed = assumed_parameters(run);
  if (assumed.empty()) return lines;
  lines.emplace_back("ASSUMED, since the run did not show it, and drawn by the seeds:");
  for (std::string& line : table(assumed_rows(assumed))) lines.push_back(std::move(line));
  return lines;
}

const char* claims_for(const Simulation& run) {
  return run.scenario ? kScenarioClaims : kSimulationClaims;
}

// One for each thing that nothing was calibrated for.
std::vector<std::string> scenario_lines(const Simulation& run, const ScenarioNotes& notes) {
  std::vector<std::string> lines = {
      "NOT CALIBRATED on any run: what follows is assumed, and drawn by the seeds."};
  for (std::string& line : table(assumed_rows(assumed_parameters(run)))) {
    lines.push_back(std::move(line));
  }
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

Json direction_json(const DirectionCapacity& capacity) {
  return {{"bytes_per_second", capacity.bytes_per_second}, {"iops", capacity.iops}};
}

// null: nothing waits for a device.
Json device_json(const Simulation& run) {
  const sim::HostLaws& host = run.input.host;
  if (!host.device) return nullptr;
  return {{"origin", device_origin_of(run)},
          {"read", direction_json(host.device->read)},
          {"write", direction_json(host.device->write)}};
}

Json assumed_json(const Simulation& run) {
  Json assumed = Json::array();
  for (const Assumed& one : assumed_parameters(run)) {
    assumed.push_back({{"parameter", one.key},
                       {"value", one.value},
                       {"factor", one.factor},
                       {"name", one.name},
                       {"text", one.text(one.value)}});
  }
  return assumed;
}

std::string ranking_text(const Simulation& run, Priority first, const sim::Ranking& ranking) {
  if (run.policies.size() < 2) return "; one policy alone is not ranked";
  std::string text = "; ranked by " + std::string(to_string(first));
  if (first != run.first) text += " since there is no " + std::string(to_string(run.first));
  return text + ", concordance of the seeds " + concordance_text(ranking, seeds_of(run));
}

std::vector<std::string> doubts_of(const Simulation& run) {
  return doubts(SimulationBasis{seeds_of(run), run.input.demand.known_ratio, simulated_seconds(run),
                                std::string(device_origin_of(run)), run.scenario.has_value(),
                                run.missing_neighbours});
}

// By knob, the median over the seeds of how often it was changed.
std::map<std::string, double> movements(const sim::SimulatedPolicy& policy) {
  std::map<std::string, double> medians;
  for (const LoopFigures& figures : policy.by_seed) {
    for (const auto& [knob, count] : figures.movements) medians[knob] = 0;
  }
  for (auto& [knob, middle] : medians) {
    std::vector<double> counts;
    for (const LoopFigures& figures : policy.by_seed) {
      const auto found = figures.movements.find(knob);
      counts.push_back(found == figures.movements.end() ? 0 : static_cast<double>(found->second));
    }
    middle = sim::median(std::move(counts));
  }
  return medians;
}

std::vector<std::string> movement_lines(const Simulation& run) {
  std::vector<std::string> lines;
  for (const sim::SimulatedPolicy& policy : run.policies) {
    std::vector<std::string> knobs;
    for (const auto& [knob, count] : movements(policy)) {
      knobs.push_back(knob + " " + number_text(count));
    }
    if (!knobs.empty()) {
      lines.push_back("Changes by " + policy.label + ", medians: " + list(knobs));
    }
  }
  return lines;
}

std::string plain_text(double value) {
  return text::number(value, 2);
}

std::string ratio_text(double value) {
  return text::number(value * 100, 1) + "%";
}

std::string time_text(double seconds) {
  return microseconds_text(seconds * 1e6);
}

// What any run tells, and no scenario.
std::vector<Assumed> never_seen(const sim::Laws& laws) {
  return {
      {"flush_output", "a flushed file, of the bytes written", laws.flush_output, 1, ratio_text},
      {"survival", "what merging leaves of what it reads", laws.tree.survival, 1, ratio_text},
      {"memtable_fill", "of a memtable, when it is switched", laws.memtable_fill, 1, ratio_text},
      {"subcompaction_gain", "n threads of a compaction go n to this times as fast",
       laws.subcompaction_gain, 1, plain_text},
      {"delayed_bytes", "of the delayed rate, what gets through", laws.delayed_bytes, 1,
       ratio_text},
      {"job_spread", "deviation of a job's speed (seed 0: none)", laws.job_spread, 1, plain_text},
      {"read_seconds", "CPU of a read in memory", laws.reads.read_seconds, 1, time_text},
      {"write_seconds", "CPU of a write", laws.reads.write_seconds, 1, time_text},
  };
}

Json figure_json(const Spread& spread, const LoopColumn& column,
                 const sim::SimulatedPolicy& policy) {
  const auto value = [&](double number) {
    return column.absent_at_zero && number == 0 ? Json() : Json(number);
  };
  Json seeds = Json::array();
  for (const LoopFigures& one : policy.by_seed) seeds.push_back(value(column.figure(one)));
  return {{"median", value(spread.median)},
          {"p5", value(spread.low)},
          {"p95", value(spread.high)},
          {"seeds", seeds}};
}

}  // namespace

std::vector<Assumed> assumed_parameters(const Simulation& run) {
  const sim::Laws& laws = run.input.laws;
  const sim::Seen& seen = run.input.seen;
  std::vector<Assumed> assumed;
  const auto add = [&](bool known, const char* key, const char* name, double value, double spread,
                       std::string (*text)(double)) {
    const double factor = std::exp(sim::kMostDeviations * spread);
    if (!known) assumed.push_back({key, name, value, factor, text});
  };
  const double rates = sim::rate_spread(false);
  add(seen.flush_speed, "flush_bytes_per_second", "a flush writes", laws.flush_bytes_per_second,
      rates, rate_text);
  add(seen.l0_speed, "l0_bytes_per_second", "a thread reads out of level 0",
      laws.l0_bytes_per_second, rates, rate_text);
  add(seen.deep_speed, "deep_bytes_per_second", "a thread reads below", laws.deep_bytes_per_second,
      rates, rate_text);
  add(seen.overlap, "overlap", "overlap of a level's files with the next", laws.tree.overlap,
      sim::kOverlapSpread, plain_text);
  add(seen.cache, "miss_ratio",
      run.scenario ? "look-ups that miss, by the workload's keys" : "look-ups that miss",
      laws.reads.miss_ratio, sim::kCacheSpread, ratio_text);
  if (!run.scenario) return assumed;
  const std::vector<Assumed> rest = never_seen(laws);
  assumed.insert(assumed.end(), rest.begin(), rest.end());
  return assumed;
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
  std::vector<std::string> lines = {run.name};
  for (std::string& line :
       run.scenario ? scenario_lines(run, *run.scenario) : calibration_lines(run)) {
    lines.push_back(std::move(line));
  }
  lines.emplace_back();
  for (std::string& line : table(rows)) lines.push_back(std::move(line));
  lines.emplace_back();
  lines.push_back("Simulated " + seconds_text(simulated_seconds(run)) + "; medians of " +
                  std::to_string(seeds_of(run)) + " seeds (5% to 95% of them)" +
                  ranking_text(run, first, ranking));
  for (std::string& line : doubts_of(run)) lines.push_back(std::move(line));
  for (std::string& line : movement_lines(run)) lines.push_back(std::move(line));
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
      figures[column.key] = figure_json(spread_of(policy, column), column, policy);
    }
    policies.push_back({{"policy", policy.label},
                        {"figures", figures},
                        {"movements", movements(policy)},
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
          {"calibration", run.scenario ? Json() : Json(calibration_text(run))},
          {"device", device_json(run)},
          {"doubts", doubts_of(run)},
          {"simulated_seconds", simulated_seconds(run)},
          {"not_simulated", run.scenario ? Json(run.scenario->not_simulated) : Json::array()},
          {"demand_known_ratio", run.input.demand.known_ratio},
          {"concordance", ranking.concordance ? Json(*ranking.concordance) : Json(nullptr)},
          {"together_with", run.together_with},
          {"missing_neighbours", run.missing_neighbours},
          {"policies", policies}};
}

}  // namespace rocktune::tools
