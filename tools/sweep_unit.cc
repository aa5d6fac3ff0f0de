#include "tools/sweep_unit.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "replay/run.h"
#include "tools/doubts.h"
#include "tools/loop_columns.h"
#include "tools/replay_watch.h"

namespace rocktune::tools {
namespace {

using trace::Json;

constexpr std::size_t kSweepRecallLead = 10;  // s, one of score::kRecallLeads

void put_verdicts(const std::map<std::string, std::uint64_t>& verdicts, Json& out) {
  for (const VerdictKind kind :
       {VerdictKind::kAllowed, VerdictKind::kClamped, VerdictKind::kHeld, VerdictKind::kRejected}) {
    const std::string name(to_string(kind));
    const auto found = verdicts.find(name);
    out["decisions_" + name] = found == verdicts.end() ? 0 : found->second;
  }
}

Json loop_json(const sim::LoopFigures& figures, const sim::SimulationInput& input, Priority first,
               std::size_t missing_neighbours) {
  Json out{{"first", to_string(first)},
           {"simulated_seconds", figures.seconds},
           {"demand_known_ratio", input.demand.known_ratio},
           {"device", origin_of_device(input.host)},
           {"missing_neighbours", missing_neighbours}};
  for (const LoopColumn& column : loop_columns()) {
    const double value = column.figure(figures);
    out[column.key] = column.absent_at_zero && value == 0 ? Json() : Json(value);
  }
  put_verdicts(figures.verdicts, out);
  return out;
}

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// Null where the run is too long to be scored, or lacks what this kind is judged by.
void put_alarms(const std::optional<score::AlertTallies>& alarms, Json& out) {
  for (std::size_t i = 0; i < score::kKinds.size(); ++i) {
    const std::string kind(to_string(score::kKinds.at(i)));
    const score::Tally tally = alarms ? alarms->of_kind.at(i) : score::Tally();
    const auto count = [&](std::size_t number) {
      return tally.seconds > 0 ? Json(number) : Json();
    };
    out[kind + "_events"] = count(tally.events);
    out[kind + "_alarms"] = count(tally.alarms);
    out[kind + "_false_alarms"] = count(tally.false_alarms);
    out[kind + "_recall"] = optional_json(score::recall(tally, kSweepRecallLead));
    out[kind + "_lead_p50_seconds"] = optional_json(score::lead_quantile(tally, 0.5));
  }
}

Json replay_json(const ScoredReplay& scored) {
  const replay::ReplayResult& result = scored.replay;
  Json out{{"samples", result.samples},
           {"as_recorded", result.as_recorded},
           {"alerts", result.replayed.alerts},
           {"decisions", result.replayed.decisions},
           {"outcomes", result.replayed.outcomes}};
  put_verdicts(result.replayed.verdicts, out);
  out["changes_live"] = result.changes_live;
  out["changes_agreed"] = result.changes_agreed;
  put_alarms(scored.alarms, out);
  return out;
}

Result<Json> replayed_figures(const RecordedRun& run, const PolicyChoice& policy) {
  ReplayScorer scorer;
  const std::map<std::int64_t, std::uint64_t> extent = {{run.target, run.samples}};
  auto results = replay::run(
      {run.trace, policy, std::nullopt, extent}, [](const std::string&) {},
      [&](const replay::ReplayedSample& sample) { scorer.add(sample); });
  if (!results) return tl::unexpected(results.error());
  return replay_json(scorer.finish(*std::move(results)).front());
}

// The same columns, each null.
Json no_figures(SweepRung rung) {
  Json out = rung == SweepRung::kClosedLoop ? loop_json({}, {}, Priority::kReadP99, 0)
                                            : replay_json(ScoredReplay());
  for (auto& column : out) column = nullptr;
  return out;
}

// Where the trace lies is no part of a result.
std::string error_text(std::string message, const std::string& path, const std::string& name) {
  for (std::size_t at = 0; (at = message.find(path, at)) != std::string::npos; at += name.size()) {
    message.replace(at, path.size(), name);
  }
  return message;
}

// By run.
using FiguresByRun = std::map<std::size_t, Result<Json>>;

FiguresByRun simulated_figures(const SweepPlan& plan, const SimulationGroup& group,
                               std::span<const RecordedRun* const> failed,
                               const PolicyChoice& policy, std::uint64_t seed) {
  std::vector<EngineConfig> engines;
  engines.reserve(group.members.size());
  for (const std::size_t run : group.members) {
    engines.push_back(engine_of(plan.runs()[run].engine, policy));
  }
  const auto figures = sim::simulate(group.inputs, engines, seed);
  FiguresByRun out;
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    const std::size_t run = group.members[i];
    if (!figures) {
      out.emplace(run, tl::unexpected(figures.error()));
      continue;
    }
    const Priority first = plan.runs()[run].engine.objective.first;
    out.emplace(run, loop_json((*figures)[i], group.inputs[i], first,
                               missing_neighbours(plan.runs()[run], failed)));
  }
  return out;
}

// Of the groups that have a unit.
FiguresByRun simulated_figures(const SweepPlan& plan, const std::vector<SweepUnit>& units,
                               const PreparedRuns& prepared) {
  const PolicyChoice& policy = plan.grid().policies[plan.policy_of(units.front().index)];
  const std::uint64_t seed = plan.seed_of(units.front().index);
  FiguresByRun out;
  std::vector<const RecordedRun*> failed;
  for (const auto& [run, error] : prepared.failed) {
    out.emplace(run, tl::unexpected(error));
    failed.push_back(&plan.runs()[run]);
  }
  for (const SimulationGroup& group : prepared.groups) {
    const bool wanted = std::any_of(units.begin(), units.end(), [&](const SweepUnit& unit) {
      const std::size_t run = plan.run_of(unit.index);
      return std::find(group.members.begin(), group.members.end(), run) != group.members.end();
    });
    if (wanted) out.merge(simulated_figures(plan, group, failed, policy, seed));
  }
  return out;
}

}  // namespace

PreparedRuns prepare_runs(const SweepPlan& plan, const std::vector<std::size_t>& runs) {
  PreparedRuns prepared;
  if (plan.grid().rung == SweepRung::kOpenLoop) return prepared;
  std::vector<std::size_t> sound;
  std::vector<sim::SimulationInput> inputs;
  for (const std::size_t run : runs) {
    auto input = simulation_input(plan.runs()[run], plan.grid().source);
    if (!input) {
      prepared.failed.emplace(run, input.error());
      continue;
    }
    sound.push_back(run);
    inputs.push_back(*std::move(input));
  }
  prepared.groups = simulation_groups(inputs);
  for (SimulationGroup& group : prepared.groups) {
    for (std::size_t& member : group.members) member = sound[member];
  }
  return prepared;
}

std::vector<Result<Json>> unit_figures(const SweepPlan& plan, const std::vector<SweepUnit>& units,
                                       const PreparedRuns& prepared) {
  std::vector<Result<Json>> out;
  if (plan.grid().rung == SweepRung::kOpenLoop) {
    for (const SweepUnit& unit : units) {
      const PolicyChoice& policy = plan.grid().policies[plan.policy_of(unit.index)];
      const RecordedRun& run = plan.runs()[plan.run_of(unit.index)];
      out.push_back(replayed_figures(run, policy));
    }
    return out;
  }
  const FiguresByRun figures = simulated_figures(plan, units, prepared);
  for (const SweepUnit& unit : units) out.push_back(figures.at(plan.run_of(unit.index)));
  return out;
}

std::string sweep_line(const SweepPlan& plan, const SweepUnit& unit, const Result<Json>& figures) {
  Json line = plan.columns(unit);
  line["claims"] = claims_of(plan.grid().rung);
  line.update(figures ? *figures : no_figures(plan.grid().rung));
  line["error"] = nullptr;
  if (!figures) {
    const std::string& path = plan.runs()[plan.run_of(unit.index)].trace;
    line["error"] = error_text(figures.error().message, path, unit.trace);
  }
  return trace::json_text(line);
}

}  // namespace rocktune::tools
