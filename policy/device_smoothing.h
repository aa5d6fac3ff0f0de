// DeviceSmoothing: whether the databases on one device write evenly, for the reads of one of them.
//
// What flushes and compactions of several write at once is more than the device does, and reads
// wait in its queue for as long as that takes, long before they break their SLO. Nothing is divided
// for it, and no debt is made: each keeps to nearly what it writes (policy/smoothing.h), and who
// writes little to a part of what all write, so that a compaction of its own does not come on top.
// It ends when reads have been far from their SLO for long beside such work, the longer the sooner
// that was too early the last time, or when none have waited for long. Pure; not thread-safe.
#pragma once

#include <optional>
#include <vector>

#include "policy/device_budget.h"
#include "policy/learnt_wait.h"

namespace rocktune {

class DeviceSmoothing {
 public:
  DeviceSmoothing();

  // The rate, bytes/s, from which on a member is limited; absent: none is. Call at every poll.
  // `divided`: there is a budget for all writing, beside which none begins.
  std::optional<double> update(Nanoseconds now, const std::vector<DeviceMember>& members,
                               bool divided);

 private:
  std::optional<double> from_;
  double works_from_ = 0;  // bytes/s of all, from which on they work as they did when it began
  Trend all_{Trend::Jumps::kKeep, 0, 30};  // bytes/s
  Held far_, unasked_;
  LearntWait far_wait_, unasked_wait_;
};

}  // namespace rocktune
