// HeadObserver: the inputs that all heads share, from one sample's features and the roll-out. Keeps
// the courses of a few values. Pure, no allocation.
#pragma once

#include <array>
#include <optional>

#include "model/device_load.h"
#include "model/features.h"
#include "model/heads/course.h"
#include "model/heads/episodes.h"
#include "model/heads/inputs.h"
#include "model/objective.h"
#include "model/stall_forecast.h"

namespace rocktune {

class HeadObserver {
 public:
  // Once per sample, in order.
  void update(const Features& features, const Objective& objective,
              const std::optional<L0Forecast>& forecast, const DeviceLoad& load);
  // What physics says of each indicator, in the order of IndicatorKind: they drive each other.
  void add_physical(const std::array<double, 3>& probabilities);
  [[nodiscard]] const HeadInputs& inputs() const { return inputs_; }
  void clear();

 private:
  void look_at_l0(const Features& features, const std::optional<L0Forecast>& forecast);
  void look_at_jobs(const Features& features);
  void look_at_device(const Features& features, const Objective& objective, const DeviceLoad& load);
  void look_at_foreground(const Features& features, const Objective& objective);

  HeadInputs inputs_;
  Course l0_, queue_, read_, write_, demand_, misses_;
};

// The inputs that tell how an indicator's event behaved until now.
void set_episode_inputs(HeadInputs& inputs, const Episodes& episodes);

// ln(P99 / SLO); absent where too few operations were timed for their P99 to say anything.
std::optional<double> log_p99_use(const Value& p99_us, const Value& ops_per_second,
                                  double interval_seconds, double slo_seconds);

}  // namespace rocktune
