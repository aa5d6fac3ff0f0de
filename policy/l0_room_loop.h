// The loop that raises level0_slowdown_writes_trigger: room for level 0 to gather, where a full
// device merges it too often. RocksDB uses all its slots for compactions long before level 0 is at
// that trigger (ColumnFamilyData::RecalculateWriteStallConditions), and delays writes there; later
// means fewer compactions at a time, which take more files each.
//
// To the middle between what was found and the stop, which stays where it is: level 0 never has
// more files than the stop that was found lets it, and whoever comes after, with the trigger that
// was found, is delayed for a compaction or two and not stopped. Pure; bounded; internal to
// policy/.
#pragma once

#include <optional>
#include <string_view>

#include "policy/situation.h"

namespace rocktune {

class L0RoomLoop {
 public:
  std::optional<Proposal> decide(const Situation& situation);
  void reset() { *this = L0RoomLoop(); }

 private:
  std::optional<Proposal> give_back(const Situation& situation);
  [[nodiscard]] static std::optional<Proposal> widen(const Situation& situation);

  Held full_, lost_, idle_;
  std::optional<Nanoseconds> lost_at_;
};

}  // namespace rocktune
