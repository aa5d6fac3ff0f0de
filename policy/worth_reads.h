// Whether a raise of the limiter is worth what it takes from reads. docs/control.md, "The limiter".
// Pure; internal to policy/.
#pragma once

#include "policy/situation.h"

namespace rocktune {

// Somebody loses time to a stall; where writers come first, or nobody knows, a delay will do.
bool is_felt(const Situation& situation);
// On a device that looks loaded: for what is felt, or near a limit or a stop.
bool is_worth_reads(const Situation& situation);

}  // namespace rocktune
