#include "policy/level0_flood.h"

#include "model/knobs.h"

namespace rocktune {
namespace {

// Ours: as long as a compaction of level 0 takes.
constexpr double kFloodSeconds = 10;
constexpr double kUnreadSeconds = 1.5;

}  // namespace

bool floods_level0(const Situation& situation, const Level0Merging& writes,
                   std::string_view column_family) {
  const KnobReadings& knobs = situation.features.knobs;
  const KnobReading* size = knobs.find(knob::kWriteBufferSize, column_family);
  const KnobReading* slowdown = knobs.find(knob::kL0Slowdown, column_family);
  if (size == nullptr || slowdown == nullptr || slowdown->value <= 0) return false;
  return situation.unread_seconds >= kUnreadSeconds &&
         kFloodSeconds * writes.files_per_second(size->value) >=
             static_cast<double>(slowdown->value);
}

}  // namespace rocktune
