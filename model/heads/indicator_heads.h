// IndicatorHeads: what is learnt about one indicator, applied to what physics says of it: the
// probability, the values foreseen, from which probability on to warn, and which features speak for
// the event. Pure.
#pragma once

#include "model/assessment.h"
#include "model/heads/episodes.h"
#include "model/heads/false_alarm_budget.h"
#include "model/heads/forecaster.h"

namespace rocktune {

class IndicatorHeads {
 public:
  IndicatorHeads(IndicatorKind kind, const Objective& objective, const LearntIndicator& prior);

  // Once per sample, in order: completes `assessment`. `shared`: the HeadObserver's inputs.
  void apply(Assessment& assessment, const Features& features, const HeadInputs& shared);
  // Why things stand as they do since the last apply(), of the same features and inputs: of
  // `candidates`, strongest first, and of what the inputs were taken from. None where nothing can
  // be told.
  [[nodiscard]] std::vector<Driver> drivers(const std::vector<Candidate>& candidates,
                                            const Features& features, const HeadInputs& shared,
                                            const std::optional<L0Forecast>& l0) const;
  // After a reopening or a gap: what was learnt stays.
  void clear();
  [[nodiscard]] LearntIndicator learnt() const;

 private:
  [[nodiscard]] Forecaster::Moment moment(const Features& features, const HeadInputs& shared) const;
  void forecast(Assessment& assessment);
  // What the near probability would be if nothing had been learnt.
  [[nodiscard]] double physical_near(const Assessment& assessment) const;
  // ... with so much more of log odds; and as far as what was learnt may raise a warning.
  [[nodiscard]] double near_above_physics(const Assessment& assessment, double odds) const;
  [[nodiscard]] double most_near(const Assessment& assessment) const;
  [[nodiscard]] bool is_warm() const;
  void foresee(Indicator& indicator) const;
  [[nodiscard]] double unit(std::size_t value) const;

  IndicatorKind kind_;
  Objective objective_;
  Episodes episodes_;
  Forecaster forecaster_;
  FalseAlarmBudget budget_;
  double l0_slowdown_files_ = 0;
  bool told_ = false;                // the last assessment was valid
  HorizonProbabilities physical_{};  // ... and what physics said then
};

}  // namespace rocktune
