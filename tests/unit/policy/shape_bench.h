// headroom's loop of the tree's shape on hand-made features.
#pragma once

#include <optional>

#include "tests/unit/policy/headroom_bench.h"

namespace rocktune::test {

// Half of what RocksDB makes of its base, so that larger ones may be tried.
inline void small_files(HeadroomBench& bench) {
  KnobReading& size = bench.knob(knob::kTargetFileSize);
  size.value = size.found = 32 * kHeadroomMiB;
}

// Ticks until the shape loop proposes, at most so long; other loops' proposals are ignored.
inline std::optional<Proposal> shape_proposal(HeadroomBench& bench, double seconds) {
  for (int i = 0; i < static_cast<int>(seconds * 2); ++i) {
    for (const Proposal& proposal : bench.tick()) {
      if (proposal.rule.starts_with("shape.")) return proposal;
    }
  }
  return std::nullopt;
}

}  // namespace rocktune::test
