// Options of a column family that samples and traces have, by RocksDB's own names.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "model/sample.h"

namespace rocktune {

struct FamilyOption {
  std::string_view name;
  Counter ColumnFamilyReading::* recorded;
};

// Plain numbers, all of them; styles, ratios and flags are read by whoever needs them.
inline constexpr std::array<FamilyOption, 9> kFamilyOptions{{
    {"write_buffer_size", &ColumnFamilyReading::write_buffer_bytes},
    {"max_write_buffer_number", &ColumnFamilyReading::max_write_buffer_number},
    {"level0_file_num_compaction_trigger", &ColumnFamilyReading::level0_compaction_trigger},
    {"level0_slowdown_writes_trigger", &ColumnFamilyReading::level0_slowdown_trigger},
    {"level0_stop_writes_trigger", &ColumnFamilyReading::level0_stop_trigger},
    {"soft_pending_compaction_bytes_limit", &ColumnFamilyReading::soft_pending_limit_bytes},
    {"hard_pending_compaction_bytes_limit", &ColumnFamilyReading::hard_pending_limit_bytes},
    {"target_file_size_base", &ColumnFamilyReading::target_file_bytes},
    {"max_bytes_for_level_base", &ColumnFamilyReading::max_bytes_for_level_base_bytes},
}};

// RocksDB heeds these limits only where it may compact (disable_auto_compactions=false): reached,
// they would stall nobody.
inline void drop_compaction_limits(ColumnFamilyReading& family) {
  family.level0_slowdown_trigger.reset();
  family.level0_stop_trigger.reset();
  family.soft_pending_limit_bytes.reset();
  family.hard_pending_limit_bytes.reset();
}

// Whether it may compact, as far as the reading tells.
inline bool compacts(const ColumnFamilyReading& family) {
  const bool dropped = !family.level0_slowdown_trigger && !family.level0_stop_trigger &&
                       !family.soft_pending_limit_bytes && !family.hard_pending_limit_bytes;
  return !dropped || !family.level0_compaction_trigger;
}

// Agents ask 64 column families for their options (docs/wire.md): of one beyond them a sample has
// the levels alone. It is taken for opened as the default one was.
inline bool options_unread(const ColumnFamilyReading& family) {
  return !family.max_write_buffer_number && !family.level0_compaction_trigger;
}

// What the default column family was opened with, for those; nothing where there are none.
inline ColumnFamilyReading opened_default(const std::vector<ColumnFamilyReading>& families,
                                          const KnobReadings& knobs) {
  constexpr std::string_view kDefault = "default";
  ColumnFamilyReading out;
  const bool counts = std::any_of(families.begin(), families.end(), options_unread);
  if (!counts || families.front().name != kDefault) return out;
  for (const FamilyOption& option : kFamilyOptions) {
    const KnobReading* knob = knobs.find(option.name, kDefault);
    Counter& to = out.*option.recorded;
    to = families.front().*option.recorded;
    if (to && knob != nullptr && knob->found >= 0) to = static_cast<std::uint64_t>(knob->found);
  }
  return out;
}

}  // namespace rocktune
