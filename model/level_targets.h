// The sizes that leveled compaction wants its levels to have.
//
// As VersionStorageInfo::CalculateBaseBytes (db/version_set.cc, RocksDB 6 to 11); versions before
// 8.4 also make room for a large L0 where levels are sized dynamically, which is left out. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "model/sample.h"

namespace rocktune {

struct LevelShape {
  std::uint64_t max_bytes_for_level_base = 256u << 20;
  double max_bytes_for_level_multiplier = 10;
  std::uint64_t level0_compaction_trigger = 4;
  bool dynamic_level_bytes = false;
  bool operator==(const LevelShape&) const = default;
};

// What was not read is as RocksDB has it by default.
LevelShape level_shape_of(const ColumnFamilyReading& reading);

// Fills `targets` (index = level) for levels of these `bytes`, of which there are as many, at least
// 2. Levels above the base level have none: the largest double. Returns the base level, into which
// L0 is compacted.
std::size_t level_targets(const LevelShape& shape, std::span<const double> bytes,
                          std::span<double> targets);

}  // namespace rocktune
