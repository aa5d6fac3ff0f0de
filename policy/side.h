// Whom background work slows, and how that shows. Pure; internal to policy/.
#pragma once

#include <optional>
#include <string>

#include "model/objective.h"

namespace rocktune {

// Those who read, or those who write and wait for the log, without a stall.
enum class Side { kReads, kWrites };

// Whose P99 comes first; absent: nobody's.
std::optional<Side> first_side(const Objective& objective);
// "read P99" and "read_p99_us", or of writes; its SLO.
std::string p99_text(Side side);
std::string p99_feature(Side side);
double p99_slo_us(const Objective& objective, Side side);
// Ours: a P99 is near its SLO from this share of it on, and has nothing to give away.
inline constexpr double kNearSlo = 0.25;

}  // namespace rocktune
