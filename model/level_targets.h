// The sizes that leveled compaction wants its levels to have.
//
// As VersionStorageInfo::CalculateBaseBytes (db/version_set.cc, RocksDB 6 to 11); versions before
// 8.4 also make room for a large L0 where levels are sized dynamically, which is left out. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace rocktune {

struct LevelShape {
  std::uint64_t max_bytes_for_level_base = 256u << 20;
  double max_bytes_for_level_multiplier = 10;
  std::uint64_t level0_compaction_trigger = 4;
  bool dynamic_level_bytes = false;
};

inline constexpr std::size_t kMostLevels = 64;
using LevelBytes = std::array<double, kMostLevels>;  // index = level

struct LevelTargets {
  std::size_t base_level = 1;  // into which L0 is compacted
  LevelBytes largest{};        // those above the base level have none: the largest double
};

// `bytes` of `levels` levels, at least 2 and at most kMostLevels.
LevelTargets level_targets(const LevelShape& shape, const LevelBytes& bytes, std::size_t levels);

}  // namespace rocktune
