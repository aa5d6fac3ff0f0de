// What a step of the tree's shape, max_bytes_for_level_base or target_file_size_base, does to a
// tree that is there. Pure; internal to policy/.
#pragma once

#include <cstdint>
#include <optional>

#include "model/features.h"

namespace rocktune {

// A raised base that is in proportion to what level 0 brings: it is the other loop's
// (policy/level_base_loop.h).
bool follows_level0(const Features& f, const KnobReading& knob);

// How far the knob may go towards `to`: what is above a smaller base waits for compaction at once.
// Absent: more than writers bear, or nobody can tell.
std::optional<std::int64_t> borne_step(const Features& f, const KnobReading& reading,
                                       std::int64_t to);

// Whether anybody can tell what is above a base: options are read of so many column families only.
bool knows_debt(const Features& f, const KnobReading& reading);

// A level that is allowed more takes it up first, and passes on nothing meanwhile: whether a larger
// base is full again within `seconds` of so much writing.
bool fills_in_time(const Features& f, const KnobReading& reading, std::int64_t to,
                   double written_per_second, double seconds);

// Files no larger than a share of the base, and no smaller than one of what was found.
bool is_sound_size(const Features& f, const KnobReading& reading, std::int64_t to);

}  // namespace rocktune
