// What the heads of the early warnings have learnt, as compact JSON: numbers in a fixed order, some
// 40 kB. Part of a target's engine configuration in the trace; for people there is prior/prior.h.
#pragma once

#include <optional>

#include "model/heads/learnt.h"
#include "trace/json_text.h"

namespace rocktune::trace {

Json learnt_json(const Learnt& learnt);

// Absent where it is of another version of the heads' inputs: it means nothing to this program's.
// Throws std::exception, as the JSON library does: a missing key, a wrong size, or what is not
// sound.
std::optional<Learnt> learnt_from(const Json& object);

}  // namespace rocktune::trace
