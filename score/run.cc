#include "score/run.h"

#include <algorithm>
#include <cmath>

#include "model/feature_stream.h"
#include "score/thresholds.h"

namespace rocktune::score {
namespace {

// A gap is recorded up to this length: nothing is concluded across one that is longer than
// kLongestHoleSeconds, so that more would only take memory (a clock may jump by years).
constexpr std::size_t kLongestGapKept = kLongestHorizon + kQuietBeforeFresh;

std::size_t place_of(IndicatorKind kind) {
  return static_cast<std::size_t>(kind);
}

void keep(Conditions& series, std::size_t second, const Indicator& indicator) {
  if (series.size() <= second) series.resize(second + 1, Condition::kUnknown);
  if (!indicator.valid && !indicator.event) return;
  const Condition now = indicator.event ? Condition::kHolds : Condition::kQuiet;
  series[second] = std::max(series[second], now);
}

void keep(Scores& series, std::size_t second, const std::optional<double>& score) {
  if (series.size() <= second) series.resize(second + 1, kNoScore);
  if (!score || !std::isfinite(*score)) return;
  series[second] = has_score(series[second]) ? std::max(series[second], *score) : *score;
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
  // Which second of the run a sample belongs to.
  class Grid {
   public:
    std::size_t second_of(Nanoseconds tick) {
      if (!last_tick_) {
        last_tick_ = origin_ = tick;
        return 0;
      }
      const double passed = seconds_between(*last_tick_, tick);
      if (passed > static_cast<double>(kLongestGapKept)) {  // what lies beyond is cut out
        origin_ += tick - *last_tick_ - std::chrono::seconds(kLongestGapKept);
      }
      last_tick_ = tick;
      return static_cast<std::size_t>(std::floor(seconds_between(origin_, tick) + 0.5));
    }
    [[nodiscard]] const std::optional<Nanoseconds>& last_tick() const { return last_tick_; }

   private:
    std::optional<Nanoseconds> last_tick_;
    Nanoseconds origin_{0};
  };

  State(const Contest& asked, const Objective& objective)
      : contest(asked), entries(score::entries(asked)), label(objective) {
    for (const DetectorChoice& choice : contest.detectors) {
      detectors.push_back(
          make_detector(*choice.spec, objective, contest.horizons, contest.prior.get()));
    }
    scores.resize(entries.size());
  }

  [[nodiscard]] RunResult::OfEntry result_of(std::size_t entry, const Scores& series) const;

  Contest contest;
  std::vector<Entry> entries;
  IndicatorModel label;  // says when a condition holds, whatever its horizon
  std::vector<std::unique_ptr<Detector>> detectors;
  Grid grid;
  FeatureStream features;
  std::optional<Nanoseconds> begin_wall;
  Nanoseconds end_wall{0};
  std::array<Conditions, 3> conditions;
  std::array<std::vector<Onset>, 3> onsets;
  std::vector<Scores> scores;  // by entry
};

RunScorer::RunScorer(const Contest& contest, const Objective& objective)
    : state_(std::make_unique<State>(contest, objective)) {}
RunScorer::~RunScorer() = default;
RunScorer::RunScorer(RunScorer&&) noexcept = default;
RunScorer& RunScorer::operator=(RunScorer&&) noexcept = default;

void RunScorer::add(const Sample& sample) {
  State& state = *state_;
  if (state.grid.last_tick() && sample.at.tick <= *state.grid.last_tick()) return;
  const Features features = state.features.next(sample);
  if (!state.begin_wall) state.begin_wall = sample.at.wall;
  state.end_wall = sample.at.wall;
  const std::size_t second = state.grid.second_of(sample.at.tick);
  for (const Indicator& indicator : state.label.update(features).indicators) {
    keep(state.conditions.at(place_of(indicator.kind)), second, indicator);
  }
  for (auto& detector : state.detectors) detector->update(features, sample);
  for (std::size_t i = 0; i < state.entries.size(); ++i) {
    const Entry& entry = state.entries[i];
    keep(state.scores[i], second,
         state.detectors[entry.detector]->score(entry.kind, entry.horizon));
  }
}

RunResult::OfEntry RunScorer::State::result_of(std::size_t i, const Scores& series) const {
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
    result.probability = score_probabilities(series, seconds, entry.horizon);
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
    fill_holes(state.scores[i]);
    result.of_entry.push_back(state.result_of(i, state.scores[i]));
    Scores().swap(state.scores[i]);
  }
  return result;
}

}  // namespace rocktune::score
