// Demand: the operations that a recorded run was asked for, before any stall held them back.
//
// While nothing stalls, what is done is what was asked for. While writes are delayed or stopped,
// less is done, and what was asked for has to be inferred:
// - Whoever catches up does the rest afterwards, faster than before: the operations of the stall
// and of
//   the time of catching up are what was asked for in that time.
// - Whoever does not is taken to have gone on asking as just before and after.
// Reads are held back, too, where the same threads do both, which shows in their falling together.
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sim/foreground.h"

namespace rocktune::sim {

// One interval between two samples.
struct DemandInterval {
  double seconds = 0;
  double reads_per_second = 0;  // that were done
  double writes_per_second = 0;
  bool held_back = false;  // writes were delayed or stopped in it
  // Operations under way, mean, by Little's law; absent: latencies were not recorded.
  std::optional<double> busy_threads = std::nullopt;
};

// So long nobody could ask for anything before an interval began: the database was not open.
struct Absence {
  std::size_t interval = 0;  // index
  double seconds = 0;
};

struct DemandSeries {
  std::vector<double> seconds;     // of each interval
  std::vector<Arrivals> arrivals;  // asked for in it
  double known_ratio = 1;          // the share of the time that nothing held back
  bool one_queue = false;          // readers wait where writers do
  bool catches_up = false;
  std::vector<Absence> absences = {};  // by rising index
};

// How long before and after a stall the level is taken from.
inline constexpr double kDemandLookSeconds = 15;
// As many threads as were ever busy together for so long, rounded up; this many where no latency
// was recorded.
inline constexpr double kThreadsLookSeconds = 5, kUnknownThreads = 8;

DemandSeries recorded_demand(std::span<const DemandInterval> intervals);

}  // namespace rocktune::sim
