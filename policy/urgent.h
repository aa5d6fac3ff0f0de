// Which changes may not wait for another one to be judged. Told by what a change is expected to
// move, never by what its policy calls it. Pure; internal to policy/.
#pragma once

#include <string>

#include "model/decision.h"
#include "model/knobs.h"

namespace rocktune {

// The part of the policy's rule before the dot: "limiter" of "limiter.backlog".
std::string loop_of(const Proposal& proposal);

// A rollback, a pin or what several databases have: the engine's own wishes, which bring a knob to
// where it was or has to be.
bool is_return(const Proposal& proposal);

// It may be taken back for what came of it: not the engine's own wishes, what others are due, nor
// what the host lacks.
bool may_go_back(const Proposal& proposal);

// It is to end or shorten a stall: it expects less of L0, of pending bytes, of memtables that wait,
// or of stalled time. Raising the limiter always is; raising level 0's trigger, the base of the
// levels, fewer workers, less memory and smaller single writes never are.
bool relieves_stall(const Proposal& proposal);

// It gives back memory that the host lacks: lowers a knob where less protects, and expects less
// pressure from it.
bool protects_host(const Proposal& proposal, const KnobSpec& spec);

}  // namespace rocktune
