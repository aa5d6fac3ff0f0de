#include "policy/shape_step.h"

#include <algorithm>

#include "model/knobs.h"
#include "policy/level_base.h"
#include "policy/situation.h"

namespace rocktune {
namespace {

// Of the base of the levels, as RocksDB's defaults have it; and of what was found.
constexpr double kLargestFile = 0.25, kSmallestFile = 0.5;

}  // namespace

bool follows_level0(const Features& f, const KnobReading& knob) {
  if (knob.name != knob::kLevelBase || knob.value <= knob.found) return false;
  const ColumnFamilyReading* family = family_of(f, knob.column_family);
  return family != nullptr &&
         static_cast<double>(knob.value) <= kOutOfProportion * level0_batch_bytes(*family);
}

std::optional<std::int64_t> borne_step(const Features& f, const KnobReading& reading,
                                       std::int64_t to) {
  if (reading.name != knob::kLevelBase || to >= reading.value) return to;
  const ColumnFamilyReading* family = family_of(f, reading.column_family);
  return family != nullptr ? least_borne_base(*family, to, reading.value) : std::nullopt;
}

bool knows_debt(const Features& f, const KnobReading& reading) {
  if (reading.name != knob::kLevelBase) return true;
  const ColumnFamilyReading* family = family_of(f, reading.column_family);
  return family != nullptr && debt_share(*family, reading.value).has_value();
}

// What is measured before it is full is no gain. With targets from the base down, the last level
// but one takes most.
bool fills_in_time(const Features& f, const KnobReading& reading, std::int64_t to,
                   double written_per_second, double seconds) {
  if (reading.name != knob::kLevelBase || to <= reading.value) return true;
  const ColumnFamilyReading* family = family_of(f, reading.column_family);
  if (family == nullptr || family->dynamic_level_bytes.value_or(0) != 0) return true;
  const auto times = static_cast<double>(family->max_bytes_for_level_multiplier.value_or(10));
  double more = 0, target = static_cast<double>(to - reading.value);
  for (std::size_t i = 1; i + 1 < family->levels.size(); ++i, target *= times) {
    const bool below = std::any_of(family->levels.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                   family->levels.end(), [](const auto& l) { return l.bytes > 0; });
    if (below) more = target;
  }
  return more <= written_per_second * seconds;
}

// Files as large as the first level are compacted one after the other, and each drags all of the
// next level along; of smaller ones there are more to open and to keep in mind.
bool is_sound_size(const Features& f, const KnobReading& reading, std::int64_t to) {
  if (reading.name != knob::kTargetFileSize) return true;
  const KnobReading* base = f.knobs.find(knob::kLevelBase, reading.column_family);
  const bool larger = to > reading.value;
  return larger ? base != nullptr && to <= kLargestFile * static_cast<double>(base->value)
                : to >= kSmallestFile * static_cast<double>(reading.found);
}

}  // namespace rocktune
