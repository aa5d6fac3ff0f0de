// Evidence: which features speak for an event, and how much each adds to its log odds. Pure.
#pragma once

#include <vector>

#include "model/heads/linear_head.h"
#include "model/indicators.h"

namespace rocktune {

inline constexpr std::size_t kMostDrivers = 5;

// Weighs `drivers` (strongest first, as physics sees them): what each input adds is told of the
// feature that it belongs to, the rest as "forecast", the physical forecast itself. Features with
// a weight that physics does not look at join. Cut to kMostDrivers, those with the largest weights;
// where nothing was learnt, the first as they stand.
void weigh(std::vector<Driver>& drivers, const HeadVector& contributions, double physical_log_odds,
           const Features& features);

}  // namespace rocktune
