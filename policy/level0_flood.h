// Level 0 is counted in files: small write buffers that are filled several times a second bring it
// to where writes are delayed while one compaction runs, however little is in them. Pure; internal
// to policy/.
#pragma once

#include <string_view>

#include "policy/level0_merges.h"
#include "policy/situation.h"

namespace rocktune {

// Ten seconds of flushes bring it from nothing to its slowdown trigger, and nobody reads: whoever
// looks into its files, or wants the memory, can have it as it was once he comes.
bool floods_level0(const Situation& situation, const Level0Merging& writes,
                   std::string_view column_family);

}  // namespace rocktune
