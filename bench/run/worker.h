// One thread of a phase: takes its requests in order, waits until each is due, does and times it.
#pragma once

#include <atomic>
#include <cstdint>
#include <latch>

#include "bench/host/database.h"
#include "bench/run/operations.h"
#include "bench/run/records.h"
#include "scenario/workload/requests.h"

namespace rocktune::bench {

struct WorkerPlan {
  Database& database;
  const scenario::Workload& workload;
  const scenario::Phase& phase;
  const scenario::KeyChooser& keys;
  const scenario::FamilyMap& families;
  const ValuePool& values;
  const std::atomic<bool>& stop;         // this phase's
  const std::atomic<bool>& interrupted;  // the whole run's, which nobody looks at after the end
  std::latch& ended;                     // counted down once: no operation of this thread is left
  scenario::Inserted inserted;           // by this thread, before the phase
  std::uint64_t seed = 0;
  Nanoseconds start{0};
  Nanoseconds end{0};
};

struct WorkerDone {
  rocksdb::Status status;  // of the first operation that failed
  std::uint64_t never_started = 0;
  Latencies waiting;           // how long those had waited by the end
  Latencies any_moment;        // of a phase without a rate: see moments.h
  std::uint64_t inserted = 0;  // by this thread, after the phase
};

// Blocks until the phase ends and what it did not begin is counted, which is no part of the phase;
// `work` may be read meanwhile.
WorkerDone run_worker(const WorkerPlan& plan, LiveWork& work);

}  // namespace rocktune::bench
