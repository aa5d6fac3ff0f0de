#include "model/heads/indicator_heads.h"

#include <algorithm>
#include <cmath>

#include "model/heads/evidence.h"
#include "model/heads/observer.h"

namespace rocktune {
namespace {

constexpr double kMicrosecondsPerSecond = 1e6;
// The window of slopes (model/trend.h, model/heads/course.h). Before it is full, what was learnt
// raises no warning that physics does not: to the heads a database that nothing is known of yet
// looks like one at rest.
constexpr double kWarmUpSeconds = 15;

// A write stall is nearly mechanical, and physics of it no mere course: what was learnt raises no
// warning further above it than this, in log odds (1% to 36%, 5% to 74%). Without it a database
// that begins to be read warns of stalls, since demand had risen before those that were learnt
// from.
constexpr double kMostLearntStallOdds = 4;

std::size_t kind_place(IndicatorKind kind) {
  return static_cast<std::size_t>(kind);
}

// A course is no simulation: that nothing moves towards a limit does not rule out that it is
// reached, since compactions and bursts begin at once. The heads can say more where they know more.
constexpr double kMostCourseOdds = 3;  // log odds, 5% to 95%

double physical_log_odds(IndicatorKind kind, double probability) {
  const double odds = log_odds(probability);
  if (kind == IndicatorKind::kCompactionBacklog) return odds;
  return std::clamp(odds, -kMostCourseOdds, kMostCourseOdds);
}

std::optional<double> log_queue_use(const Features& features, const Objective& objective) {
  if (!features.device_queue || !(objective.device_queue_limit > 0)) return std::nullopt;
  return std::log(std::max(*features.device_queue / objective.device_queue_limit, 1e-3));
}

struct HeadValue {
  const char* feature;
  bool is_log;
};
// By indicator; what Forecaster::Moment::values stand for.
constexpr std::array<std::array<HeadValue, kMostHeadValues>, 3> kHeadValues = {{
    {{{"read_p99_us", true}, {"write_p99_us", true}}},
    {{{"l0_files", false}, {nullptr, false}}},
    {{{"device_queue", true}, {nullptr, false}}},
}};

}  // namespace

IndicatorHeads::IndicatorHeads(IndicatorKind kind, const Objective& objective,
                               const LearntIndicator& prior)
    : kind_(kind),
      objective_(objective),
      forecaster_(prior),
      budget_(objective.false_alarms_per_day.at(kind_place(kind)), objective.horizon_seconds) {
  budget_.set_threshold(prior.threshold_log_odds);
}

void IndicatorHeads::clear() {
  episodes_.clear();
  forecaster_.clear();
  budget_.gap();
  told_ = false;
}

LearntIndicator IndicatorHeads::learnt() const {
  LearntIndicator out = forecaster_.learnt();
  out.threshold_log_odds = budget_.threshold();
  return out;
}

Forecaster::Moment IndicatorHeads::moment(const Features& features,
                                          const HeadInputs& shared) const {
  Forecaster::Moment out;
  out.inputs = shared;
  set_episode_inputs(out.inputs, episodes_);
  for (std::size_t i = 0; i < out.physical.size(); ++i) {
    out.physical.at(i) = physical_log_odds(kind_, physical_.at(i));
    out.inputs.set(static_cast<HeadInput>(i), out.physical.at(i));  // kPhysical10 is the first
  }
  switch (kind_) {
    case IndicatorKind::kP99:
      out.values = {log_p99_use(features.read_p99_us, features.reads_per_second,
                                features.interval_seconds, objective_.read_p99_seconds),
                    log_p99_use(features.write_p99_us, features.writes_per_second,
                                features.interval_seconds, objective_.write_p99_seconds)};
      break;
    case IndicatorKind::kCompactionBacklog:
      out.values[0] = features.l0_ratio;
      break;
    case IndicatorKind::kDeviceSaturation:
      out.values[0] = log_queue_use(features, objective_);
      break;
  }
  for (auto& value : out.values) {
    if (value) value = std::clamp(*value, -kLargestInput, kLargestInput);
  }
  return out;
}

bool IndicatorHeads::is_warm() const {
  return forecaster_.watched_seconds() >= kWarmUpSeconds;
}

void IndicatorHeads::apply(Assessment& assessment, const Features& features,
                           const HeadInputs& shared) {
  Indicator& indicator = assessment.indicator;
  l0_slowdown_files_ = features.l0_slowdown_files.value_or(0);
  episodes_.update(features.at.tick, indicator.valid, indicator.event);
  indicator.seconds_since_event = episodes_.seconds_since_event();
  told_ = indicator.valid;
  physical_ = assessment.physical;
  if (told_) {
    const Forecaster::Moment now = moment(features, shared);
    forecaster_.update(features.at.tick, &now, episodes_);
    forecast(assessment);
    budget_.update(features.at.tick, log_odds(indicator.near_probability), indicator.event,
                   episodes_.onset_now());
    indicator.warn_probability = probability_of(budget_.threshold());
    assessment.by_learnt = !indicator.event &&
                           indicator.near_probability >= indicator.warn_probability &&
                           physical_near(assessment) < indicator.warn_probability;
  } else {
    forecaster_.update(features.at.tick, nullptr, episodes_);  // the budget sees a gap by itself
    indicator.warn_probability = probability_of(budget_.threshold());
  }
}

void IndicatorHeads::forecast(Assessment& assessment) {
  Indicator& indicator = assessment.indicator;
  const auto probability = [&](double horizon) {
    const double learnt = probability_of(forecaster_.log_odds(horizon).value_or(0));
    return indicator.event ? 1 : std::max(learnt, assessment.least_probability);
  };
  // Each horizon has a head of its own, and what comes within 30 s comes within 60 s: what is told
  // is the most of all horizons up to it.
  double told = 0;
  assessment.head_probability = probability(indicator.horizon_seconds);
  indicator.probability = assessment.head_probability;
  indicator.probabilities.reserve(kHeadHorizons.size());
  for (const double horizon : kHeadHorizons) {
    told = std::max(told, probability(horizon));
    indicator.probabilities.push_back(told);
    if (horizon <= indicator.horizon_seconds) {
      indicator.probability = std::max(told, assessment.head_probability);
    }
  }
  const double near = indicator.horizon_seconds / 2;
  indicator.near_probability = probability(near);
  if (!indicator.event) {
    indicator.near_probability = std::min(indicator.near_probability, most_near(assessment));
  }
  indicator.calibrated = forecaster_.calibrated();
  foresee(indicator);
}

double IndicatorHeads::near_above_physics(const Assessment& assessment, double odds) const {
  const auto physical = forecaster_.physical_log_odds(assessment.indicator.horizon_seconds / 2);
  return std::max(probability_of(physical.value_or(0) + odds), assessment.least_probability);
}

double IndicatorHeads::physical_near(const Assessment& assessment) const {
  return near_above_physics(assessment, 0);
}

double IndicatorHeads::most_near(const Assessment& assessment) const {
  if (!is_warm()) return physical_near(assessment);
  if (kind_ != IndicatorKind::kCompactionBacklog) return 1;
  return near_above_physics(assessment, kMostLearntStallOdds);
}

std::vector<Driver> IndicatorHeads::drivers(const std::vector<Candidate>& candidates,
                                            const Features& features, const HeadInputs& shared,
                                            const std::optional<L0Forecast>& l0) const {
  if (!told_) return {};
  const double near = objective_.horizon_seconds / 2;
  const double physical = physical_log_odds(kind_, physical_.at(nearest_head_horizon(near)));
  return weigh(candidates, is_warm() ? forecaster_.contributions(near) : HeadVector{}, physical,
               {features, moment(features, shared).inputs, episodes_, l0});
}

double IndicatorHeads::unit(std::size_t value) const {
  switch (kind_) {
    case IndicatorKind::kP99:
      return (value == 0 ? objective_.read_p99_seconds : objective_.write_p99_seconds) *
             kMicrosecondsPerSecond;
    case IndicatorKind::kCompactionBacklog:
      return l0_slowdown_files_;
    case IndicatorKind::kDeviceSaturation:
      return objective_.device_queue_limit;
  }
  return 1;
}

void IndicatorHeads::foresee(Indicator& indicator) const {
  const auto& values = kHeadValues.at(kind_place(kind_));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values.at(i).feature == nullptr || !(unit(i) > 0)) continue;
    const auto quantiles = forecaster_.value(i, indicator.horizon_seconds);
    if (!quantiles) continue;
    const auto natural = [&](double value) {
      return unit(i) * (values.at(i).is_log ? std::exp(std::min(value, 20.0)) : value);
    };
    const Foreseen one{values.at(i).feature, natural(quantiles->at(0)), natural(quantiles->at(1))};
    if (std::isfinite(one.p90)) indicator.foreseen.push_back(one);
  }
}

}  // namespace rocktune
