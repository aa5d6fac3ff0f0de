// Learner: what the early warnings learn from one run, for `rocktune train`. The same model as
// live, over the recorded samples of one database. Pure. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "model/feature_stream.h"
#include "model/indicators.h"

namespace rocktune::score {

class Learner {
 public:
  // Learns on from `prior`, under the objective that the run's target had.
  Learner(const Objective& objective, const Learnt& prior) : model_(objective, prior) {}

  // The next sample of the target. One whose tick does not rise is left out.
  void add(const Sample& sample);
  [[nodiscard]] Learnt learnt() const { return model_.learnt(); }

 private:
  IndicatorModel model_;
  FeatureStream features_;
  std::optional<Nanoseconds> last_tick_;
};

}  // namespace rocktune::score
