// Pins: what the operator pinned in the configuration is set to that value and kept there. Each
// sample in which a pinned knob stands elsewhere proposes the pinned value, through the guard,
// whose rules `range` (without the budget), `relation`, `step` and `dwell` still hold for it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/decision.h"
#include "model/engine_config.h"
#include "model/features.h"
#include "model/result.h"

namespace rocktune {

inline constexpr std::string_view kPinRule = "pin.config";

std::vector<Proposal> propose_pins(const Pins& pins, const Features& features);
// Catalogue and range of each, and the order that RocksDB expects of some; errors name the knob.
Result<void> check_pins(const Pins& pins);
// Of that order alone; empty: it is kept.
std::string disorder(const Pins& pins);

}  // namespace rocktune
