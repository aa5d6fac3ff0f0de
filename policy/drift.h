// The guard's clamp on total drift: how far a knob may be from the value that was found, by a
// factor either way (Budget::drift_max). A knob that stands further away may come back, and not go
// on. Without an own entry the rate limiter may go anywhere: between unlimited and a limit lies its
// work. What was found unlimited, or as zero or less ("chosen by RocksDB"), and a switch, is no
// measure: then there is no such limit. Pure; internal to policy/.
#pragma once

#include <optional>

#include "policy/guard_limits.h"

namespace rocktune {

// Where the knob may be; absent: anywhere.
std::optional<Range> drift_range(const LimitInput& input);
// The least that others may ask the knob to come down to.
std::optional<std::int64_t> least_by_drift(const KnobReading& reading, const Budget& budget);
void apply_drift(const LimitInput& input, Limited& limited);

}  // namespace rocktune
