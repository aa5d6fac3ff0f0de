#include "tools/train_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "score/learner.h"
#include "tools/score_runs.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

using Runs = std::vector<const RecordedRun*>;

// What is scored beside the model: the limits and a forecast that it has to beat.
constexpr std::array<std::string_view, 4> kCompared = {"static", "holt", "rocktune",
                                                       "rocktune-alerts"};
constexpr std::array<std::size_t, 2> kScoredHorizons = {30, 60};

bool is_held_out(const RecordedRun& run, const TrainRequest& request) {
  return std::any_of(request.hold_out.begin(), request.hold_out.end(),
                     [&](const auto& pattern) { return score::name_matches(pattern, run.name); });
}

class Trainer {
 public:
  Trainer(const TrainRequest& request, const TrainProgress& progress)
      : request_(request), progress_(progress) {}

  Result<Learnt> learn(const Runs& runs) {
    Learnt learnt, once;
    for (unsigned epoch = 0; epoch < request_.epochs; ++epoch) {
      const Runs order = epoch == 0 ? runs : shuffled(runs, epoch);
      for (std::size_t i = 0; i < order.size(); ++i) {
        say("learning, epoch " + std::to_string(epoch + 1) + " of " +
                std::to_string(request_.epochs) + ",",
            i + 1, order.size(), order[i]->name);
        score::Learner learner(objective_of(*order[i]), learnt);
        const auto read =
            for_each_sample(*order[i], [&](const Sample& sample) { learner.add(sample); });
        if (!read) return tl::unexpected(read.error());
        learnt = learner.learnt();
      }
      if (epoch == 0) once = learnt;  // later epochs see the same seconds and events again
    }
    for (std::size_t i = 0; i < learnt.indicators.size(); ++i) {
      LearntIndicator& one = learnt.indicators.at(i);
      one.threshold_log_odds = kFirstThreshold;
      one.seconds = once.indicators.at(i).seconds;
      one.onsets = once.indicators.at(i).onsets;
    }
    return learnt;
  }

  // Each run under the prior of the runs that ended before its fold began; where there are none
  // yet, of those before itself.
  Result<std::vector<score::RunResult>> score(const Runs& runs, score::Contest contest) {
    std::vector<score::RunResult> out;
    const std::size_t fold = (runs.size() + kMostFolds - 1) / kMostFolds;
    bool learnt = false;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (i % fold == 0 || !learnt) {
        const Runs earlier = before(*runs[i], runs);
        auto prior = learn(earlier);
        if (!prior) return tl::unexpected(prior.error());
        learnt = !earlier.empty();
        contest.prior = std::make_shared<const Learnt>(*std::move(prior));
      }
      say("scoring", i + 1, runs.size(), runs[i]->name);
      RecordedRun run = *runs[i];
      run.engine.objective = objective_of(run);
      auto result = score_run(run, contest);
      if (!result) return tl::unexpected(result.error());
      out.push_back(*std::move(result));
    }
    return out;
  }

  [[nodiscard]] Runs to_learn(const Runs& runs) const {
    Runs out;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(out),
                 [&](const RecordedRun* run) { return !is_held_out(*run, request_); });
    return out;
  }

 private:
  void say(const std::string& doing, std::size_t number, std::size_t total,
           const std::string& name) const {
    if (progress_) progress_(doing, number, total, name);
  }

  [[nodiscard]] Objective objective_of(const RecordedRun& run) const {
    Objective objective = run.engine.objective;
    if (request_.false_alarms_per_day) {
      objective.false_alarms_per_day.fill(*request_.false_alarms_per_day);
    }
    return objective;
  }

  // Not std::shuffle: its order is another one in another standard library.
  [[nodiscard]] Runs shuffled(Runs runs, unsigned epoch) const {
    std::mt19937_64 random(request_.seed * 1000 + epoch);
    for (std::size_t i = runs.size(); i > 1; --i) std::swap(runs[i - 1], runs[random() % i]);
    return runs;
  }

  [[nodiscard]] Runs before(const RecordedRun& run, const Runs& runs) const {
    Runs out;
    for (const RecordedRun* other : to_learn(runs)) {
      if (other->end_wall <= run.begin_wall) out.push_back(other);
    }
    return out;
  }

  const TrainRequest& request_;
  const TrainProgress& progress_;
};

score::EvaluationRequest evaluation_of(const TrainRequest& request) {
  score::EvaluationRequest out;
  for (const std::string_view name : kCompared) {
    out.contest.detectors.push_back(*score::parse_choice(name));
  }
  out.contest.horizons.assign(kScoredHorizons.begin(), kScoredHorizons.end());
  out.plan.hold_out = request.hold_out;
  const double by_day = request.false_alarms_per_day.value_or(Objective().false_alarms_per_day[0]);
  out.false_alarms_per_hour = by_day / 24;
  out.seed = request.seed;
  return out;
}

std::optional<double> rounded(const std::optional<double>& value) {
  return value ? std::optional(std::round(*value * 1000) / 1000) : std::nullopt;
}

std::vector<PriorScore> score_notes(const score::Evaluation& evaluation) {
  std::vector<PriorScore> out;
  const auto at = [](std::size_t seconds) {
    const auto& leads = score::kRecallLeads;
    return static_cast<std::size_t>(std::find(leads.begin(), leads.end(), seconds) - leads.begin());
  };
  for (const score::Table& table : evaluation.tables) {
    if (table.seconds == 0) continue;
    for (const score::Row& row : table.rows) {
      if (row.detector.spec->name.substr(0, 8) != "rocktune") continue;
      out.push_back({table.kind, table.horizon, row.detector.label, table.events,
                     rounded(row.false_alarms_per_hour.value), rounded(row.recall.at(at(10)).value),
                     rounded(row.recall.at(at(20)).value), rounded(row.brier_skill.value)});
    }
  }
  return out;
}

// What was there to learn: the onsets by the rules of the score.
Result<std::vector<TrainedOn>> trained_on(const Runs& runs) {
  std::vector<TrainedOn> out;
  for (const RecordedRun* run : runs) {
    auto counted = score_run(*run, {});
    if (!counted) return tl::unexpected(counted.error());
    TrainedOn one{run->name, 0, {}};
    one.seconds = static_cast<std::uint64_t>(
        std::max(0.0, std::round(seconds_between(run->begin_wall, run->end_wall))));
    for (std::size_t i = 0; i < one.onsets.size(); ++i) {
      one.onsets.at(i) = counted->of_kind.at(i).events;
    }
    out.push_back(std::move(one));
  }
  return out;
}

// Before what takes minutes: whether a run has an earlier one, without which there is no score.
Result<bool> has_score(const Runs& runs, const score::PlanRequest& request) {
  std::vector<score::RunSpan> spans;
  for (const RecordedRun* run : runs) spans.push_back({run->name, run->begin_wall, run->end_wall});
  const auto planned = score::plan(spans, request);
  if (!planned) return tl::unexpected(planned.error());
  return !planned->front().training.empty();
}

std::string command_of(const TrainRequest& request) {
  std::string out = "rocktune train --epochs " + std::to_string(request.epochs);
  if (request.false_alarms_per_day) {
    out += " --false-alarms-per-day " + number_text(*request.false_alarms_per_day);
  }
  for (const std::string& pattern : request.hold_out) out += " --hold-out " + pattern;
  return out + " --seed " + std::to_string(request.seed) + " TRACE...";
}

}  // namespace

Result<Trained> train(const TrainRequest& request, const TrainProgress& progress) {
  const auto recorded = list_recorded_runs(request.traces);
  if (!recorded) return tl::unexpected(recorded.error());
  Runs runs;
  for (const RecordedRun& run : *recorded) runs.push_back(&run);
  Trainer trainer(request, progress);
  const Runs learnt_from = trainer.to_learn(runs);
  if (runs.empty()) {
    return fail(ErrorCode::kNotFound,
                "there is no run to learn from: no database was read in these traces; rocktune "
                "trace info FILE shows what is in one");
  }
  if (learnt_from.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "there is no run to learn from: --hold-out takes them all");
  }
  Trained out;
  out.asked = evaluation_of(request);
  const auto scored = has_score(runs, out.asked.plan);
  if (!scored) return tl::unexpected(scored.error());
  if (*scored) {
    auto results = trainer.score(runs, out.asked.contest);
    if (!results) return tl::unexpected(results.error());
    out.runs = *std::move(results);
    auto evaluation = score::evaluate(out.runs, out.asked);
    if (!evaluation) return tl::unexpected(evaluation.error());
    out.prior.notes.scored = score_notes(*evaluation);
    out.evaluation = *std::move(evaluation);
  }
  auto learnt = trainer.learn(learnt_from);
  if (!learnt) return tl::unexpected(learnt.error());
  out.prior.learnt = *std::move(learnt);
  auto notes = trained_on(learnt_from);
  if (!notes) return tl::unexpected(notes.error());
  out.prior.notes.trained_on = *std::move(notes);
  out.prior.notes.made_by = command_of(request);
  return out;
}

}  // namespace rocktune::tools
