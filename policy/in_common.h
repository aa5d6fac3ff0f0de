// What several databases of a process have in common - one rate limiter, one block cache - is
// turned for none of them. One that was turned while a single database had it goes back to what was
// found: its knob's range in the sample is that value alone. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "model/decision.h"
#include "model/features.h"

namespace rocktune {

inline constexpr std::string_view kInCommonRule = "common.returned";

std::vector<Proposal> propose_in_common(const Features& features);

}  // namespace rocktune
