#include "bench/simulate/validate_order.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/cli/stop.h"
#include "bench/simulate/compared.h"
#include "bench/simulate/order.h"
#include "bench/simulate/order_figures.h"
#include "model/text.h"
#include "page/table.h"
#include "sim/median.h"

namespace rocktune::bench {
namespace {

using nlohmann::json;

struct FigureOrder {
  const OrderFigure* figure = nullptr;
  bool first = false;  // what the scenario's objective puts first
  std::vector<OrderedPolicy> policies;
  PairCount pairs;
};

struct ScenarioOrder {
  std::string scenario;
  std::string source;
  std::vector<FigureOrder> figures;
  std::vector<std::string> left_out;  // "best-static is not simulated"
};

using BySeed = std::vector<std::vector<sim::LoopFigures>>;

Result<BySeed> simulate_policy(const Compared& compared, const std::string& policy,
                               std::vector<sim::SimulationInput> inputs, std::size_t seeds) {
  const auto engines = engines_of(compared, policy);
  if (!engines) return tl::unexpected(engines.error());
  set_up(compared.scenario, policy, inputs);
  BySeed by_seed;
  for (std::size_t seed = 0; seed < seeds && !stop_requested(); ++seed) {
    auto figures = sim::simulate(inputs, *engines, seed);
    if (!figures) return tl::unexpected(figures.error());
    by_seed.push_back(*std::move(figures));
  }
  return by_seed;
}

std::optional<OrderedPolicy> ordered(const Compared& compared, const std::string& policy,
                                     const OrderFigure& figure, const BySeed& by_seed) {
  OrderedPolicy out{policy, {}, {}};
  for (const FinishedRun& run : compared.runs) {
    if (run.run.policy != policy) continue;
    if (const auto value = figure.recorded(run.run)) out.recorded[run.run.repeat] = *value;
  }
  for (const auto& databases : by_seed) {
    if (const auto value = figure.simulated(databases)) out.simulated.push_back(*value);
  }
  return out.recorded.empty() || out.simulated.empty() ? std::nullopt : std::optional(out);
}

Result<ScenarioOrder> order_of(const std::string& directory,
                               const ValidateOrderSettings& settings) {
  const auto compared = read_compared(directory);
  if (!compared) return tl::unexpected(compared.error());
  ScenarioOrder out{compared->scenario.name, settings.source, {}, {}};
  for (const std::string& policy : compared->policies) {
    if (out.source.empty() && compared->traces.contains(policy)) out.source = policy;
  }
  const auto inputs = inputs_from(*compared, out.source);
  if (!inputs) return tl::unexpected(inputs.error());
  for (const OrderFigure& figure : order_figures()) {
    out.figures.push_back({&figure, compared->scenario.objective.first == figure.key, {}, {}});
  }
  for (const std::string& policy : compared->policies) {
    const auto by_seed = simulate_policy(*compared, policy, *inputs, settings.seeds);
    if (!by_seed) {
      out.left_out.push_back(by_seed.error().message);
      continue;
    }
    for (FigureOrder& figure : out.figures) {
      if (auto one = ordered(*compared, policy, *figure.figure, *by_seed)) {
        figure.policies.push_back(*std::move(one));
      }
    }
  }
  for (FigureOrder& figure : out.figures) {
    figure.pairs = count_pairs(figure.policies, figure.figure->least);
  }
  return out;
}

struct Sides {
  double recorded = 0, simulated = 0, low = 0, high = 0;  // medians; 5% and 95% of the seeds
};

Sides sides_of(const OrderedPolicy& policy) {
  std::vector<double> recorded;
  for (const auto& [repeat, value] : policy.recorded) recorded.push_back(value);
  const auto& seeds = policy.simulated;
  return {report::median_of(recorded), report::median_of(seeds), sim::nearest_rank(seeds, 0.05),
          sim::nearest_rank(seeds, 0.95)};
}

// How far medians of the two sides lie apart: 1.5 is half as much again, or a third less. Of what
// is above 0 on both.
std::vector<double> factors_off(const FigureOrder& order) {
  std::vector<double> factors;
  for (const OrderedPolicy& policy : order.policies) {
    const Sides sides = sides_of(policy);
    if (!(sides.recorded > 0) || !(sides.simulated > 0)) continue;
    factors.push_back(std::exp(std::abs(std::log(sides.simulated / sides.recorded))));
  }
  return factors;
}

std::string tau_text(const PairCount& pairs) {
  const auto tau = pairs.tau();
  if (!tau) return "no two policies are told apart";
  return "tau " + text::number(*tau, 2) + " (" + std::to_string(pairs.pairs()) +
         " pairs told apart: " + std::to_string(pairs.same) + " in the same order, " +
         std::to_string(pairs.other) + " in the other, " + std::to_string(pairs.tied) +
         " not told apart in the simulator)";
}

void print_scenario(const ScenarioOrder& scenario) {
  const bool traced = scenario.source != kFromScenario;
  std::printf("%s, calibrated %s%s\n\n", scenario.scenario.c_str(),
              traced ? "on the trace of " : "by nothing but its text",
              traced ? scenario.source.c_str() : "");
  for (const FigureOrder& order : scenario.figures) {
    const OrderFigure& figure = *order.figure;
    page::Table table;
    table.columns = {{figure.label + (order.first ? " (comes first)" : ""), page::Align::kLeft},
                     {"real"},
                     {"simulated"},
                     {"5% to 95%"},
                     {"off by"}};
    const auto number = [&](double value) {
      return page::number_text(value / figure.divisor, figure.decimals);
    };
    for (const OrderedPolicy& policy : order.policies) {
      const Sides sides = sides_of(policy);
      table.rows.push_back({policy.policy, number(sides.recorded), number(sides.simulated),
                            number(sides.low) + " to " + number(sides.high),
                            number(sides.simulated - sides.recorded)});
    }
    std::printf("%s%s\n\n", page::plain_text(table).c_str(), tau_text(order.pairs).c_str());
  }
  for (const std::string& why : scenario.left_out) std::printf("left out: %s\n", why.c_str());
}

struct Pooled {
  PairCount pairs;
  std::vector<double> factors;  // of what comes first: none, since its figures differ in kind
};

// Over all scenarios: what comes first in each, and each figure.
std::map<std::string, Pooled> pooled(const std::vector<ScenarioOrder>& scenarios) {
  std::map<std::string, Pooled> all;
  for (const ScenarioOrder& scenario : scenarios) {
    for (const FigureOrder& order : scenario.figures) {
      Pooled& one = all[order.figure->key];
      one.pairs += order.pairs;
      const auto factors = factors_off(order);
      one.factors.insert(one.factors.end(), factors.begin(), factors.end());
      if (order.first) all["first"].pairs += order.pairs;
    }
  }
  return all;
}

std::string factors_text(const std::vector<double>& factors) {
  if (factors.empty()) return "";
  const auto at = [&](double share) { return text::number(sim::nearest_rank(factors, share), 2); };
  return "; off by a factor of " + at(0.5) + " in the middle of " + std::to_string(factors.size()) +
         ", of " + at(0.9) + " in nine of ten, of " + at(1) + " at most";
}

json pairs_json(const PairCount& pairs) {
  const auto tau = pairs.tau();
  return {{"same", pairs.same},
          {"other", pairs.other},
          {"tied", pairs.tied},
          {"tau", tau ? json(*tau) : json(nullptr)}};
}

json order_json(const std::vector<ScenarioOrder>& scenarios) {
  json out = {{"schema", "rocktune-validate-order/1"}, {"scenarios", json::array()}};
  for (const ScenarioOrder& scenario : scenarios) {
    json figures = json::object();
    for (const FigureOrder& order : scenario.figures) {
      json policies = json::object();
      for (const OrderedPolicy& policy : order.policies) {
        json recorded = json::array();
        for (const auto& [repeat, value] : policy.recorded) recorded.push_back(value);
        policies[policy.policy] = {{"recorded", recorded}, {"simulated", policy.simulated}};
      }
      figures[order.figure->key] = {
          {"first", order.first}, {"policies", policies}, {"pairs", pairs_json(order.pairs)}};
    }
    out["scenarios"].push_back({{"scenario", scenario.scenario},
                                {"calibrated_on", scenario.source},
                                {"figures", figures},
                                {"left_out", scenario.left_out}});
  }
  for (const auto& [key, one] : pooled(scenarios)) {
    out["pooled"][key] = pairs_json(one.pairs);
    if (!one.factors.empty()) out["pooled"][key]["factors"] = one.factors;
  }
  return out;
}

}  // namespace

int validate_order_command(const ValidateOrderSettings& settings) {
  install_stop_signals();
  std::vector<ScenarioOrder> scenarios;
  for (const std::string& directory : settings.directories) {
    auto scenario = order_of(directory, settings);
    if (stop_requested()) return 130;
    if (!scenario) {
      std::fprintf(stderr, "rocktune-bench: %s\n", scenario.error().message.c_str());
      return 1;
    }
    if (!settings.json) print_scenario(*scenario);
    scenarios.push_back(*std::move(scenario));
  }
  if (settings.json) {
    std::printf("%s\n", order_json(scenarios).dump(2).c_str());
    return 0;
  }
  std::printf("All scenarios together:\n");
  for (const auto& [key, one] : pooled(scenarios)) {
    std::printf("  %s: %s%s\n", key == "first" ? "what comes first" : key.c_str(),
                tau_text(one.pairs).c_str(), factors_text(one.factors).c_str());
  }
  return 0;
}

}  // namespace rocktune::bench
