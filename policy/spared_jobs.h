// SparedJobs: whether fewer background jobs than were found do. Compactions that run at the same
// time on a full device take turns with each other and with the foreground. One at a time leaves
// more of the device to it, and level 0 gathers more files meanwhile, which the next compaction
// takes all at once: what is merged with the next level, is so less often. Asked of databases where
// bytes count, whose reads can bear more files in level 0 (policy/level0_reads.h), whose limits
// leave room for them, and that share their jobs with no other. What was found comes back for time
// that writers lose, for a backlog that nears its limits, when the device has had room for a while,
// and where this no longer suits; then comes a rest (policy/growing_rest.h). Pure; bounded;
// internal to policy/.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "policy/growing_rest.h"
#include "policy/situation.h"

namespace rocktune {

// Files of level 0 between the delay and the stop: half of them is what there is to notice it in.
inline constexpr std::int64_t kLeastLevel0Room = 4;

// The rule of their return. It expects nothing and is no experiment.
inline constexpr std::string_view kWantedJobsRule = "jobs.wanted";

class SparedJobs {
 public:
  // Why those that were found are to come back.
  enum class Return { kWanted, kIdleDevice, kUnsuited };
  // Call with every sample.
  void observe(const Situation& situation, const KnobReading& jobs);
  // As many as do for now, one step; absent: as many as there are. Never below 2.
  [[nodiscard]] std::optional<std::int64_t> fewer(const Situation& situation,
                                                  const KnobReading& jobs) const;
  // Absent: they are there, or not to come back yet.
  [[nodiscard]] const std::optional<Return>& to_return() const { return return_; }
  // There are fewer than found: whoever needs more needs all of them.
  [[nodiscard]] bool are_fewer() const { return fewer_; }

 private:
  bool fewer_ = false;  // by rocktune's doing, whoever of it that was
  std::optional<Return> return_;
  Held full_, idle_device_, unsuited_;
  double full_seconds_ = 0;
  std::optional<Nanoseconds> stalled_at_;
  GrowingRest rest_;  // since they came back
};

}  // namespace rocktune
