// The loop of level0_slowdown_writes_trigger and soft_pending_compaction_bytes_limit: where writes
// stop because the delay before the stop begins too late. Pure; internal to policy/.
//
// RocksDB delays writes from a soft limit on and stops them at a hard one, and slows a delay by a
// fifth at a time: it needs room between the two. RocksDB's own defaults leave it half of the way
// from the compaction trigger to the stop in level 0 (4, 20, 36 files), and three quarters of the
// hard limit of pending bytes (64 of 256 GiB). A configuration that leaves less, and whose writes
// are stopped there, gets that proportion; one that leaves as much, or does not stop, is not
// touched.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "policy/situation.h"
#include "policy/stop_pattern.h"

namespace rocktune {

class SoftLimitsLoop {
 public:
  std::optional<Proposal> decide(const Situation& situation);

 private:
  // The column family that was last seen at its hard limit while writes were stopped.
  struct Stopped {
    std::string column_family;
    Nanoseconds at{0};
  };
  void look(const Situation& situation);
  std::optional<Proposal> give_back(const Situation& situation);

  StopPattern stops_;
  Held rest_;
  std::optional<Stopped> level0_, pending_;
  std::size_t turn_ = 0;  // of those that are to go back: one may be held by somebody else's word
};

}  // namespace rocktune
