// Evidence: which features speak for an event, and how much each adds to its log odds. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/assessment.h"
#include "model/heads/episodes.h"
#include "model/heads/linear_head.h"
#include "model/indicators.h"
#include "model/stall_forecast.h"

namespace rocktune {

inline constexpr std::size_t kMostDrivers = 5;
// The driver that is the physical forecast itself.
inline constexpr std::string_view kForecastFeature = "forecast";

// Where the values of inputs are found.
struct Seen {
  const Features& features;
  const HeadInputs& inputs;
  const Episodes& episodes;
  const std::optional<L0Forecast>& l0;
};

// Weighs what physics looks at (`physical`, strongest first): what each input adds is told of the
// feature that it belongs to, the rest as "forecast", the physical forecast itself. Features with
// a weight that physics does not look at join. Told are kMostDrivers, those with the largest
// weights, but never without the one that speaks for the event the most; where nothing was learnt,
// the first as they stand.
std::vector<Driver> weigh(const std::vector<Candidate>& physical, const HeadVector& contributions,
                          double physical_log_odds, const Seen& seen);

}  // namespace rocktune
