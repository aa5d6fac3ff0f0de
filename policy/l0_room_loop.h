// The loop that raises level0_slowdown_writes_trigger: room for what level 0 gathers behind one
// compaction at a time on a full device (policy/spared_jobs.h), so that it is not delayed for it.
// Where bytes count early, for a compaction to gather more; so where level 0 is flooded
// (policy/level0_flood.h); else for writers about to be delayed.
//
// Half of the way to the stop, and half as much again at most; half of what is left where level 0
// fills again. The stop stays where it is: level 0 never has more files than the stop that was
// found lets it, and whoever comes after, with the trigger that was found, finds a level 0 that is
// delayed, and not one that is stopped. Pure; bounded by the number of column families; internal to
// policy/.
#pragma once

#include <optional>

#include "policy/level0_merges.h"
#include "policy/situation.h"
#include "policy/wishes.h"

namespace rocktune {

class L0RoomLoop {
 public:
  std::optional<Proposal> decide(const Situation& situation, const Level0Merges& merges);

 private:
  struct Widened {
    const ColumnFamilyReading* family = nullptr;
    const KnobReading* slowdown = nullptr;
  };
  void look(const Situation& situation);
  [[nodiscard]] std::optional<Proposal> give_back(const Situation& situation) const;
  [[nodiscard]] std::optional<Proposal> widen(const Situation& situation,
                                              const Level0Merges& merges) const;

  Held full_, lost_, unsuited_, idle_;
  double full_seconds_ = 0, lost_seconds_ = 0, unsuited_seconds_ = 0, idle_seconds_ = 0;
  std::optional<Nanoseconds> rests_since_;
  UnheardWishes unheard_, unheard_returns_;
};

}  // namespace rocktune
