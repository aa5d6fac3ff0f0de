// What a limit that is lowered for reads on a full device (policy/smoothing.h, policy/deferral.h)
// takes besides, in the agent's own limiter: flushes keep to it, too, as good as first in line
// (rate_limiter_limit_flushes), and level 0 goes before deeper levels (rate_limiter_l0_weight), so
// that it does not fill for it. A host's own limiter has no such switches. Pure; internal to
// policy/.
#pragma once

#include <string_view>
#include <vector>

#include "policy/situation.h"

namespace rocktune {

// A second compaction comes with such a limit, and goes with it (policy/jobs_loop.cc).
inline constexpr std::string_view kSmoothJobsRule = "jobs.smooth",
                                  kSmoothedJobsRule = "jobs.smoothed";
// Of that one, or of an aid: judged with the limit, and not by itself.
bool comes_with_limit(std::string_view rule);

// Flushes may be so much of what passes, so that they fit the limit with room to spare: memtables
// that wait stop writers.
inline constexpr double kMostFlushShare = 0.4;
// Three quarters of the memtables wait (5 s). Of two or three, one of which is always being
// written, that is a stop: that one is in its flush at every look is how fast writers flush small
// ones.
bool flushes_wait(const Situation& situation);
// Compactions of level 0 go first, or will with the aids.
bool level0_goes_first(const Features& features);

// While such a limit stands; else what was set for it goes back.
std::vector<Proposal> aid_smoothing(const Situation& situation);

}  // namespace rocktune
