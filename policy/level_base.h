// What max_bytes_for_level_base means for a tree: what level 0 brings it at a time, and what would
// wait for compaction with another one. Pure; internal to policy/.
#pragma once

#include <cstdint>
#include <optional>

#include "model/features.h"

namespace rocktune {

// Level 0 that brings so many times the base, or more, is out of proportion.
inline constexpr double kOutOfProportion = 1.25;
// The most that a change of the base may leave pending, as a share of where RocksDB delays writes:
// as much again is left for what is written meanwhile.
inline constexpr double kBorneDebt = 0.5;

// Bytes of level 0 that one compaction of it takes, by these options; 0: not known, or the column
// family is not leveled.
double level0_batch_bytes(const ColumnFamilyReading& family, std::int64_t trigger,
                          std::int64_t write_buffer);
double level0_batch_bytes(const ColumnFamilyReading& family);  // as it stands

// What would be pending with this base, as a share of where RocksDB delays writes for it, or stops
// them where it does not delay (0: neither). With any trigger of level 0: that may come back, too.
// `filled`: after a base of so many bytes, with as much at least in level 0 and in the level that
// it is compacted into then. Absent: levels or limits were not read.
std::optional<double> debt_share(const ColumnFamilyReading& family, std::int64_t base,
                                 double filled = 0);

// The least base from `wanted` up, below `now`, that leaves no more pending than is borne. Absent:
// none does, or nobody can tell.
std::optional<std::int64_t> least_borne_base(const ColumnFamilyReading& family, std::int64_t wanted,
                                             std::int64_t now);

// The largest base up to `wanted`, out of proportion to `now`, from which a return to `found` would
// be borne once the level below level 0 has filled. Absent as above.
std::optional<std::int64_t> most_returnable_base(const ColumnFamilyReading& family,
                                                 std::int64_t wanted, std::int64_t now,
                                                 std::int64_t found);

// How many times as much, up to `times`, level 0 may bring at a time, of which its base holds all,
// or may be raised to: RocksDB compacts level 0 once it holds the base, however few its files, and
// more at a time would be compacted as often, in larger pieces. `file_share`: bytes of a file for
// each of the buffer's.
double held_times(const KnobReadings& knobs, const ColumnFamilyReading& family, double file_share,
                  double times);

}  // namespace rocktune
