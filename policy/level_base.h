// What max_bytes_for_level_base means for a tree: what level 0 brings it at a time, and what would
// wait for compaction with another one. Pure; internal to policy/.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/features.h"

namespace rocktune {

const ColumnFamilyReading* family_of(const Features& features, std::string_view column_family);

// Bytes of level 0 that one compaction of it takes, by these options; 0: not known, or the column
// family is not leveled.
double level0_batch_bytes(const ColumnFamilyReading& family, std::int64_t trigger,
                          std::int64_t write_buffer);
double level0_batch_bytes(const ColumnFamilyReading& family);  // as it stands

// What would be pending with this base, as a share of where RocksDB delays writes for it (0 where
// it never does). Absent: levels or limit were not read.
std::optional<double> debt_share(const ColumnFamilyReading& family, std::int64_t base);

// The least base from `wanted` up, below `now`, that leaves no more than half of that pending.
// Absent: none does, or nobody can tell.
std::optional<std::int64_t> least_borne_base(const ColumnFamilyReading& family, std::int64_t wanted,
                                             std::int64_t now);

}  // namespace rocktune
