#include "score/run.h"

#include "model/feature_stream.h"
#include "score/run_seconds.h"
#include "score/thresholds.h"

namespace rocktune::score {
namespace {

std::size_t place_of(IndicatorKind kind) {
  return static_cast<std::size_t>(kind);
}

}  // namespace

std::vector<Entry> entries(const Contest& contest) {
  std::vector<Entry> out;
  for (const IndicatorKind kind : kKinds) {
    for (const std::size_t horizon : contest.horizons) {
      for (std::size_t i = 0; i < contest.detectors.size(); ++i) {
        if (covers(*contest.detectors[i].spec, kind)) out.push_back({i, kind, horizon});
      }
    }
  }
  return out;
}

struct RunScorer::State {
  State(const Contest& asked, const Objective& of_target)
      : contest(asked), entries(score::entries(asked)), label(of_target) {
    Objective objective = of_target;
    if (asked.false_alarms_per_day) {
      objective.false_alarms_per_day.fill(*asked.false_alarms_per_day);
    }
    for (const DetectorChoice& choice : contest.detectors) {
      detectors.push_back(
          make_detector(*choice.spec, objective, contest.horizons, contest.prior.get()));
    }
    for (const Entry& entry : entries) {
      scores.emplace_back(candidate_thresholds(contest.detectors[entry.detector]));
    }
    probabilities.resize(entries.size());
  }

  [[nodiscard]] RunResult::OfEntry result_of(std::size_t entry) const;

  Contest contest;
  std::vector<Entry> entries;
  IndicatorModel label;  // says when a condition holds, whatever its horizon
  std::vector<std::unique_ptr<Detector>> detectors;
  SecondGrid grid;
  FeatureStream features;
  std::optional<Nanoseconds> begin_wall;
  Nanoseconds end_wall{0};
  std::array<Conditions, 3> conditions;
  std::array<std::vector<Onset>, 3> onsets;
  std::vector<ReachedThresholds> scores;  // by entry
  std::vector<Scores> probabilities;      // by entry; empty of detectors that give none
};

RunScorer::RunScorer(const Contest& contest, const Objective& objective)
    : state_(std::make_unique<State>(contest, objective)) {}
RunScorer::~RunScorer() = default;
RunScorer::RunScorer(RunScorer&&) noexcept = default;
RunScorer& RunScorer::operator=(RunScorer&&) noexcept = default;

void RunScorer::add(const Sample& sample) {
  State& state = *state_;
  const auto second = state.grid.second_of(sample.at.tick);
  if (!second) return;
  const Features features = state.features.next(sample);
  if (!state.begin_wall) state.begin_wall = sample.at.wall;
  state.end_wall = sample.at.wall;
  for (const Indicator& indicator : state.label.update(features).indicators) {
    keep(state.conditions.at(place_of(indicator.kind)), *second, indicator);
  }
  for (auto& detector : state.detectors) detector->update(features, sample);
  for (std::size_t i = 0; i < state.entries.size(); ++i) {
    const Entry& entry = state.entries[i];
    state.scores[i].keep(*second,
                         state.detectors[entry.detector]->score(entry.kind, entry.horizon));
    if (!gives_probability(*state.contest.detectors[entry.detector].spec)) continue;
    keep(state.probabilities[i], *second,
         state.detectors[entry.detector]->probability(entry.kind, entry.horizon));
  }
}

RunResult::OfEntry RunScorer::State::result_of(std::size_t i) const {
  Scores series = scores[i].scores();
  fill_holes(series);
  const Entry& entry = entries[i];
  const DetectorChoice& choice = contest.detectors[entry.detector];
  const Conditions& seconds = conditions.at(place_of(entry.kind));
  const std::vector<Onset>& events = onsets.at(place_of(entry.kind));
  RunResult::OfEntry result;
  for (const double threshold : candidate_thresholds(choice)) {
    const auto alarms = raise_alarms(series, seconds, events, threshold, entry.horizon);
    result.by_threshold.push_back(tally_alarms(alarms, events, seconds, entry.horizon));
  }
  if (gives_probability(*choice.spec)) {
    result.probability = score_probabilities(probabilities[i], seconds, entry.horizon);
  }
  return result;
}

RunResult RunScorer::finish(std::string name) {
  State& state = *state_;
  RunResult result;
  result.name = std::move(name);
  result.begin_wall = state.begin_wall.value_or(Nanoseconds(0));
  result.end_wall = state.end_wall;
  for (const IndicatorKind kind : kKinds) {
    const std::size_t place = place_of(kind);
    Conditions& seconds = state.conditions.at(place);
    fill_holes(seconds);
    state.onsets.at(place) = find_onsets(seconds);
    RunResult::OfKind& of_kind = result.of_kind.at(place);
    of_kind.seconds = known_seconds(seconds);
    for (const Onset& onset : state.onsets.at(place)) {
      ++of_kind.events;
      if (onset.fresh) ++of_kind.fresh_events;
    }
  }
  for (std::size_t i = 0; i < state.entries.size(); ++i) {
    fill_holes(state.probabilities[i]);
    result.of_entry.push_back(state.result_of(i));
    Scores().swap(state.probabilities[i]);
  }
  return result;
}

}  // namespace rocktune::score
