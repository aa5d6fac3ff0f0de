#include "model/text.h"
#include "tools/claims.h"
#include "tools/score_text.h"

namespace rocktune::tools {
namespace {

Json json_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json estimate_json(const score::Estimate& estimate) {
  Json out{{"value", json_or_null(estimate.value)}, {"low", nullptr}, {"high", nullptr}};
  if (estimate.interval) {
    out["low"] = estimate.interval->low;
    out["high"] = estimate.interval->high;
  }
  return out;
}

Json reliability_json(const score::ProbabilityScore& score) {
  Json bins = Json::array();
  for (const score::ReliabilityBin& bin : score.reliability()) {
    const auto count = static_cast<double>(bin.count);
    const bool empty = bin.count == 0;
    bins.push_back({{"count", bin.count},
                    {"mean_probability", empty ? Json(nullptr) : Json(bin.forecast_sum / count)},
                    {"came", empty ? Json(nullptr) : Json(static_cast<double>(bin.came) / count)}});
  }
  return bins;
}

Json probability_json(const score::Row& row) {
  if (row.probability.count() == 0) return nullptr;
  return {{"seconds", row.probability.count()},
          {"base_rate", json_or_null(row.probability.base_rate())},
          {"brier", estimate_json(row.brier)},
          {"brier_skill", estimate_json(row.brier_skill)},
          {"log_loss", estimate_json(row.log_loss)},
          {"reliability", reliability_json(row.probability)}};
}

Json alarms_json(const std::vector<score::RunResult>& runs, const score::Row& row,
                 double actuation_seconds) {
  if (!row.has_threshold) return nullptr;
  Json out = tally_json(row.tally);
  out["false_alarms_per_hour"] = estimate_json(row.false_alarms_per_hour);
  out["precision"] = estimate_json(row.precision);
  out["recall"] = Json::object();
  for (std::size_t i = 0; i < score::kRecallLeads.size(); ++i) {
    if (!row.recall.at(i).value && row.tally.events > 0) continue;  // beyond the horizon
    out["recall"][std::to_string(score::kRecallLeads.at(i))] = estimate_json(row.recall.at(i));
  }
  out["fresh_recall"] = estimate_json(row.fresh_recall);
  out["lead_p10_seconds"] = json_or_null(row.lead_p10);
  out["lead_p50_seconds"] = json_or_null(row.lead_p50);
  const auto usable = [&](const std::optional<double>& lead) {
    return lead ? Json(*lead - actuation_seconds) : Json(nullptr);
  };
  out["usable_lead_p10_seconds"] = usable(row.lead_p10);
  out["usable_lead_p50_seconds"] = usable(row.lead_p50);
  out["usable_recall"] = estimate_json(row.usable_recall);
  out["runs"] = Json::array();
  for (const score::ScoredRun& run : row.runs) {
    Json one{{"run", runs[run.run].name}, {"threshold", json_or_null(run.threshold)}};
    one.update(tally_json(run.tally));
    one["leads_seconds"] = run.tally.leads;
    out["runs"].push_back(std::move(one));
  }
  return out;
}

Json table_json(const std::vector<score::RunResult>& runs, const score::Table& table,
                double actuation_seconds) {
  Json out{{"indicator", to_string(table.kind)}, {"horizon_seconds", table.horizon},
           {"seconds", table.seconds},           {"events", table.events},
           {"fresh_events", table.fresh_events}, {"detectors", Json::array()}};
  for (const score::Row& row : table.rows) {
    out["detectors"].push_back({{"detector", row.detector.label},
                                {"alarms", alarms_json(runs, row, actuation_seconds)},
                                {"probability", probability_json(row)}});
  }
  return out;
}

Json run_json(const std::vector<score::RunResult>& runs, const score::Split& split) {
  const score::RunResult& run = runs[split.run];
  Json out{{"run", run.name},
           {"begin", text::rfc3339(run.begin_wall)},
           {"end", text::rfc3339(run.end_wall)},
           {"trained_on", Json::array()}};
  for (const std::size_t other : split.training) out["trained_on"].push_back(runs[other].name);
  return out;
}

}  // namespace

Json tally_json(const score::Tally& tally) {
  return {{"seconds", tally.seconds},           {"events", tally.events},
          {"fresh_events", tally.fresh_events}, {"caught", tally.leads.size()},
          {"fresh_caught", tally.fresh_caught}, {"alarms", tally.alarms},
          {"false_alarms", tally.false_alarms}, {"unresolved_alarms", tally.unresolved}};
}

Json score_json(const std::vector<score::RunResult>& runs, const score::EvaluationRequest& request,
                const score::Evaluation& evaluation) {
  Json out{{"schema", "rocktune-score/1"},
           {"kind", "score"},
           {"rung", kOpenLoopRung},
           {"claims", kScoreClaims},
           {"false_alarms_per_hour_budget", request.false_alarms_per_hour},
           {"actuation_seconds", request.actuation_seconds},
           {"resamples", evaluation.has_intervals ? request.resamples : 0},
           {"seed", request.seed},
           {"trained", evaluation.trained},
           {"runs", Json::array()},
           {"tables", Json::array()}};
  for (const score::Split& split : evaluation.splits) out["runs"].push_back(run_json(runs, split));
  for (const score::Table& table : evaluation.tables) {
    out["tables"].push_back(table_json(runs, table, request.actuation_seconds));
  }
  return out;
}

}  // namespace rocktune::tools
