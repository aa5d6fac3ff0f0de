// In which order the runs of a part are made: round by round, every case once in each, in random
// order, so that whatever drifts on the machine meets all cases alike. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/experiment/experiment.h"

namespace rocktune::bench::experiment {

struct ScheduledRun {
  std::size_t case_index = 0;
  std::int64_t round = 1;
  bool operator==(const ScheduledRun&) const = default;
};

// The order within a round depends on `seed` and the round alone: more rounds extend a schedule.
std::vector<ScheduledRun> schedule(std::size_t cases, std::int64_t rounds, std::uint64_t seed);

// What has to be on the disk at once for one part at this size: every case's loaded database, and
// the copy that a run works on.
double disk_bytes_needed(const Part& part, SizeName size);

}  // namespace rocktune::bench::experiment
