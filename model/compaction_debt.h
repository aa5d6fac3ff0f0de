// Compaction debt: what RocksDB's leveled compaction would have to read and write until no level is
// above its target ("estimated pending compaction bytes"), from the levels' sizes alone.
//
// The formula is that of VersionStorageInfo::EstimateCompactionBytesNeeded (db/version_set.cc, the
// same from RocksDB 6 to 11), the targets those of CalculateBaseBytes; versions before 8.4 also
// make room for a large L0 where levels are sized dynamically, which is left out. Pure.
#pragma once

#include <cstdint>
#include <vector>

namespace rocktune {

struct LevelShape {
  std::uint64_t max_bytes_for_level_base = 256u << 20;
  double max_bytes_for_level_multiplier = 10;
  std::uint64_t level0_compaction_trigger = 4;
  bool dynamic_level_bytes = false;
};

// `level_bytes`: index = level, one for each level that the database has (num_levels).
std::uint64_t compaction_debt_bytes(const LevelShape& shape, std::uint64_t level0_files,
                                    const std::vector<std::uint64_t>& level_bytes);

}  // namespace rocktune
