// Compaction debt: what RocksDB's leveled compaction would have to read and write until no level is
// above its target ("estimated pending compaction bytes"), from the levels' sizes alone.
//
// The formula is that of VersionStorageInfo::EstimateCompactionBytesNeeded (db/version_set.cc, the
// same from RocksDB 6 to 11), the targets those of model/level_targets.h. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/level_targets.h"

namespace rocktune {

inline constexpr std::size_t kMostLevels = 64;

// `level_bytes`: index = level, one for each level that the database has (num_levels); those
// beyond kMostLevels do not count.
std::uint64_t compaction_debt_bytes(const LevelShape& shape, std::uint64_t level0_files,
                                    const std::vector<std::uint64_t>& level_bytes);

}  // namespace rocktune
