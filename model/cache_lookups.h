// What compactions may have looked up in the block cache: each block that they read, and mostly in
// vain. RocksDB does not count it apart from what reads look up.
#pragma once

#include <algorithm>

namespace rocktune {

// What a compaction looks up for, at least: half of a block of RocksDB's default block_size,
// compressed.
inline constexpr double kLeastBlock = 2 << 10;
// The share of all look-ups that may be theirs and hidden among those of reads: a tenth is what the
// outcome of a change tolerates (policy/outcomes.cc).
inline constexpr double kMostHidden = 0.1;

// Whether compactions may have too large a part of the misses to tell what reads miss.
inline bool compactions_hide_reads(double of_compactions, double misses, double lookups) {
  return std::min(of_compactions, misses) > kMostHidden * lookups;
}

}  // namespace rocktune
