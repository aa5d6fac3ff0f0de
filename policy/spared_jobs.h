// SparedJobs: whether fewer background jobs than were found do. Compactions that run at the same
// time on a full device take turns with each other and with the foreground. One at a time leaves
// more of the device to it, and level 0 gathers more files meanwhile, which the next compaction
// takes all at once: what is merged with the next level, is so less often. Asked of databases where
// bytes count and whose reads can bear more files in level 0 (policy/level0_reads.h). What was
// found comes back for time that writers lose, for a backlog that nears the limits where RocksDB
// stops writes, and when the device has had room for a while. Pure; bounded; internal to policy/.
#pragma once

#include <cstdint>
#include <optional>

#include "policy/growing_rest.h"
#include "policy/situation.h"

namespace rocktune {

class SparedJobs {
 public:
  // Why those that were found are to come back.
  enum class Return { kWanted, kRoom, kReads };
  // Call with every sample. `own`: the loop asked for what fell.
  void observe(const Situation& situation, const KnobReading& jobs, bool own);
  // As many as do for now, one step; absent: as many as there are. Never below 2.
  [[nodiscard]] std::optional<std::int64_t> fewer(const Situation& situation,
                                                  const KnobReading& jobs) const;
  [[nodiscard]] std::optional<Return> to_return(const Situation& situation,
                                                const KnobReading& jobs) const;

 private:
  std::optional<std::int64_t> jobs_;  // as last seen
  bool spared_ = false;               // fewer than found, since the loop asked for that
  Held full_, room_;
  double full_seconds_ = 0, room_seconds_ = 0;
  GrowingRest rest_;                     // since they were wanted
  std::optional<Nanoseconds> ended_at_;  // there was room, or reads did not bear it
  std::optional<Nanoseconds> stalled_at_;
};

}  // namespace rocktune
