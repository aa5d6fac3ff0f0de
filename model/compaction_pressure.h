// The thresholds past which RocksDB gives compaction all its slots instead of one ("compaction
// pressure"): GetL0FileCountForCompactionSpeedup and GetPendingCompactionBytesForCompactionSpeedup
// in its db/column_family.cc. Pure.
#pragma once

#include <algorithm>
#include <cmath>

namespace rocktune {

// Files of L0, at least 1. `trigger` and `slowdown`: the level0_* options, above 0.
inline double speedup_l0_files(double trigger, double slowdown) {
  return std::max(1.0, std::min(2 * trigger, trigger + std::floor((slowdown - trigger) / 4)));
}

// Bytes of debt. `soft`: soft_pending_compaction_bytes_limit; `base`: max_bytes_for_level_base;
// `bottom`: what lies in the last level that has files, or 0 where only the limit counts, as before
// RocksDB 8.10.
inline double speedup_debt_bytes(double soft, double base, double bottom) {
  if (!(bottom > 0) || !(base > 0)) return soft / 4;
  return std::min(soft / 4, std::max(bottom / 8, 2 * base));
}

}  // namespace rocktune
