#include "score/evaluation.h"

#include <algorithm>
#include <utility>

#include "score/thresholds.h"

namespace rocktune::score {
namespace {

using Draws = std::vector<std::vector<std::size_t>>;

// The tallies of an entry's candidates, summed over the training runs.
std::vector<Tally> pooled(const std::vector<RunResult>& runs,
                          const std::vector<std::size_t>& training, std::size_t entry) {
  std::vector<Tally> sums;
  for (const std::size_t run : training) {
    const std::vector<Tally>& tallies = runs[run].of_entry[entry].by_threshold;
    sums.resize(tallies.size());
    for (std::size_t i = 0; i < tallies.size(); ++i) sums[i] += tallies[i];
  }
  return sums;
}

Tally silent(const Tally& like) {
  Tally tally;
  tally.seconds = like.seconds;
  tally.events = like.events;
  tally.fresh_events = like.fresh_events;
  return tally;
}

ScoredRun score_run(const std::vector<RunResult>& runs, const Split& split, std::size_t entry,
                    const std::vector<double>& candidates, double budget) {
  const std::vector<Tally>& own = runs[split.run].of_entry[entry].by_threshold;
  std::optional<std::size_t> chosen = 0;
  if (candidates.size() > 1) {
    chosen = choose_threshold(pooled(runs, split.training, entry), budget);
  }
  if (!chosen) return {split.run, std::nullopt, silent(own.front())};
  return {split.run, candidates[*chosen], own[*chosen]};
}

// What adds up over runs: of all runs together, and of each draw of the bootstrap.
template <class Sum>
class Pool {
 public:
  Pool(const std::vector<Sum>& of_run, const Draws& draws) {
    for (const Sum& one : of_run) all_ += one;
    for (const auto& draw : draws) {
      Sum& sum = of_draw_.emplace_back();
      for (const std::size_t run : draw) sum += of_run[run];
    }
  }
  [[nodiscard]] const Sum& all() const { return all_; }
  template <class Of>
  [[nodiscard]] Estimate estimate(Of&& of) const {
    std::vector<std::optional<double>> values;
    values.reserve(of_draw_.size());
    for (const Sum& sum : of_draw_) values.push_back(of(sum));
    return {of(all_), interval_of(values)};
  }

 private:
  Sum all_;
  std::vector<Sum> of_draw_;
};

void judge_alarms(const EvaluationRequest& request, std::size_t horizon, const Draws& draws,
                  Row& row) {
  std::vector<Tally> tallies;
  tallies.reserve(row.runs.size());
  for (const ScoredRun& run : row.runs) tallies.push_back(run.tally);
  const Pool<Tally> pool(tallies, draws);
  row.tally = pool.all();
  row.false_alarms_per_hour = pool.estimate(score::false_alarms_per_hour);
  row.fresh_recall = pool.estimate(score::fresh_recall);
  row.precision = pool.estimate(score::precision);
  row.usable_recall = pool.estimate(
      [&](const Tally& tally) { return score::usable_recall(tally, request.actuation_seconds); });
  for (std::size_t i = 0; i < kRecallLeads.size(); ++i) {
    const std::size_t lead = kRecallLeads.at(i);
    if (lead > horizon) continue;
    row.recall.at(i) = pool.estimate([lead](const Tally& tally) { return recall(tally, lead); });
  }
  row.lead_p10 = lead_quantile(row.tally, 0.1);
  row.lead_p50 = lead_quantile(row.tally, 0.5);
}

void judge_probability(const std::vector<RunResult>& runs, const std::vector<Split>& splits,
                       std::size_t entry, const Draws& draws, Row& row) {
  if (!gives_probability(*row.detector.spec)) return;
  std::vector<ProbabilityScore> scores;
  scores.reserve(splits.size());
  for (const Split& split : splits) {
    scores.push_back(runs[split.run].of_entry[entry].probability);
  }
  const Pool<ProbabilityScore> pool(scores, draws);
  row.probability = pool.all();
  row.brier = pool.estimate([](const ProbabilityScore& score) { return score.brier(); });
  row.brier_skill =
      pool.estimate([](const ProbabilityScore& score) { return score.brier_skill(); });
  row.log_loss = pool.estimate([](const ProbabilityScore& score) { return score.log_loss(); });
}

Table empty_table(const std::vector<RunResult>& runs, const std::vector<Split>& splits,
                  const Entry& entry) {
  Table table;
  table.kind = entry.kind;
  table.horizon = entry.horizon;
  for (const Split& split : splits) {
    const auto& of_kind = runs[split.run].of_kind.at(static_cast<std::size_t>(entry.kind));
    table.seconds += of_kind.seconds;
    table.events += of_kind.events;
    table.fresh_events += of_kind.fresh_events;
  }
  return table;
}

Row judge(const std::vector<RunResult>& runs, const EvaluationRequest& request,
          const Evaluation& evaluation, const Draws& draws, const Entry& entry, std::size_t place) {
  Row row;
  row.detector = request.contest.detectors[entry.detector];
  const std::vector<double> candidates = candidate_thresholds(row.detector);
  row.has_threshold = evaluation.trained || candidates.size() == 1;
  if (row.has_threshold) {
    for (const Split& split : evaluation.splits) {
      row.runs.push_back(score_run(runs, split, place, candidates, request.false_alarms_per_hour));
    }
    judge_alarms(request, entry.horizon, draws, row);
  }
  judge_probability(runs, evaluation.splits, place, draws, row);
  return row;
}

std::vector<RunSpan> spans_of(const std::vector<RunResult>& runs) {
  std::vector<RunSpan> spans;
  spans.reserve(runs.size());
  for (const RunResult& run : runs) spans.push_back({run.name, run.begin_wall, run.end_wall});
  return spans;
}

}  // namespace

Result<Evaluation> evaluate(const std::vector<RunResult>& runs, const EvaluationRequest& request) {
  if (runs.empty()) {
    return fail(ErrorCode::kInvalidArgument, "there is no run with samples of a database to score");
  }
  auto splits = plan(spans_of(runs), request.plan);
  if (!splits) return tl::unexpected(splits.error());
  Evaluation out;
  out.splits = *std::move(splits);
  out.trained = !out.splits.front().training.empty();
  std::vector<std::string> recording_of;
  recording_of.reserve(out.splits.size());
  for (const Split& split : out.splits) recording_of.push_back(runs[split.run].recording);
  const Draws draws = resample_runs(recording_of, request.resamples, request.seed);
  out.has_intervals = !draws.empty();
  const std::vector<Entry> all = entries(request.contest);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool same_table = !out.tables.empty() && out.tables.back().kind == all[i].kind &&
                            out.tables.back().horizon == all[i].horizon;
    if (!same_table) out.tables.push_back(empty_table(runs, out.splits, all[i]));
    out.tables.back().rows.push_back(judge(runs, request, out, draws, all[i], i));
  }
  return out;
}

}  // namespace rocktune::score
