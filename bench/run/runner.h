// Runs a workload's phases on a database and measures each second, each phase and the whole.
//
// Every phase starts its threads' schedules anew: what a paced phase could not begin before its
// end is counted (never_started), not carried over. Stops early when `stop` is set; the result is
// then partial. An operation that fails ends the run, with an Error.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "bench/host/database.h"
#include "bench/run/result.h"
#include "model/result.h"
#include "scenario/workload/workload.h"

namespace rocktune::bench {

// Called once a second from the thread that runs.
using SecondSeen = std::function<void(const scenario::Phase& phase, const Interval& second)>;

struct PhasesDone {
  std::vector<PhaseResult> phases;
  bool stopped = false;
};

// `begin` is where the seconds of the result count from, and when the first phase begins if that is
// still to come; default: now.
Result<PhasesDone> run_phases(Database& database, const scenario::Workload& workload,
                              const std::atomic<bool>& stop, const SecondSeen& seen,
                              std::optional<Nanoseconds> begin = std::nullopt);

}  // namespace rocktune::bench
